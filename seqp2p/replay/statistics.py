"""Sums over any number of replays: players, lengths, openings, squares. No I/O.

A game counts once, with any number of its seats' replays. A verified game counts with all its figures, an unfinished
one only for its players. Memory grows with the number of different players and games (32 bytes each), and not with the
contents of the files.
"""

from collections import Counter
from dataclasses import dataclass, field
from enum import Enum

from seqp2p.replay.summary import Course, Summary
from seqp2p.replay.verify import Report
from seqp2p.rules import KNOWN_VARIANTS, team_of

NAMES_MAX = 8
"""The number of names that are kept of a player."""


class Counted(Enum):
    """The result for a replay: counted, a duplicate of a counted game, or left out as not right."""

    GAME = "game"
    DUPLICATE = "duplicate"
    UNFINISHED = "unfinished"
    LEFT_OUT = "left out"


@dataclass(slots=True)
class PlayerCount:
    """A player's games, by its key. ``names`` are those it had, the first ones first."""

    won: int = 0
    lost: int = 0
    drawn: int = 0
    unfinished: int = 0
    names: list[str] = field(default_factory=list[str])

    @property
    def finished(self) -> int:
        """Games that came to their end."""
        return self.won + self.lost + self.drawn


@dataclass(slots=True)
class VariantCount:
    """All games of one variant. ``turns`` counts games by their length, ``squares`` the chips placed, by square."""

    squares: list[int]
    games: int = 0
    drawn: int = 0
    first_mover_won: int = 0
    reshuffled: int = 0
    reshuffles: int = 0
    passes: int = 0
    exchanges: int = 0
    sequences: int = 0
    turns: Counter[int] = field(default_factory=Counter[int])
    openings: Counter[str] = field(default_factory=Counter[str])
    players: Counter[int] = field(default_factory=Counter[int])  # games by the number of their seats

    @property
    def decided(self) -> int:
        """The games with a winner."""
        return self.games - self.drawn

    @property
    def turns_mean(self) -> float:
        return sum(length * count for length, count in self.turns.items()) / self.games

    @property
    def turns_median(self) -> float:
        """The median of the lengths."""
        low, high = (self.games - 1) // 2, self.games // 2
        passed, found = 0, list[int]()
        for length, count in sorted(self.turns.items()):
            found += [length for at in (low, high) if passed <= at < passed + count]
            passed += count
        return sum(found) / 2


@dataclass
class Statistics:
    """The counts so far: ``players`` by identity key (64 hexadecimal digits), ``variants`` by name."""

    files: int = 0
    duplicates: int = 0
    players: dict[str, PlayerCount] = field(default_factory=dict[str, PlayerCount])
    variants: dict[str, VariantCount] = field(default_factory=dict[str, VariantCount])
    _games: set[bytes] = field(default_factory=set[bytes])
    _unfinished: dict[bytes, tuple[str, ...]] = field(default_factory=dict[bytes, tuple[str, ...]])

    @property
    def games(self) -> int:
        """Games that came to their end."""
        return len(self._games)

    @property
    def unfinished(self) -> int:
        """Games that did not, as far as these replays show."""
        return len(self._unfinished)

    def add(self, summary: Summary) -> Counted:
        """Count one more replay and return its result."""
        self.files += 1
        report, course = summary.report, summary.course
        if report.verdict == "invalid" or report.game is None:
            return Counted.LEFT_OUT
        game = bytes.fromhex(report.game)
        if game in self._games:
            self.duplicates += 1
            return Counted.DUPLICATE
        if report.verdict == "unfinished" or course is None:
            return self._add_unfinished(game, report)
        for key in self._unfinished.pop(game, ()):
            self.players[key].unfinished -= 1
        self._games.add(game)
        self._add_results(report)
        self._add_course(report, course)
        return Counted.GAME

    def _add_unfinished(self, game: bytes, report: Report) -> Counted:
        if game in self._unfinished:
            self.duplicates += 1
            return Counted.DUPLICATE
        keys = tuple(player.key for player in report.players)
        for player in report.players:
            self._player(player.key, player.name).unfinished += 1
        self._unfinished[game] = keys
        return Counted.UNFINISHED

    def _add_results(self, report: Report) -> None:
        winners = report.result.winners if report.result else ()
        for player in report.players:
            counted = self._player(player.key, player.name)
            if not winners:
                counted.drawn += 1
            elif player.seat in winners:
                counted.won += 1
            else:
                counted.lost += 1

    def _add_course(self, report: Report, course: Course) -> None:
        if course.variant not in self.variants:
            self.variants[course.variant] = VariantCount([0] * len(KNOWN_VARIANTS[course.variant].board.grid))
        counted, winners = self.variants[course.variant], report.result.winners if report.result else ()
        counted.games += 1
        counted.drawn += not winners
        first = team_of(course.first_seat, course.teams)
        counted.first_mover_won += any(team_of(seat, course.teams) == first for seat in winners)
        counted.reshuffled += course.reshuffles > 0
        counted.reshuffles += course.reshuffles
        counted.passes += course.passes
        counted.exchanges += course.exchanges
        counted.sequences += course.sequences
        counted.turns[course.turns] += 1
        counted.players[course.players] += 1
        if course.opening:
            counted.openings[course.opening] += 1
        for square in course.placed:
            counted.squares[square] += 1

    def _player(self, key: str, name: str) -> PlayerCount:
        counted = self.players.setdefault(key, PlayerCount())
        if name not in counted.names and len(counted.names) < NAMES_MAX:
            counted.names.append(name)
        return counted
