"""A table in memory, the same for the same seed: agreements, seats, whole games, and forged contributions.

A shuffle of the large deck takes 35 ms to make and as long to check. So ``played`` plays a game once and keeps its
contributions, and ``match_at`` gives a match that has taken them up to any step.
"""

import random
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import pytest

from seqp2p.arena import conformance
from seqp2p.crypto.group import Randomness
from seqp2p.crypto.hashing import CONTRIBUTION
from seqp2p.crypto.identity import Identity, sign
from seqp2p.match.ballots import Decree
from seqp2p.match.chain import ClosedStep
from seqp2p.match.contribution import Contribution, open_envelope
from seqp2p.match.encoding import pack, unpack
from seqp2p.match.errors import Violation
from seqp2p.match.events import Event
from seqp2p.match.intake import Applied
from seqp2p.match.machine import Match
from seqp2p.match.seat import SeatKeys
from seqp2p.match.signed import SignedLeave
from seqp2p.match.table import USUAL_OPTIONS, Agreement, SeatEntry, Settings, encode_agreement
from seqp2p.replay.writer import ReplayWriter
from seqp2p.rules import KNOWN_VARIANTS, Action, Line, Square, Variant, View, default_teams, format_position
from seqp2p.rules.view import CORNER

Choose = Callable[[View], Action]
Until = Callable[[Match], bool]


def randomness(seed: object) -> Randomness:
    """The same randomness for the same seed."""
    return random.Random(repr(seed)).randbytes


def identity(seat: int, seed: int = 1) -> Identity:
    """The identity of a seat at the table of this seed."""
    return Identity.generate(randomness(("identity", seed, seat)))


def make_settings(players: int, variant: str = "classic", **changes: Any) -> Settings:
    """Settings that can be played; ``changes`` are fields of Settings."""
    rules = KNOWN_VARIANTS[variant]
    teams = changes.pop("teams", None) or default_teams(rules, players)
    settings = Settings(
        variant=variant,
        players=players,
        teams=teams,
        colours=rules.colours[:teams],
        **USUAL_OPTIONS,
        turn_time_s=0,
        grace_s=120,
    )
    return msgspec.structs.replace(settings, **changes)


def make_agreement(players: int, variant: str = "classic", seed: int = 1, **changes: Any) -> Agreement:
    """An agreement that can be played."""
    fresh = randomness(("nonces", seed))
    seats = tuple(SeatEntry(f"player {seat}", identity(seat, seed).public, fresh(32)) for seat in range(1, players + 1))
    return Agreement(1, make_settings(players, variant, **changes), seats)


def named(agreement: Agreement, *names: str) -> Agreement:
    """The agreement with other names."""
    seats = tuple(msgspec.structs.replace(seat, name=name) for seat, name in zip(agreement.seats, names, strict=True))
    return msgspec.structs.replace(agreement, seats=seats)


def make_seats(players: int, seed: int = 1) -> list[SeatKeys]:
    """The seats' own sides, with secrets of this seed."""
    return [SeatKeys(seat, identity(seat, seed), randomness(("seat", seed, seat))) for seat in range(1, players + 1)]


def at_random(seed: object) -> Choose:
    """Any legal action, each as likely as the others."""
    dice = random.Random(repr(seed))
    return lambda seen: dice.choice(seen.legal)


def peaceful(seed: object) -> Choose:
    """Places chips and completes no sequence while it can: long games with a reshuffle, exchanges and passes."""
    dice = random.Random(repr(seed))
    return lambda seen: conformance.peaceful(seen, dice)


def soon(seed: object) -> Choose:
    """By lot among the actions by which a line comes nearest to a sequence: games that are soon over."""
    dice = random.Random(repr(seed))
    return lambda seen: dice.choice(nearest(seen))


def nearest(seen: View) -> list[Action]:
    """The legal actions by which a line comes nearest to a sequence."""
    worth = {action: chips_beside(seen, action) for action in seen.legal}
    return [action for action in seen.legal if worth[action] == max(worth.values())]


