"""A program for the tests that plays, and now and then does something wrong, by its seed.

    faulty_bot.py SEED SHARE FILE FAULT…

SHARE of the questions meet one of these faults. Each fault, and the number of the process, is a line of FILE.
"""

import json
import os
import random
import sys
import time
from pathlib import Path

LONG_S = 100.0


def write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def choice(number: int, action: str) -> str:
    return json.dumps({"type": "choice", "id": number, "action": action}) + "\n"


def commit(fault: str, number: int, legal: list[str]) -> None:
    """Do this; where an answer is still possible, one follows."""
    match fault:
        case "illegal":
            write(choice(number, "QH z9"))
        case "rubbish":
            write("let me think\n")
        case "ahead":
            write(choice(number + 5, legal[0]))
        case "twice":
            write(choice(number, legal[0]) * 2)
        case "huge":
            write("x" * 10_000 + "\n")
        case "half":
            write(choice(number, legal[0])[:20])
            write(choice(number, legal[0])[20:])
        case "late":
            write(choice(max(number - 1, 1), legal[0]))
        case "empty":
            write("\n")
        case "bytes":
            os.write(1, b"\xff\xfe\x00\n")
        case "exit":
            os._exit(7)
        case "close":
            os.close(1)
            time.sleep(LONG_S)
        case "silence":
            time.sleep(LONG_S)


def main(seed: str, share: str, file: str, *faults: str) -> None:
    # Each of its games has other faults.
    games = Path(file).read_text().count("pid") if Path(file).exists() else 0
    dice = random.Random(f"{seed} {games}")
    with Path(file).open("a", buffering=1) as told:
        told.write(f"pid {os.getpid()}\n")
        for line in sys.stdin:
            message = json.loads(line)
            if message["type"] == "view":
                number, legal = message["id"], message["legal"]
                best = choice(number, dice.choice(legal))
                fault = dice.choice(faults) if dice.random() < float(share) else ""
                if fault:
                    told.write(f"fault {fault}\n")
                    commit(fault, number, legal)
                if fault in ("", "late", "huge"):
                    write(best)
            elif message["type"] == "error":
                write(best)


if __name__ == "__main__":
    main(*sys.argv[1:])
