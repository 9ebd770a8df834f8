"""A program for the tests: it plays what it may, but for one thing that it does, named by its first argument.

It keeps each line that it is sent in the file that its second argument names.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

LONG = 100.0


def answer(number: int, action: str) -> None:
    print(json.dumps({"type": "choice", "id": number, "action": action}), flush=True)


def fork_one_that_stays(pids: str) -> None:
    """A child that no polite signal ends; its process number goes into the file."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = os.fork()
    if child == 0:
        time.sleep(LONG)
        os._exit(0)
    Path(f"{pids}.new").write_text(str(child))
    Path(f"{pids}.new").rename(pids)


def odd(manner: str, message: dict[str, object], count: int) -> bool:
    """Do the odd thing of this manner at this view; return True if no right answer follows."""
    number, legal = message["id"], message["legal"]
    assert isinstance(number, int)
    assert isinstance(legal, list)
    match manner:
        case "slow" if count == 1:
            time.sleep(LONG)
        case "late" if count == 1:
            return True
        case "late" if count == 2:
            answer(1, legal[0])
        case "flood" if count == 2:
            while True:
                answer(1, legal[0])
        case "huge" if count == 1:
            print("x" * 20_000, flush=True)
        case "die" if count == 2:
            os._exit(3)
        case "killed" if count == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        case "rubbish" if count == 1:
            print("let me think", flush=True)
        case "babble":
            print("let me think", flush=True)
            return True
        case "ahead" if count == 1:
            answer(number + 1, legal[0])
        case "twice":
            answer(number, legal[0])
        case "half":
            print('{"type": "choice", ', end="", flush=True)
            print(f'"id": {number}, "action": "{legal[0]}"}}', flush=True)
            return True
        case "illegal" if count == 1:
            answer(number, "pass")
        case "stubborn":
            answer(number, "QH z9")
            return True
        case "caller":
            answer(number, "call 2")
            return True
        case "mute" if count == 1:
            os.close(1)
            time.sleep(LONG)
        case _:
            pass
    return False


def main(manner: str, seen: str) -> None:
    if manner in ("family", "deserted"):
        fork_one_that_stays(f"{seen}.pids")
    if manner == "deserted":
        return
    if manner == "deaf":
        os.close(0)
        Path(f"{seen}.closed").touch()
        time.sleep(LONG)
    if manner == "asleep":
        time.sleep(LONG)
    with Path(seen).open("a", buffering=1) as kept:
        kept.write(json.dumps({"type": "environment", **os.environ}) + "\n")
        count = 0
        for line in sys.stdin:
            kept.write(line)
            message = json.loads(line)
            if message["type"] == "view":
                count += 1
                if not odd(manner, message, count):
                    answer(message["id"], message["legal"][0])
                best = message["legal"][0]
            elif message["type"] == "error" and manner == "stubborn":
                answer(message["id"], "QH z9")
            elif message["type"] == "error" and manner not in ("rubbish", "ahead", "illegal", "babble"):
                answer(message["id"], best)
            elif message["type"] == "result" and manner == "stays":
                time.sleep(LONG)


if __name__ == "__main__":
    main(*sys.argv[1:])