def chips_beside(seen: View, action: Action) -> int:
    """How many chips the best line through the square of a placement has already, if no other team has one in it."""
    if action.kind != "place":
        return -1
    own = (seen.team, CORNER)
    lines = [[seen.board[at] for at in line if at != action.square] for line in lines_at(seen.variant, action.square)]
    return max((sum(chip in own for chip in line) for line in lines if {*line} <= {0, *own}), default=0)


@cache
def lines_at(variant: Variant, square: Square) -> list[Line]:
    """The lines of the board that a square lies in."""
    return [line for line in variant.board.lines if square in line]


# The steps that take an action of the rules.
ACTIONS = ("turn", "discard", "late")

POLICIES: dict[str, Callable[[object], Choose]] = {"random": at_random, "peaceful": peaceful, "soon": soon}


def due(match: Match, seats: list[SeatKeys], choose: Choose) -> Iterator[Contribution]:
    """What the open step waits for, in seat order."""
    for seat in seats:
        if seat.owes(match):
            yield contribution_of(match, seat, choose)


def contribution_of(match: Match, seat: SeatKeys, choose: Choose) -> Contribution:
    if match.kind in ACTIONS:
        return seat.play(match, choose(seat.view(match)))
    return seat.contribute(match)


def play(match: Match, seats: list[SeatKeys], choose: Choose, until: Until = lambda _match: False) -> list[Event]:
    """Play on until the end, or until the open step is one that ``until`` picks; returns the events."""
    events: list[Event] = []
    while match.kind is not None and not until(match):
        contributions = list(due(match, seats, choose))
        assert contributions, "somebody of these can go on"
        for contribution in contributions:
            events.extend(match.receive(contribution))
    return events


@dataclass(frozen=True, eq=False)
class Played:
    """A game that was played: nothing in here may be changed. ``kept`` are matches that have taken a part of it."""

    players: int
    variant: str
    seed: int
    agreement: bytes
    match: Match
    seats: tuple[SeatKeys, ...]
    events: tuple[Event, ...]
    kept: dict[int, Match] = field(default_factory=dict)

    @property
    def steps(self) -> tuple[ClosedStep, ...]:
        return tuple(self.match.record)

    def contribution(self, step: int, seat: int) -> Contribution:
        return dict(self.steps[step - 1].contributions)[seat]

    def step_of(self, kind: str, nth: int = 1) -> int:
        """The number of the nth step of this kind."""
        kinds = [open_envelope(step.contributions[0][1].payload).kind for step in self.steps]
        return [number for number, found in enumerate(kinds, 1) if found == kind][nth - 1]

    def seat(self, number: int) -> SeatKeys:
        return self.seats[number - 1]

    def identity(self, seat: int) -> Identity:
        return identity(seat, self.seed)


@cache
def played(players: int, variant: str = "classic", seed: int = 1, policy: str = "random", **changes: bool) -> Played:
    """A whole game, hands opened at the end where the table agreed to it; played once for the same arguments."""
    agreement = encode_agreement(make_agreement(players, variant, seed, **changes))
    match, seats = Match(agreement), make_seats(players, seed)
    events = play(match, seats, POLICIES[policy](seed))
    if match.game.agreement.settings.open_hands:
        for seat in seats:
            match.open_seat(seat.number, seat.release())
    return Played(players, variant, seed, agreement, match, tuple(seats), tuple(events))


def match_at(game: Played, step: int) -> Match:
    """A new match in which this step is open, and nothing is in for it."""
    return fork(shared_match_at(game, step))


def shared_match_at(game: Played, step: int) -> Match:
    """The same for tests that change nothing: what a match refuses leaves it as it was."""
    if step not in game.kept:
        earlier = max((at for at in game.kept if at < step), default=0)
        match = fork(game.kept[earlier]) if earlier else Match(game.agreement)
        for closed in game.steps[len(match.record) : step - 1]:
            for _, contribution in closed.contributions:
                match.receive(contribution)
        assert match.number == step
        game.kept[step] = match
    return game.kept[step]


