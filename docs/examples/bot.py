#!/usr/bin/env python3
"""A bot for seqp2p: it prefers the square with most chips of its own team around it. docs/scripting.md has the rest."""

import json
import sys


def worth(action: str, team: int, chips: list[list[int]]) -> int:
    """How many own chips and corners lie around the square of an action like ``QH e5``; more if it takes a chip."""
    square = action.split()[1].removeprefix("x") if " " in action else ""
    if not square[1:].isdigit():  # pass, draw, end, 9C dead, QH given
        return -1 if action in ("end", "waive") else 0
    col, row = ord(square[0]) - ord("a"), int(square[1:]) - 1
    around = [line[max(col - 1, 0) : col + 2] for line in chips[max(row - 1, 0) : row + 2]]
    return sum(chip in (team, -1) for line in around for chip in line) + 2 * (" x" in action)


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        team = message["team"]
    elif message["type"] == "view":
        best = max(message["legal"], key=lambda action: worth(action, team, message["chips"]))
        print(json.dumps({"type": "choice", "id": message["id"], "action": best}), flush=True)
    elif message["type"] == "error":  # Something that is surely possible, where there was a mistake.
        print(json.dumps({"type": "choice", "id": message["id"], "action": best}), flush=True)
