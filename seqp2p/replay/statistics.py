"""The figures of one replay, gathered while it is verified; and sums over any number of them. No I/O.

A game counts once, with any number of its seats' replays. A verified game counts with all its figures, an unfinished
one only for its players. Memory grows with the number of different players and games (32 bytes each) and of files left
out, and not with the contents of the files.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from statistics import median
from typing import Any

from seqp2p.crypto.group import Randomness
from seqp2p.crypto.identity import fingerprint
from seqp2p.interval import wilson
from seqp2p.match.events import Dealt, Event, Turned
from seqp2p.replay.format import Placed
from seqp2p.replay.reading import Reading
from seqp2p.replay.verify import Player, Report, verify_batched
from seqp2p.rules import KNOWN_VARIANTS, Action, SeatNumber, Square, format_action, format_square, team_of

NAMES_MAX = 8
"""The number of names that are kept of a player."""


@dataclass(frozen=True, slots=True)
class Course:
    """The course of a game from the deal on. ``turns`` are completed turns, ``sequences`` those at the end."""

    variant: str
    players: int
    teams: int
    first_seat: SeatNumber
    turns: int
    reshuffles: int
    passes: int
    exchanges: int
    sequences: int
    opening: str  # the first chip that was placed, in the notation; empty if none was
    placed: tuple[Square, ...]  # the squares where chips were placed, in order


@dataclass(frozen=True, slots=True)
class Summary:
    """The report of ``verify`` on a file, and the course of its game: None if no cards were dealt.

    ``heirs`` are the seats that have won because others have left for good.
    """

    report: Report
    course: Course | None = None
    heirs: tuple[SeatNumber, ...] = ()


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
    names: tuple[str, ...] = ()

    @property
    def finished(self) -> int:
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
    players: Counter[int] = field(default_factory=Counter[int])
    """Games by the number of their seats."""

    @property
    def decided(self) -> int:
        return self.games - self.drawn

    @property
    def turns_mean(self) -> float:
        return sum(length * count for length, count in self.turns.items()) / self.games

    @property
    def turns_median(self) -> float:
        return float(median(self.turns.elements()))

    @property
    def openings_ranked(self) -> list[tuple[str, int]]:
        """The openings with their numbers of games, the most frequent first."""
        return sorted(self.openings.items(), key=lambda item: (-item[1], item[0]))


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts over replays: ``players`` by identity key (64 hexadecimal digits), ``variants`` by name."""

    files: int
    games: int
    """Games that came to their end."""
    unfinished: int
    """Games that did not, as far as these replays show."""
    duplicates: int
    players: Mapping[str, PlayerCount]
    variants: Mapping[str, VariantCount]
    left_out: Sequence[tuple[str, Report]] = ()
    """The paths of the files that were not counted, each with verdict, game, reason, step and failure of its report."""

    @property
    def ranked(self) -> list[tuple[str, PlayerCount]]:
        """Players with their keys, those with the most games first."""
        return sorted(self.players.items(), key=lambda item: (-item[1].finished, -item[1].won, item[0]))

    def as_json(self) -> dict[str, Any]:
        """Return plain data for ``json.dumps``: the event ``stats`` of docs/scripting.md.

        >>> from seqp2p.replay.verify import Report
        >>> Statistics(1, 0, 0, 0, {}, {}, [("a", Report("invalid", reason="why"))]).as_json()["left_out"]
        [{'file': 'a', 'verdict': 'invalid', 'reason': 'why'}]
        """
        return {
            "files": self.files,
            "games": self.games,
            "unfinished": self.unfinished,
            "duplicates": self.duplicates,
            "players": [_player_fields(key, each) for key, each in self.ranked],
            "variants": {name: _variant_fields(name, each) for name, each in sorted(self.variants.items())},
            "left_out": [
                {"file": file, "verdict": report.verdict, "reason": report.reason} for file, report in self.left_out
            ],
        }


def _player_fields(key: str, each: PlayerCount) -> dict[str, Any]:
    counts = {name: getattr(each, name) for name in ("won", "lost", "drawn", "unfinished")}
    return {
        "key": key,
        "fingerprint": fingerprint(bytes.fromhex(key)),
        "names": each.names,
        "games": each.finished + each.unfinished,
        **counts,
        "win_share": _share(each.won, each.finished),
        "win_interval": _interval(each.won, each.finished),
    }


def _variant_fields(name: str, each: VariantCount) -> dict[str, Any]:
    same = ("games", "drawn", "first_mover_won", "reshuffled", "reshuffles", "passes", "exchanges", "sequences")
    lengths = {"min": min(each.turns), "median": each.turns_median, "max": max(each.turns)}
    return {
        **{name: getattr(each, name) for name in same},
        "players": {str(players): count for players, count in sorted(each.players.items())},
        "turns": lengths | {"mean": round(each.turns_mean, 6)},
        "first_mover_share": _share(each.first_mover_won, each.decided),
        "first_mover_interval": _interval(each.first_mover_won, each.decided),
        "openings": dict(each.openings_ranked),
        "squares": {format_square(KNOWN_VARIANTS[name], square): count for square, count in enumerate(each.squares)},
    }


