"""Seats that sign what they must not: every replay proves it, and where a majority stays it goes on without them."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
import trio

from seqp2p.crypto import shuffle
from seqp2p.crypto.elgamal import encode_deck
from seqp2p.crypto.oracle import Context
from seqp2p.match.contribution import Contribution, ShuffleBody, TurnBody, make_payload
from seqp2p.match.events import Result, Voted
from seqp2p.match.machine import Match
from seqp2p.match.seat import SeatKeys
from seqp2p.net.messages import ContributionMessage, EvidenceMessage, Signed
from tests.live.parties import Crook, Party, Raw, Thinker, at, checked, of_kind, went_on
from tests.live.wires import SlowWires
from tests.table import fields_of, identity, randomness, signed

CROOK = 2
TWICE = "it signed two different "
Forge = Callable[[Crook, Contribution], Contribution]


def thrown_out(party: Party, reason: str, crook: int = CROOK) -> None:
    """The others have proof, have dropped the crook, and have played to the end."""
    went_on(party, crook)
    for place in party.places.values():
        if place.number != crook:
            assert reason in place.match.proven[crook].reason
            assert len(of_kind(place, "EvidenceRecord")) == 1
            assert {event.reason for event in place.events if isinstance(event, Voted)} <= {"cheated", "joined"}
    if crook in party.places:
        assert party[crook].result == Result("unfinished", (), "the others have voted to go on without you")


def caught(party: Party, reason: str, crook: int = CROOK) -> None:
    """Nobody can be voted out: everybody, the crook too, has ended because of the crook, and proves it."""
    reports = checked(party, "unfinished")
    for told, report in zip(party.reasons.values(), reports, strict=True):
        assert told.startswith(f"{party.name(crook)} cheated at step {report.step}: ")
        assert reason in told
        assert report.reason is not None
        assert report.reason.startswith(f"seat {crook} broke the rules at step {report.step}: ")
        assert reason in report.reason
    assert all(len(of_kind(place, "EvidenceRecord")) == 1 for place in party.places.values())


def crooked(party: Party, when: Callable[[Match], bool], what: Callable[..., Any], crook: int = CROOK) -> None:
    """Seat the crook, and honest people."""
    pause_s = 20 if isinstance(party.wires, SlowWires) else 0
    party.sit(crook, kind=Crook, when=when, what=what, pause_s=pause_s)
    party.sit_others()


# Before the first deal nobody can be voted out.
SETUP = ("shuffle",)


async def test_two_of_four(virtual_time: object, tmp_path: Path) -> None:
    """Nobody signs with a cheat in the game, and those who stay are no majority: it is over, and nobody waits."""
    party = Party(tmp_path, 4, grace_s=100)
    for crook in (2, 3):
        party.sit(crook)
    asleep = trio.Event()
    for honest in (1, 4):
        party.sit(honest, Thinker(1, sleep_s=100, asleep=asleep))
    async with party.playing():
        await asleep.wait()
        for crook in (2, 3):
            party.crash(crook)
        raw = await party.raw(2, to=1)
        await raw.say(*(EvidenceMessage(tuple(signed_twice(party[1].match, crook))) for crook in (2, 3)))
    for honest in (1, 4):
        result = party[honest].result
        assert result is not None
        assert result.kind == "unfinished"
        assert "cheated at step" in party[honest].reason
    assert trio.current_time() < 10


def signed_twice(match: Match, seat: int) -> list[Signed]:
    """Two different contributions of a seat to the open step."""
    made = (
        make_payload(match.game.id, match.number, match.head, seat, "turn", TurnBody(text, (), b"", b""))
        for text in ("pass", "draw")
    )
    return [Signed(each.payload, each.signature) for each in (signed(identity(seat), payload) for payload in made)]


def signed_turn(match: Match, seat: int, step: int) -> Contribution:
    """A turn by this seat at a step of the past or at the open one, on the true past."""
    prev = match.head if step == match.number else match.record[step - 1].prev
    payload = make_payload(match.game.id, step, prev, seat, "turn", TurnBody("pass", (), b"", b""))
    return signed(identity(seat), payload)


@pytest.mark.parametrize("back", [0, 3])
async def test_a_turn_that_is_not_its_own(virtual_time: object, tmp_path: Path, back: int) -> None:
    """By a link of its own, so that the crook's session is surprised too. ``back``: steps before the open one."""
    party = Party(tmp_path, 3)
    asleep = trio.Event()
    for seat in (1, 2, 3):
        party.sit(seat, Thinker(1, sleep_s=10, asleep=asleep))
    async with party.playing():
        await asleep.wait()
        await trio.sleep(1)
        (mover,) = party[1].match.awaited
        match = party[1].match
        step = match.number - back
        closed = () if back == 0 else match.record[step - 1].contributions
        crook = next(seat for seat in (3, 2, 1) if seat != mover and seat not in dict(closed))
        raw = await party.raw(crook, to=1 + crook % 3)
        own = signed_turn(match, crook, step)
        await raw.say(ContributionMessage(own.payload, own.signature))
    thrown_out(party, "it was not its step", crook)


