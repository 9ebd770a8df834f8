"""The rules once more, as plainly as possible and without a line of the engine, to compare it with. A board is data.

Squares, cards and actions are names as they are printed. The rest of a turn is a list.
"""

from dataclasses import dataclass, field

from seqp2p.rules.variant import UNKNOWN, Variant

Line = tuple[str, ...]
DIRECTIONS = [(0, 1), (1, 0), (1, 1), (1, -1)]


def square_at(row: int, col: int) -> str:
    return f"{chr(ord('a') + col)}{row + 1}"


@dataclass
class NaiveGame:
    """A game that changes as it is played; all hands and the pile (top last) are known."""

    variant: Variant
    players: int
    teams: int
    options: set[str]
    """Any of advanced, no-table-talk, manual-draw."""
    seat: int
    """Whose turn it is."""
    hands: dict[int, list[str]]
    pile: list[str]
    discards: dict[int, list[str]] = field(default_factory=dict)
    chips: dict[str, int] = field(default_factory=dict)
    sequences: list[tuple[int, Line]] = field(default_factory=list)
    todo: list[tuple[str, int]] = field(default_factory=list)
    """Phases still to come in this turn, and whose they are."""
    owes: int = 0
    turn: int = 0
    draws: int = 0
    reshuffles: int = 0
    exchanged: int = 0
    idle: int = 0
    quiet: int = 0
    passed: bool = False
    result: str = "-"
    """Going on: -, drawn: =, or the number of the team that has won."""

    def __post_init__(self) -> None:
        faces, board = self.variant.faces, self.variant.board
        cells = {square_at(*divmod(at, board.cols)): card for at, card in enumerate(board.grid)}
        self.grid = {square: faces[card] for square, card in cells.items() if card != UNKNOWN}
        self.corners = cells.keys() - self.grid
        self.wild, self.removing = ([faces[at] for at in cards] for cards in (self.variant.wild, self.variant.removing))
        self.discards = {seat: [] for seat in self.hands}
        self.todo = [("play", self.seat)]

    def team(self, seat: int) -> int:
        return (seat - 1) % self.teams + 1

    def legal(self) -> set[str]:
        """The texts of the legal actions, calls left out."""
        phase, seat = self.todo[0]
        if phase == "penalty":
            return {f"{card} given" for card in self.hands[seat]}
        if phase != "play":
            return {"draw", "end" if phase == "draw" else "waive"}
        found = {text for card in self.hands[seat] for text in self._plays(card)}
        dead = {f"{card} dead" for card in self.hands[seat] if card in self.grid.values() and not self._plays(card)}
        if self.exchanged < (self.variant.exchanges_per_turn or len(self.pile) + sum(map(len, self.discards.values()))):
            found |= dead
        return found or {"pass"}

    def _plays(self, card: str) -> set[str]:
        free = self.grid.keys() - self.chips
        if card in self.wild:
            return {f"{card} {square}" for square in free}
        if card in self.removing:
            safe = set() if "advanced" in self.options else {square for _, line in self.sequences for square in line}
            mine = self.team(self.seat)
            return {f"{card} x{square}" for square, team in self.chips.items() if team != mine and square not in safe}
        return {f"{card} {square}" for square in free if self.grid[square] == card}

    def play(self, text: str, new_pile: list[str]) -> None:
        """Do what a text says. ``new_pile`` is what the discards become, should they be needed now."""
        (phase, seat), word = self.todo.pop(0), text.split()
        if word[0] == "call":
            team = self.team(int(word[1]))
            losers = [other for other in self.hands if self.team(other) == team and self.hands[other]]
            self.todo = [("penalty", other) for other in losers] + [(phase, seat)] + self.todo
        elif word[0] == "pass":
            self.passed = True
            self.todo = [("late", self.owes)] if self.owes else []
        elif word[0] in {"draw", "end", "waive"}:
            self.owes = seat if word[0] == "end" else 0
            if word[0] == "draw":
                self._draw(seat, new_pile)
        else:
            self.hands[seat].remove(word[0])
            self.discards[seat].append(word[0])
            self._use_card(seat, word, new_pile)
        if not self.todo and self.result == "-":
            self._end_turn()

    def _use_card(self, seat: int, word: list[str], new_pile: list[str]) -> None:
        if word[1] == "given":
            return
        if word[1] == "dead":
            self.exchanged += 1
            self._draw(seat, new_pile)
            self.todo = [("play", seat)]
            return
        if word[1].startswith("x"):
            del self.chips[word[1][1:]]
            self.sequences = [(team, line) for team, line in self.sequences if word[1][1:] not in line]
        else:
            self.chips[word[1]] = self.team(seat)
            self._count(self.team(seat), word[1], word[2:])
        if self.result != "-":
            self.turn += 1
            self.exchanged = self.idle = self.quiet = 0
        elif "manual-draw" in self.options:
            self.todo = [("late", self.owes)] * bool(self.owes) + [("draw", seat)]
        else:
            self._draw(seat, new_pile)

    def _draw(self, seat: int, new_pile: list[str]) -> None:
        if not self.pile and not any(self.discards.values()):
            return
        if not self.pile:
            assert sorted(new_pile) == sorted(card for cards in self.discards.values() for card in cards)
            self.pile = list(new_pile)
            self.discards = {other: [] for other in self.hands}
            self.reshuffles += 1
        self.hands[seat].append(self.pile.pop())
        self.draws += 1

    def _end_turn(self) -> None:
        self.idle = self.idle + 1 if self.passed and not self.exchanged else 0
        self.quiet = self.quiet + 1 if self.passed else 0
        self.turn += 1
        self.passed, self.exchanged = False, 0
        self.seat = self.seat % self.players + 1
        self.todo = [("play", self.seat)]
        if self.idle == self.players or self.quiet == self.variant.quiet_turns_max:
            self.result = "="

    def _count(self, team: int, square: str, names: list[str]) -> None:
        """What a new chip completes: first the lines that are named, then the others in the fixed order."""
        row, col, length = int(square[1:]) - 1, ord(square[0]) - ord("a"), self.variant.line_length
        filled = {at for at, owner in self.chips.items() if owner == team} | self.corners
        found: list[Line] = []
        for down, right in DIRECTIONS:
            cells = [square_at(row + i * down, col + i * right) for i in range(-26, 27)]
            whole = [cell for cell in cells if cell in self.grid or cell in self.corners]
            lines = [tuple(whole[at : at + length]) for at in range(len(whole) - length + 1)]
            if "advanced" not in self.options:
                lines = [line for line in lines if square in line]
            found += [line for line in lines if set(line) <= filled]
        found.sort(key=lambda line: f"{line[0]}-{line[-1]}" not in names)
        for line in found:
            others = [set(other) for owner, other in self.sequences if owner == team]
            if all(len(set(line) & other - self.corners) <= 1 for other in others):
                self.sequences.append((team, line))
        if sum(owner == team for owner, _ in self.sequences) >= dict(self.variant.sequences_to_win)[self.teams]:
            self.result = str(team)
            self.todo = []