def fork(match: Match) -> Match:
    """A match of its own that has come as far: nothing that can change is shared, and no proof is checked again."""
    other = copy(match)
    other.remarks = copy(match.remarks)
    other.remarks._chains = {seat: list(chain) for seat, chain in match.remarks._chains.items()}
    other.openings, other.left, other.proven = dict(match.openings), dict(match.left), dict(match.proven)
    other._heads = list(match._heads)
    chain = other.chain = copy(match.chain)
    chain.game, chain.record, chain._undone = chain.game.copy(), list(chain.record), dict(chain._undone)
    chain.live = [
        replace(
            step,
            before=step.before.copy(),
            held=dict(step.held),
            second={seat: list(others) for seat, others in step.second.items()},
            ballots=dict(step.ballots),
            decree=_fork_decree(step.decree),
        )
        for step in chain.live
    ]
    return other


def _fork_decree(decree: Decree) -> Decree:
    """What ``deepcopy`` makes of it, five times as fast: only what can change is copied."""
    other = copy(decree)
    other.cheats, other.complete = set(decree.cheats), list(decree.complete)
    other.votes = {round_: dict(votes) for round_, votes in decree.votes.items()}
    other._shown = {seat: dict(shown) for seat, shown in decree._shown.items()}
    other._above = {seat: set(above) for seat, above in decree._above.items()}
    return other


def snapshot(match: Match) -> tuple[object, ...]:
    """The state of a match as a value: equal before and after a refusal."""
    game, deck = match.game, match.game.deck
    return (
        (match.head, match.number, match.plan, match.awaited, match.held, match.confirmed, len(match.record)),
        (dict(match.openings), dict(game.commitments), dict(game.keys), game.joint_key, game.draw, game.result),
        (None if game.position is None else format_position(game.position), game.reshuffles, tuple(game.plans)),
        (tuple(deck.ciphertexts), deck.drawn, tuple(map(tuple, deck.hands)), dict(deck.partial)),
        (dict(deck.shown), tuple(deck.discards), deck.mixing),
        (tuple(game.heads), dict(game.placed_at), set(game.called), match.remarks.counts(game.players)),
    )


def signed(who: Identity, payload: bytes) -> Contribution:
    """These bytes as a contribution, signed by this identity."""
    return Contribution(payload, sign(who, CONTRIBUTION, payload))


def fields_of(contribution: Contribution) -> dict[str, Any]:
    """A payload as plain data, to be changed at will."""
    fields: dict[str, Any] = unpack(contribution.payload, len(contribution.payload))
    return fields


def altered(who: Identity, contribution: Contribution, **changes: Any) -> Contribution:
    """The same contribution with other fields in its envelope, signed again by this identity."""
    return signed(who, pack({**fields_of(contribution), **changes}))


def with_body(who: Identity, contribution: Contribution, **changes: Any) -> Contribution:
    """The same contribution with other fields in its body, signed again by this identity."""
    return altered(who, contribution, body={**fields_of(contribution)["body"], **changes})


def resigned(contribution: Contribution, signature: bytes) -> Contribution:
    """The same payload under another signature."""
    return replace(contribution, signature=signature)


def replay_of(
    match: Match, writer: SeatKeys, evidence: tuple[Contribution, ...] = (), directory: Path | None = None
) -> bytes:
    """The bytes of the replay that this seat writes of a match, finished."""
    if directory is None:
        with TemporaryDirectory() as fresh:
            return replay_of(match, writer, evidence, Path(fresh))
    path = directory / "game.seqp2p"
    with ReplayWriter(path, match) as replay:
        if evidence:
            with pytest.raises(Violation) as proved:
                match.weigh(evidence)
            replay.evidence(match, proved.value)
        for violation in match.proven.values():
            replay.evidence(match, violation)
        for seat, leave in match.left.items():
            replay.keep(match, Applied(SignedLeave(leave), seat, 0))
        replay.finish(match, writer.identity_key, writer.sign)
    return path.read_bytes()


@cache
def replay_bytes(game: Played, seat: int = 1) -> bytes:
    """The finished replay of a whole game, written by this seat."""
    return replay_of(game.match, game.seat(seat))
