"""Section 11: the rules, on plain mutable data."""

import copy
import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

DATA = {
    vector["in"]["variant"]: vector["out"]
    for vector in json.loads((Path(__file__).parents[1] / "vectors" / "variants.json").read_text("utf-8"))["vectors"]
}
LETTERS = "abcd"
PHASES = {
    "play": ("place", "remove", "exchange", "pass", "call"),
    "draw": ("draw", "end"),
    "late": ("draw", "waive"),
    "penalty": ("give",),
}


class Illegal(Exception):
    """An action that is not legal, or no action."""


class Board:
    def __init__(self, name: str) -> None:
        data = DATA[name]
        self.name, self.data = name, data
        self.faces: list[str] = data["faces"]
        self.grid: list[str] = data["grid"]
        self.rows: int = data["rows"]
        self.columns: int = data["columns"]
        self.wild, self.removing = data["wild"], data["removing"]
        length = data["line"]
        self.lines = [
            tuple((row + i * down) * self.columns + column + i * right for i in range(length))
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
            for row in range(self.rows)
            for column in range(self.columns)
            if row + (length - 1) * down < self.rows and 0 <= column + (length - 1) * right < self.columns
        ]

    def square(self, text: str) -> int:
        found = re.fullmatch("([a-z])([1-9][0-9]?)", text)
        if not found:
            raise Illegal(text)
        column, row = ord(found[1]) - ord("a"), int(found[2]) - 1
        if column >= self.columns or row >= self.rows:
            raise Illegal(text)
        return row * self.columns + column

    def line(self, text: str) -> tuple[int, ...]:
        first, _, last = text.partition("-")
        ends = self.square(first), self.square(last)
        for line in self.lines:
            if (line[0], line[-1]) == ends:
                return line
        raise Illegal(text)

    def write(self, square: int) -> str:
        return f"{chr(ord('a') + square % self.columns)}{square // self.columns + 1}"


BOARDS = {name: Board(name) for name in DATA}


@dataclass
class Action:
    kind: str
    card: str = ""
    square: int = -1
    lines: list[tuple[int, ...]] = field(default_factory=list)
    seat: int = 0


def read_action(board: Board, text: str) -> Action:
    words = text.split(" ")
    if text in ("pass", "draw", "end", "waive"):
        return Action(text)
    if found := re.fullmatch("call ([1-9][0-9]?)", text):
        return Action("call", seat=int(found[1]))
    if len(words) < 2 or words[0] not in board.faces:
        raise Illegal(text)
    if words[1] == "dead" and len(words) == 2:
        return Action("exchange", words[0])
    if words[1] == "given" and len(words) == 2:
        return Action("give", words[0])
    if words[1].startswith("x") and len(words) == 2:
        return Action("remove", words[0], board.square(words[1][1:]))
    lines = [board.line(word) for word in words[2:]]
    ends = [(line[0], line[-1]) for line in lines]
    if ends != sorted(set(ends)):
        raise Illegal(text)
    return Action("place", words[0], board.square(words[1]), lines)


