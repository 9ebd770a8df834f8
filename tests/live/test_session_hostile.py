"""Bytes that prove nothing against a seat: their sender bears it alone, and the game goes on to its end."""

from collections.abc import Callable
from pathlib import Path

import pytest
import trio

from seqp2p.live.seat_session import OPENINGS_WAIT_S
from seqp2p.live.session import SeatRunner
from seqp2p.match.contribution import Contribution, TurnBody, make_payload
from seqp2p.match.intake import ROOMS
from seqp2p.match.machine import Match
from seqp2p.match.signed import ReleasedSecret
from seqp2p.net.messages import (
    ContributionMessage,
    Have,
    WireMessage,
)
from tests.live.parties import LIMITS, Party, Thinker, checked, of_kind
from tests.table import identity, signed

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


async def test_what_no_seat_signed_is_its_senders_fault(virtual_time: object, tmp_path: Path) -> None:
    """The link ends, and is made again. tests/sim/adversaries has all that can be forged."""
    party = Party(tmp_path, 2, open_hands=False)
    await attacked(party, forged)
    assert party[1].session.mesh._peers[FOE].faults == 1


async def test_three_faults_and_the_game_goes_on_by_way_of_others(virtual_time: object, tmp_path: Path) -> None:
    party = Party(tmp_path, 3)
    await attacked(party, forged, times=LIMITS.faults_max)
    assert party[1].session.mesh._peers[FOE].faults == LIMITS.faults_max


def future(match: Match) -> list[WireMessage]:
    return [
        message(at_step(match, match.number + 1000 - ahead, match.head))
        for ahead in range(2 * ROOMS[Contribution].places)
    ]


def asking(match: Match) -> list[WireMessage]:
    return [Have(1, ())] * 500


@pytest.mark.parametrize("make", [future, asking], ids=lambda make: make.__name__)
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
        await trio.sleep(2)  # The others' heads have made all closed steps final.
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


class Closed(SeatRunner):
    """Keeps its own secret, and says another."""

    async def _open_hands(self, *, linger: bool) -> None:
        assert not linger
        self.mesh.relay.pass_on(ReleasedSecret(self.core.seat.number, bytes(31) + b"\2"))
        await trio.sleep(60)


async def test_a_seat_that_does_not_open_its_hand(virtual_time: object, tmp_path: Path) -> None:
    """The game is verified all the same: the moves prove themselves."""
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
