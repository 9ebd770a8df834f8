"""Bytes that prove nothing against a seat: their sender bears it alone, and the game goes on to its end."""

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
import trio

from seqp2p.live.mesh import Mesh
from seqp2p.live.seat_session import OPENINGS_WAIT_S
from seqp2p.live.session import SeatRunner
from seqp2p.match.contribution import Contribution, TurnBody, make_payload
from seqp2p.match.machine import Match
from seqp2p.match.pending import ROOMS
from seqp2p.match.signed import ReleasedSecret
from seqp2p.net.errors import LinkLost
from seqp2p.net.frames import frame
from seqp2p.net.gossip import GossipItem
from seqp2p.net.messages import (
    ContributionMessage,
    EvidenceMessage,
    Have,
    Hurry,
    OpeningMessage,
    RemarkMessage,
    Signed,
    WireMessage,
)
from tests.live.parties import LIMITS, Party, Thinker, checked, of_kind
from tests.table import altered, identity, signed

FOE = 2


def message(contribution: Contribution) -> ContributionMessage:
    return ContributionMessage(contribution.payload, contribution.signature)


def last(match: Match) -> Contribution:
    """The last contribution of the record."""
    return match.record[-1].contributions[-1][1]


def at_step(match: Match, step: int, prev: bytes) -> Contribution:
    """Something that the foe has signed, for this step on this past."""
    return signed(identity(FOE), make_payload(match.game.id, step, prev, FOE, "turn", TurnBody("pass", (), b"", b"")))


def forged(match: Match) -> list[WireMessage]:
    own = last(match)
    return [ContributionMessage(own.payload, bytes(64))]


def nobodys(match: Match) -> list[WireMessage]:
    return [ContributionMessage(b"\x80", bytes(64))]


def no_such_seat(match: Match) -> list[WireMessage]:
    return [message(altered(identity(FOE), last(match), seat=9))]


def other_game(match: Match) -> list[WireMessage]:
    return [message(altered(identity(FOE), at_step(match, match.number, match.head), game=bytes(32)))]


def forged_evidence(match: Match) -> list[WireMessage]:
    return [EvidenceMessage((Signed(last(match).payload, bytes(64)),))]


def forged_remark(match: Match) -> list[WireMessage]:
    return [RemarkMessage(last(match).payload, bytes(64))]


async def attacked(party: Party, make: Callable[[Match], list[WireMessage]], times: int = 1) -> None:
    """While seat 1 thinks for a minute, the foe sends it this on a link of its own; the game goes on to its end."""
    thinker = Thinker(1, sleep_s=60)
    party.sit(1, thinker)
    party.sit_others()
    async with party.playing():
        await thinker.asleep.wait()
        for _ in range(times):
            raw = await party.raw(FOE, to=1)
            await raw.say(*make(party[1].match))
            await raw.drain()
            await trio.sleep(10)
    assert len(set(party.results.values())) == 1
    checked(party)


@pytest.mark.parametrize("make", [forged, nobodys, no_such_seat, other_game, forged_evidence, forged_remark])
async def test_what_nobody_signed_is_its_senders_fault(
    virtual_time: object, tmp_path: Path, make: Callable[[Match], list[WireMessage]]
) -> None:
    """The link ends, and is made again."""
    party = Party(tmp_path, 2, open_hands=False)
    await attacked(party, make)
    assert party[1].session.mesh._peers[FOE].faults == 1


async def test_three_faults_and_the_game_goes_on_by_way_of_others(virtual_time: object, tmp_path: Path) -> None:
    party = Party(tmp_path, 3)
    await attacked(party, forged, times=LIMITS.faults_max)
    assert party[1].session.mesh._peers[FOE].faults == LIMITS.faults_max


async def test_garbage_frames(virtual_time: object, tmp_path: Path) -> None:
    party = Party(tmp_path, 2, open_hands=False)
    thinker = Thinker(1, sleep_s=60)
    party.sit(1, thinker)
    party.sit_others()
    async with party.playing():
        await thinker.asleep.wait()
        for garbage in (frame(b"\xc1"), b"\xff" * 100):
            raw = await party.raw(FOE, to=1)
            await raw.frames.send(garbage)
            await raw.drain()
            await trio.sleep(10)
    checked(party)
    assert party[1].session.mesh._peers[FOE].faults == 2


def known(match: Match) -> list[WireMessage]:
    return [message(last(match))] * 300


def evidence_of_nothing(match: Match) -> list[WireMessage]:
    """Honest contributions, held up as evidence."""
    closed = match.record[-1].contributions
    return [EvidenceMessage(tuple(Signed(each.payload, each.signature) for _, each in closed[:2]))] * 50


def future(match: Match) -> list[WireMessage]:
    return [
        message(at_step(match, match.number + 1000 - ahead, match.head))
        for ahead in range(2 * ROOMS[Contribution].places)
    ]


def two_futures(match: Match) -> list[WireMessage]:
    """Many versions of one step."""
    return [message(at_step(match, match.number + 1000, bytes([number]) * 32)) for number in range(50)]


def other_past(match: Match) -> list[WireMessage]:
    """Contributions that fit no past, to the open step and to all before it."""
    return [message(at_step(match, step, bytes(32))) for step in range(match.number, 0, -1)]


def asking(match: Match) -> list[WireMessage]:
    return [Have(1, ())] * 500


def hurrying(match: Match) -> list[WireMessage]:
    return [Hurry(step) for step in range(1, match.number + 10)]