@dataclass
class Position:
    board: Board
    options: list[str]
    players: int
    teams: int
    to_move: int
    hands: list[list[str]]  # "?" for unknown
    pile: int
    chips: dict[int, int] = field(default_factory=dict)  # team by square
    sequences: list[tuple[int, tuple[int, ...]]] = field(default_factory=list)
    discards: list[list[str]] = field(default_factory=list)
    turn: int = 0
    draws: int = 0
    reshuffles: int = 0
    exchanged: int = 0
    idle: int = 0
    quiet: int = 0
    outcome: str = "-"
    phase: str = "play"
    mover: int = 0  # whose turn it is, in other phases than play
    owes: int = 0
    penalised: list[int] = field(default_factory=list)
    passed: bool = False
    out: list[int] = field(default_factory=list)

    # legality

    def free(self, square: int) -> bool:
        return square not in self.chips and self.board.grid[square] != "*"

    def team(self) -> int:
        return (self.to_move - 1) % self.teams + 1

    def may_place(self, card: str, square: int) -> bool:
        return self.free(square) and (card in self.board.wild or self.board.grid[square] == card)

    def may_remove(self, card: str, square: int) -> bool:
        if card not in self.board.removing or self.chips.get(square, self.team()) == self.team():
            return False
        return "advanced" in self.options or not any(square in line for _, line in self.sequences)

    def may_exchange(self, card: str) -> bool:
        limit = self.board.data["exchanges a turn"]
        if limit is None:
            limit = self.pile + sum(map(len, self.discards))
        special = card in self.board.wild or card in self.board.removing
        dead = not any(face == card and self.free(square) for square, face in enumerate(self.board.grid))
        return not special and dead and self.exchanged < limit

    def may_call(self, seat: int) -> bool:
        stay = [each for each in range(1, self.players + 1) if each not in self.out]
        return (
            "no-table-talk" in self.options
            and seat in stay
            and sum((each - seat) % self.teams == 0 for each in stay) > 1
            and (seat - self.to_move) % self.teams != 0
        )

    def may_pass(self) -> bool:
        hand, squares = self.hands[self.to_move - 1], range(len(self.board.grid))
        return "?" not in hand and not any(
            self.may_exchange(card) or any(self.may_place(card, s) or self.may_remove(card, s) for s in squares)
            for card in hand
        )

    # effects

    def after(self, action: Action) -> "Position":
        if not self.to_move or action.kind not in PHASES[self.phase]:
            raise Illegal(action.kind)
        if action.card and action.card not in self.hands[self.to_move - 1]:
            raise Illegal("not in the hand")
        legal: dict[str, Callable[[], bool]] = {
            "place": lambda: self.may_place(action.card, action.square),
            "remove": lambda: self.may_remove(action.card, action.square),
            "exchange": lambda: self.may_exchange(action.card),
            "pass": self.may_pass,
            "call": lambda: self.may_call(action.seat),
        }
        if action.kind in legal and not legal[action.kind]():
            raise Illegal(action.kind)
        new = self._copy()
        getattr(new, f"_{action.kind}")(action)
        return new

    def _copy(self) -> "Position":
        new = copy.deepcopy(self, {id(self.board): self.board})
        if self.phase == "play":
            new.mover = self.to_move
        return new

    def _remove(self, action: Action) -> None:
        del self.chips[action.square]
        self.sequences = [entry for entry in self.sequences if action.square not in entry[1]]
        self._played(action)

    def _exchange(self, action: Action) -> None:
        self._put_down(action)
        self._take_card()
        self.exchanged += 1

    def _call(self, action: Action) -> None:
        same = [seat for seat in range(1, self.players + 1) if (seat - action.seat) % self.teams == 0]
        self.penalised = [seat for seat in same if self.hands[seat - 1]]
        self._penalise()

    def _give(self, action: Action) -> None:
        self._put_down(action)
        del self.penalised[0]
        self._penalise()

    def _penalise(self) -> None:
        self.phase = "penalty" if self.penalised else "play"
        self.to_move = self.penalised[0] if self.penalised else self.mover

    def _draw(self, action: Action) -> None:
        if self.pile or any(self.discards):
            self._take_card()
        self._go_on(0)

    def _end(self, action: Action) -> None:
        self._go_on(self.to_move)

    def _waive(self, action: Action) -> None:
        self._go_on(0)

    def _place(self, action: Action) -> None:
        team = self.team()
        self.chips[action.square] = team
        looked_at = [line for line in self.board.lines if self._near(line, action.square)]
        complete = [
            line for line in looked_at if all(self.board.grid[s] == "*" or self.chips.get(s) == team for s in line)
        ]
        own = [line for owner, line in self.sequences if owner == team]
        open_lines = [line for line in complete if not self._clashes(line, own)]
        counted: list[tuple[int, ...]] = []
        for line in action.lines:
            if line not in open_lines or self._clashes(line, counted):
                raise Illegal("a line that cannot be named")
            counted.append(line)
        for line in open_lines:
            if not self._clashes(line, counted):
                counted.append(line)
        self.sequences = sorted([*self.sequences, *((team, line) for line in counted)])
        if sum(owner == team for owner, _ in self.sequences) >= self.board.data["sequences to win"][str(self.teams)]:
            self.outcome = LETTERS[team - 1]
        self._played(action)

    def _near(self, line: tuple[int, ...], square: int) -> bool:
        if "advanced" not in self.options:
            return square in line
        columns = self.board.columns
        (r, c), (r0, c0), (r1, c1) = (divmod(s, columns) for s in (square, line[0], line[1]))
        return (r - r0) * (c1 - c0) == (c - c0) * (r1 - r0)

    def _clashes(self, line: tuple[int, ...], others: list[tuple[int, ...]]) -> bool:
        return any(sum(s in other and self.board.grid[s] != "*" for s in line) > 1 for other in others)

    def _put_down(self, action: Action) -> None:
        self.hands[self.to_move - 1].remove(action.card)
        self.discards[self.to_move - 1].append(action.card)

    def _take_card(self) -> None:
        if not self.pile:
            self.pile = sum(map(len, self.discards))
            self.discards = [[] for _ in self.discards]
            self.reshuffles += 1
        self.pile -= 1
        self.draws += 1
        self.hands[self.to_move - 1].append("?")

    def _played(self, action: Action) -> None:
        """A card has been placed or has taken a chip."""
        self._put_down(action)
        if self.outcome != "-":
            self._end_turn(played=True)
        elif "manual-draw" not in self.options:
            self._take_card()
            self._end_turn(played=True)
        elif self.owes:
            self.phase, self.to_move = "late", self.owes
        else:
            self.phase = "draw"

    def _go_on(self, owes: int) -> None:
        if self.passed:
            self._end_turn(played=False, idle=1)
        elif self.phase == "late":
            self.phase, self.to_move, self.owes = "draw", self.mover, 0
        else:
            self._end_turn(played=True, owes=owes)

    def _end_turn(self, *, played: bool, owes: int = 0, idle: int = 0) -> None:
        """The turn is over; ``played``: a card was played in it; ``idle``: it counts as one without a card."""
        self.turn += 1
        self.idle = 0 if played or self.exchanged else self.idle + idle
        self.quiet = 0 if played else self.quiet + 1
        self.exchanged = 0
        if self.idle >= self.players - len(self.out) or self.quiet >= self.board.data["quiet turns"]:
            self.outcome = "="
        after = self.mover % self.players + 1
        while after in self.out:
            after = after % self.players + 1
        self.to_move = after if self.outcome == "-" else 0
        self.phase, self.owes, self.passed = "play", 0 if owes == after else owes, False

    # 11.6

    def skipped(self) -> "Position":
        if not self.to_move or self.phase not in ("play", "draw"):
            raise Illegal("skip")
        new = self._copy()
        new._break_off()
        return new

    def dropped(self, seats: list[int]) -> "Position":
        new = self._copy()
        held = sum(map(len, self.hands))
        for seat, hand in enumerate(self.hands, 1):
            size = len(hand) - (seat in self.penalised)
            new.hands[seat - 1] = [] if seat in seats else ["?"] * size
        new.pile += held - sum(map(len, new.hands))
        new.idle, new.out, new.penalised = 0, sorted([*self.out, *seats]), []
        if new.mover in seats:
            new._break_off()
        elif self.phase == "penalty":
            new.phase, new.to_move = "play", new.mover
        if new.owes in seats:
            new.owes = 0
            if self.phase == "late" and new.mover not in seats:
                if new.passed:
                    new._break_off()
                else:
                    new.phase, new.to_move = "draw", new.mover
        return new

    def _break_off(self) -> None:
        """The turn of the mover is over as it is."""
        self._end_turn(played=self.phase == "draw" or (self.phase == "late" and not self.passed))

    def _pass(self, action: Action) -> None:
        if self.owes:
            self.phase, self.passed, self.to_move = "late", True, self.owes
        else:
            self._end_turn(played=False, idle=1)

    # text

    def text(self, *, hidden: bool = False) -> str:
        numbers = self.turn, self.draws, self.reshuffles, self.exchanged, self.idle, self.quiet
        words: list[Any] = [
            self.board.name,
            ",".join(self.options) or "-",
            f"{self.players}/{self.teams}",
            self._board_text(),
            ",".join(
                f"{LETTERS[team - 1]}:{self.board.write(line[0])}-{self.board.write(line[-1])}"
                for team, line in self.sequences
            )
            or "-",
            self.to_move or "-",
            "/".join(",".join(["?"] * len(hand) if hidden else self._sorted(hand)) or "-" for hand in self.hands),
            self.pile,
            "/".join(",".join(cards) or "-" for cards in self.discards),
            *numbers,
            self.outcome,
        ]
        if self.phase != "play" or self.owes:
            mover = self.to_move if self.phase == "play" else self.mover
            penalised = ",".join(map(str, self.penalised)) or "-"
            words.append(f"{self.phase}/{mover}/{self.owes or '-'}/{penalised}/{'passed' if self.passed else '-'}")
        if self.out:
            words.append("out:" + ",".join(map(str, self.out)))
        return " ".join(map(str, words))

    def _sorted(self, hand: list[str]) -> list[str]:
        return sorted(hand, key=lambda card: -1 if card == "?" else self.board.faces.index(card))

    def _board_text(self) -> str:
        cells = [
            "*" if face == "*" else LETTERS[self.chips[square] - 1] if square in self.chips else "."
            for square, face in enumerate(self.board.grid)
        ]
        rows = ("".join(cells[at : at + self.board.columns]) for at in range(0, len(cells), self.board.columns))
        return "/".join(re.sub(r"\.+", lambda run: str(len(run[0])), row) for row in rows)

    def hash(self) -> bytes:
        return hashlib.sha256(self.text(hidden=True).encode()).digest()


