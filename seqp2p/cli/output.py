"""What a command prints: JSON lines for scripts, sentences for people; and how it says that something went wrong."""

import json
import os
import sys
from dataclasses import dataclass
from types import TracebackType
from typing import Any

# experience.md's exit codes; docs/scripting.md lists them.
DONE = 0
FAILED = 1
USAGE = 2
NOT_VERIFIED = 3
NOT_CONNECTED = 4
ABANDONED = 5


class CommandError(Exception):
    """One sentence saying what happened, a hint saying what to do, and the exit code."""

    def __init__(self, message: str, hint: str = "", exit_code: int = FAILED) -> None:
        super().__init__(message)
        self.hint = hint
        self.exit_code = exit_code

    def show(self) -> None:
        """Print it the way every error of this program is printed."""
        print(f"seqp2p: error: {self}", file=sys.stderr)
        if self.hint:
            print(f"seqp2p: hint: {self.hint}", file=sys.stderr)


@dataclass(frozen=True, slots=True)
class Output:
    """Where a command's words go. With ``json`` standard output has one object per line, and nothing else."""

    json: bool

    def event(self, name: str, /, **fields: Any) -> None:
        """One event for scripts; nothing without ``--json``."""
        if self.json:
            print(json.dumps({"event": name, **fields}, ensure_ascii=False), flush=True)

    def say(self, text: str = "") -> None:
        """A line for people: standard output, or standard error where that belongs to a script."""
        print(text, file=sys.stderr if self.json else sys.stdout, flush=True)


def report_bug(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """An error nobody foresaw is a fault of this program, and no traceback is of use to a player."""
    if os.environ.get("SEQP2P_DEBUG"):
        sys.__excepthook__(kind, error, trace)
        return
    print(f"seqp2p: error: a fault in seqp2p itself ({kind.__name__})", file=sys.stderr)
    print("seqp2p: hint: SEQP2P_DEBUG=1 shows where; please report it", file=sys.stderr)