# Equivocation: every version is right in itself.


def another(crook: Crook, own: Contribution) -> Contribution:
    """A second contribution to the open step that is as good as the first."""
    match, seat = crook.match, crook.seat
    if match.kind == "shuffle":
        return fresh_shuffle(seat, match, "another")
    played = fields_of(own)["body"]["action"]
    actions = [seat.play(match, action) for action in seat.view(match).legal]
    return next(each for each in actions if fields_of(each)["body"]["action"] != played)


def two_faced(*seats: int) -> Callable[[Crook, Contribution], Any]:
    """The honest contribution for these seats, another for the rest."""

    def deal(crook: Crook, own: Contribution) -> Iterable[tuple[Iterable[int], Contribution]]:
        return [(seats, own), (set(crook.others) - set(seats), another(crook, own))]

    return deal


@pytest.mark.parametrize(("kind", "seed"), [("shuffle", 0), ("turn", 1)])
async def test_two_faces_over_slow_links(virtual_time: object, tmp_path: Path, kind: str, seed: int) -> None:
    """The evidence overtakes what it builds on, and is kept whole until that is there."""
    party = Party(tmp_path, 4, wires=SlowWires(0.8, seed), without={(1, 4)})
    crooked(party, at(kind), two_faced(1 + 2 * (seed % 2)))
    async with party.playing():
        pass
    (caught if kind in SETUP else thrown_out)(party, TWICE)


class Puppets:
    """Seats 1 and 2 in one hand, which plays two games at once: one with seat 3, another with seat 4."""

    def __init__(self, party: Party) -> None:
        self.party = party
        self.seats = {seat: party.own_seat(seat) for seat in (1, 2)}
        self.matches = {seat: Match(party[3].match.agreement_bytes) for seat in (3, 4)}
        self.raws: dict[tuple[int, int], Raw] = {}

    async def link(self, nursery: trio.Nursery) -> None:
        for seat in self.seats:
            for to in self.matches:
                raw = self.raws[seat, to] = await self.party.raw(seat, to)
                nursery.start_soon(raw.stay)

    async def play(self) -> None:
        """Up to the second shuffle: what is shown to seats 3 and 4 is the same before the first."""
        for _ in ("seat", "reveal"):
            for seat, own in self.seats.items():
                await self.show(seat, dict.fromkeys(self.matches, own.contribute(self.matches[3])))
            number = self.matches[3].number
            for honest in (3, 4):
                shown = await self.seen(honest, number)
                for match in self.matches.values():
                    match.receive(shown)
        for seat, own in self.seats.items():
            await self.show(seat, {to: fresh_shuffle(own, match, to) for to, match in self.matches.items()})

    async def seen(self, honest: int, step: int) -> Contribution:
        await self.party.until(honest, lambda match: match.number > step)
        return dict(self.party[honest].match.record[step - 1].contributions)[honest]

    async def show(self, seat: int, contributions: dict[int, Contribution]) -> None:
        for to, contribution in contributions.items():
            self.matches[to].receive(contribution)
            await self.raws[seat, to].say(ContributionMessage(contribution.payload, contribution.signature))


def fresh_shuffle(own: SeatKeys, match: Match, seed: object) -> Contribution:
    context = Context(match.game.id, match.number, own.number, match.head)
    deck, proof = shuffle.shuffle_and_prove(match.game.deck.mixing, match.game.joint_key, context, randomness(seed))
    return own._sign(match, ShuffleBody(encode_deck(deck), proof))


async def test_two_pasts_that_part_further_back(virtual_time: object, tmp_path: Path) -> None:
    """The second contribution on each past is right there; it is the first that was shown in two versions."""
    party = Party(tmp_path, 4)
    for seat in (3, 4):
        party.sit(seat)
    puppets = Puppets(party)
    async with trio.open_nursery() as nursery:
        async with party.playing():
            await puppets.link(nursery)
            await puppets.play()
        nursery.cancel_scope.cancel()
    caught(party, TWICE, crook=1)
    assert party[3].report().step == 3