def read_position(text: str) -> Position:
    words = text.split(" ")
    out = words.pop()[4:].split(",") if words[-1].startswith("out:") else []
    board = BOARDS[words[0]]
    players, teams = map(int, words[2].split("/"))
    rows = (re.sub("[0-9]+", lambda run: "." * int(run[0]), row) for row in words[3].split("/"))
    cells = "".join(rows)
    hands, discards = (
        [[] if cards == "-" else cards.split(",") for cards in words[at].split("/")] for at in (6, 8)
    )  # fmt: skip
    sequences = [] if words[4] == "-" else [item.split(":") for item in words[4].split(",")]
    position = Position(
        board,
        [] if words[1] == "-" else words[1].split(","),
        players,
        teams,
        0 if words[5] == "-" else int(words[5]),
        hands,
        int(words[7]),
        {square: LETTERS.index(cell) + 1 for square, cell in enumerate(cells) if cell in LETTERS},
        [(LETTERS.index(team) + 1, board.line(ends)) for team, ends in sequences],
        discards,
        *map(int, words[9:15]),  # type: ignore[arg-type,call-arg]  # six numbers, and then a text
        words[15],
    )
    if len(words) == 17:
        position.phase, mover, owes, penalised, passed = words[16].split("/")
        position.mover, position.owes = int(mover), 0 if owes == "-" else int(owes)
        position.penalised = [] if penalised == "-" else list(map(int, penalised.split(",")))
        position.passed = passed == "passed"
    position.out = list(map(int, out))
    return position