def _share(count: int, among: int) -> float | None:
    return round(count / among, 6) if among else None


def _interval(count: int, among: int) -> tuple[float, float]:
    low, high = wilson(count, among)
    return round(low, 6), round(high, 6)


def summarise(data: bytes, randomness: Randomness) -> Summary:
    """Verify a whole replay file and return its figures. Never raises, as ``verify_batched`` never does."""
    noted: _Noted | None = None

    def follow(reading: Reading, _placed: Placed, events: tuple[Event, ...]) -> None:
        nonlocal noted
        if noted is None or reading is not noted.reading:  # A second reading: the first one means nothing.
            noted = _Noted(reading)
        noted.take(events)

    report = verify_batched(data, randomness, follow)
    if noted is None:
        return Summary(report)
    match = noted.reading.match
    heirs = () if match.forfeit is None else match.forfeit.winners
    return Summary(report, noted.course() if noted.first_seat else None, heirs)


class ReplayCounter:
    """Counts replays one after the other."""

    def __init__(self) -> None:
        self._files = self._duplicates = 0
        self._players: dict[str, PlayerCount] = {}
        self._variants: dict[str, VariantCount] = {}
        self._games: set[bytes] = set()
        self._left_out: list[tuple[str, Report]] = []
        self._unfinished: dict[bytes, list[PlayerCount]] = {}

    def statistics(self) -> Statistics:
        games, unfinished = len(self._games), len(self._unfinished)
        counts = (self._files, games, unfinished, self._duplicates)
        return Statistics(*counts, self._players, self._variants, self._left_out)

    def add(self, summary: Summary, file: str = "") -> Counted:
        """Count one more replay and return its result; ``file`` is its path."""
        counted = self._count(summary)
        if counted in {Counted.LEFT_OUT, Counted.UNFINISHED}:
            report = summary.report  # It may have megabytes of evidence.
            brief = Report(report.verdict, report.game, reason=report.reason, step=report.step, failure=report.failure)
            self._left_out.append((file, brief))
        return counted

    def _count(self, summary: Summary) -> Counted:
        self._files += 1
        report = summary.report
        if report.verdict == "invalid" or report.game is None:
            return Counted.LEFT_OUT
        game, course = bytes.fromhex(report.game), summary.course if report.verdict == "verified" else None
        if game in self._games or (course is None and game in self._unfinished):
            self._duplicates += 1
            return Counted.DUPLICATE
        players = [self._player(player) for player in report.players]
        if course is None:
            for counted in players:
                counted.unfinished += 1
            self._unfinished[game] = players
            return Counted.UNFINISHED
        for counted in self._unfinished.pop(game, ()):
            counted.unfinished -= 1
        self._games.add(game)
        winners = report.result.winners if report.result else ()
        for player, counted in zip(report.players, players, strict=True):
            counted.drawn += not winners
            counted.won += player.seat in winners
            counted.lost += bool(winners) and player.seat not in winners
        self._add_course(course, winners)
        return Counted.GAME

    def _add_course(self, course: Course, winners: Sequence[SeatNumber]) -> None:
        board, first = KNOWN_VARIANTS[course.variant].board, team_of(course.first_seat, course.teams)
        counted = self._variants.setdefault(course.variant, VariantCount([0] * len(board.grid)))
        counted.games += 1
        counted.drawn += not winners
        counted.first_mover_won += any(team_of(seat, course.teams) == first for seat in winners)
        counted.reshuffled += course.reshuffles > 0
        counted.reshuffles += course.reshuffles
        counted.passes += course.passes
        counted.exchanges += course.exchanges
        counted.sequences += course.sequences
        counted.turns[course.turns] += 1
        counted.openings.update([course.opening] if course.opening else [])
        counted.players[course.players] += 1
        for square in course.placed:
            counted.squares[square] += 1

    def _player(self, player: Player) -> PlayerCount:
        counted = self._players.setdefault(player.key, PlayerCount())
        if player.name not in counted.names and len(counted.names) < NAMES_MAX:
            counted.names += (player.name,)
        return counted


@dataclass
class _Noted:
    """The notes of one reading of the file."""

    reading: Reading
    first_seat: SeatNumber = 0
    actions: list[Action] = field(default_factory=list[Action])

    def take(self, events: tuple[Event, ...]) -> None:
        for event in events:
            if isinstance(event, Dealt):
                self.first_seat = self.reading.match.game.table_position().to_move
            elif isinstance(event, Turned):
                self.actions.append(event.action)

    def course(self) -> Course:
        """Return the course so far, after the deal."""
        game = self.reading.match.game
        position, settings = game.table_position(), game.agreement.settings
        kinds = Counter(action.kind for action in self.actions)
        placed = [action for action in self.actions if action.kind == "place"]
        return Course(
            variant=game.variant.name,
            players=settings.players,
            teams=settings.teams,
            first_seat=self.first_seat,
            turns=position.turn,
            reshuffles=position.reshuffles,
            passes=kinds["pass"],
            exchanges=kinds["exchange"],
            sequences=len(position.sequences),
            opening=format_action(game.variant, placed[0]) if placed else "",
            placed=tuple(action.square for action in placed),
        )