@pytest.mark.parametrize(
    "make",
    [known, evidence_of_nothing, future, two_futures, other_past, asking, hurrying],
    ids=lambda make: make.__name__,
)
async def test_what_is_of_no_use_is_no_fault_and_holds_nobody_up(
    virtual_time: object, tmp_path: Path, make: Callable[[Match], list[WireMessage]]
) -> None:
    party = Party(tmp_path, 2, open_hands=False)
    thinker = Thinker(1, sleep_s=60)
    party.sit(1, thinker)
    party.sit_others()
    async with trio.open_nursery() as nursery:
        async with party.playing():
            await thinker.asleep.wait()
            raw = await party.raw(FOE, to=1)
            nursery.start_soon(raw.drain)
            await raw.say(*make(party[1].match))
            await trio.sleep(30)
            session = party[1].session
            assert len(session.core.intake.pending) <= ROOMS[Contribution].places
            await raw.frames.abort()
        nursery.cancel_scope.cancel()
    checked(party)
    assert party[1].session.mesh._peers[FOE].faults == 0
    assert trio.current_time() < 61, "everybody moves on at once"


async def test_another_past_is_asked_for_only_while_the_step_is_open(virtual_time: object, tmp_path: Path) -> None:
    party = Party(tmp_path, 3)
    thinker = Thinker(1, sleep_s=60)
    party.sit(1, thinker)
    party.sit_others()
    async with party.playing():
        await thinker.asleep.wait()
        session = party[1].session
        number = session.match.number
        assert session.core.store.have() == (number, frozenset())
        raw = await party.raw(FOE, to=1)
        # Not the open step's: what has been agreed on is not opened again.
        await raw.say(message(at_step(session.match, 1, bytes(32))))
        await trio.sleep(1)
        assert session.core.store.have() == (number, frozenset())
        for back in (1, 2):
            await raw.say(message(at_step(session.match, number + 1 - back, bytes(32))))
            await trio.sleep(1)
            assert session.core.store.have() == (number - back, frozenset())
        await raw.say(message(at_step(session.match, number, bytes(32))))
        await trio.sleep(1)
        assert session.core.store.have() == (number - 2, frozenset())
        await raw.frames.abort()
    assert session.core.store.have() == (session.match.number, frozenset())
    checked(party)


# Secrets at the end.


async def test_false_secrets_before_the_end(virtual_time: object, tmp_path: Path) -> None:
    """They take no seat's place: the true ones count, and the sender of the false ones is at fault at once."""
    party = Party(tmp_path, 3)
    thinker = Thinker(1, sleep_s=60)
    party.sit(1, thinker)
    party.sit_others()
    async with trio.open_nursery() as nursery:
        async with party.playing():
            await thinker.asleep.wait()
            raw = await party.raw(FOE, to=1)
            nursery.start_soon(raw.stay)
            nursery.start_soon(raw.drain)
            false = (OpeningMessage(seat, secret) for seat in range(1, 4) for secret in (bytes(31) + b"\1", bytes(32)))
            with contextlib.suppress(LinkLost):
                await raw.say(*false)
        nursery.cancel_scope.cancel()
    checked(party)
    assert all(len(of_kind(place, "OpeningRecord")) == 3 for place in party.places.values())
    assert party[1].session.mesh._peers[FOE].faults >= 1


class Closed(SeatRunner):
    """Keeps its own secret, and says another."""

    secret = bytes(31) + b"\2"

    async def _open_hands(self, *, linger: bool) -> None:
        assert not linger
        self.mesh.pass_on(ReleasedSecret(self.core.seat.number, self.secret))
        await trio.sleep(60)


@pytest.mark.parametrize("secret", [bytes(31) + b"\2", bytes(32), b"\xff" * 32], ids=["another", "none", "too large"])
async def test_a_seat_that_does_not_open_its_hand(
    virtual_time: object, tmp_path: Path, secret: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The game is verified all the same: the moves prove themselves."""
    monkeypatch.setattr(Closed, "secret", secret)
    party = Party(tmp_path, 3)
    party.sit(FOE, kind=Closed)
    party.sit_others()
    async with party.playing():
        pass
    checked(party)
    for seat in (1, 3):
        assert len(of_kind(party[seat], "OpeningRecord")) == 2
        assert party[seat].session.mesh._peers[FOE].faults >= 1
        assert party[seat].ended_at < OPENINGS_WAIT_S + LIMITS.close_s + 1


class Whispering(Mesh):
    """Sends what is its own seat's to one neighbour only."""

    to = 1

    def _spread(self, item: GossipItem, data: bytes) -> None:
        if item.author == self._table.seat:
            peer = self._peers[self.to]
            if peer.links:
                peer.links[-1].send_frame(data)
            return
        super()._spread(item, data)


class Whisperer(SeatRunner):
    """Answers nobody who asks for what it has, once all are linked."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        store = cast("Any", self.core.store)
        self._missing, store.missing = store.missing, self.missing

    def missing(self, step: int, seats: frozenset[int]) -> list[tuple[int, int, Contribution]]:
        return [each for each in self._missing(step, seats) if each[0] == 1]


class Whispered(Party):
    def mesh(self, seat: int) -> Mesh:
        mesh = super().mesh(seat)
        if seat == FOE:
            mesh.__class__ = type("CalmWhispering", (Whispering, mesh.__class__), {})
        return mesh


@pytest.mark.parametrize("players", [3, 4])
async def test_a_seat_that_sends_its_part_to_one_other_only(virtual_time: object, tmp_path: Path, players: int) -> None:
    party = Whispered(tmp_path, players)
    party.sit(FOE, kind=Whisperer)
    await party.play()
    checked(party)
    assert len(set(party.results.values())) == 1
