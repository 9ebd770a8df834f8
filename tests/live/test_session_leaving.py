"""Seats that leave, fail or are cancelled, under trio: who is left ends soon, says why, and loses nothing."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest
import trio

from seqp2p.live.absence import GOODBYE_WAIT_S, Absent
from seqp2p.live.game import TICK_S, LiveGame
from seqp2p.live.seat_session import OPENINGS_WAIT_S, InboxItem, Leaving, Saying, SeatSession
from seqp2p.lobby.table import AgreedTable
from seqp2p.match.contribution import Contribution, StepKind
from seqp2p.match.events import Dealt, Finished, Seated, Shuffled, Turned
from seqp2p.match.signed import ReleasedSecret
from seqp2p.net.frames import FrameStream
from seqp2p.replay.sidecar import OlderCopy
from seqp2p.rules import Action, View
from tests.live.parties import LIMITS, Lottery, Party, Scribe, Thinker, checked, credentials, went_on
from tests.net.tools import tls_pair

PHASES: tuple[StepKind, ...] = ("seat", "deal", "over")
SOON_S = GOODBYE_WAIT_S + TICK_S + LIMITS.close_s + 0.1


@asynccontextmanager
async def stopped(party: Party, kind: str, seat: int) -> AsyncGenerator[trio.Nursery]:
    """A game with one that contributes nothing any more from such a step on; the block begins there."""
    done = trio.Event()

    class Stopper(SeatSession):
        async def _contribute(self, own: Contribution) -> None:
            if self.match.kind != kind:
                await super()._contribute(own)
                return
            done.set()
            cast("Any", self.seat).owes = lambda _match: False

    party.sit(seat, session=Stopper)
    party.sit_others()
    async with party.playing() as nursery:
        await done.wait()
        yield nursery


def complete(party: Party) -> None:
    """The replays have all that was recorded, and are signed as unfinished."""
    for seat, place in party.places.items():
        report = place.report()
        assert report.verdict == "unfinished"
        assert report.reason is not None
        assert f"at step {place.match.number}" in report.reason
        assert "waiting for seat " in report.reason or "not signed" in report.reason
        assert report.writer == party.agreement.seats[seat - 1].key.hex()
        assert len(place.steps()) == place.match.final
        assert len(place.of_kind("OpenRecord")) == sum(bool(step.held) for step in place.match.chain.live)


@pytest.mark.parametrize("kind", PHASES)
@pytest.mark.parametrize("cancelled", [False, True], ids=["leave", "cancel"])
async def test_leaving_where_nobody_can_vote(virtual_time: object, tmp_path: Path, kind: str, cancelled: bool) -> None:
    """Politely, or because everything is cancelled: the others are told, and wait for nobody."""
    party = Party(tmp_path, 3)
    async with stopped(party, kind, 3):
        await trio.sleep(1)
        left_at = trio.current_time()
        if cancelled:
            party[2].scope.cancel()
        else:
            await party[2].game.put(Leaving("tired"))
        if kind == "over":
            party[3].scope.cancel()  # It waits for nobody but itself.
    assert max(place.ended_at for place in party.places.values()) <= left_at + SOON_S
    if kind == "over":
        # Two of three have signed the end: it holds, whoever leaves now, and who leaves has a result.
        result = party[1].result
        assert result is not None
        assert result.kind == "won"
        assert party[2].result == (None if cancelled else result)
        for seat in (1, 2):
            report = party[seat].report()
            assert (report.verdict, report.result) == ("verified", result)
        return
    assert party[1].reason == party[3].reason == f"{party.name(2)} left the table"
    assert party[2].result is None if cancelled else party[2].reason == "tired"
    complete(party)


async def test_cancelled_before_anything(virtual_time: object, tmp_path: Path) -> None:
    party = Party(tmp_path, 2)
    party.sit_others()
    for place in party.places.values():
        place.scope.cancel()
    async with party.playing():
        pass
    assert [place.result for place in party.places.values()] == [None, None]
    checked(party, "unfinished")


async def test_all_leave_at_once(virtual_time: object, tmp_path: Path) -> None:
    party = Party(tmp_path, 3)
    async with stopped(party, "turn", 3) as nursery:
        for place in party.places.values():
            nursery.start_soon(place.game.put, Leaving("bored"))
    assert set(party.reasons.values()) == {"bored"}
    complete(party)


async def test_leaving_and_talking_at_the_end_and_after_it_do_nothing(virtual_time: object, tmp_path: Path) -> None:
    party = Party(tmp_path, 2, open_hands=False)
    party.sit_others()
    async with party.playing() as nursery:
        await party.until(1, lambda match: match.game.result is not None)
        nursery.start_soon(party[1].game.put, Leaving("too late"))
    await party[1].game.put(Leaving("too late"))
    await party[1].game.put(Saying("too late"))
    checked(party)
    for place in party.places.values():
        assert not place.of_kind("OpeningRecord"), "hands stay closed where the table wants it"
        assert not place.match.openings


class Broken(Lottery):
    async def pick(self, view: View, refused: str | None) -> Action:
        raise ZeroDivisionError


async def failing(party: Party, error: type[Exception]) -> None:
    """The session of seat 2 raises this; the others go on without it, sooner or later."""
    party.sit_others()
    raised: list[ExceptionGroup[Exception]] = []

    async def run() -> None:
        try:
            await party.run(party[2])
        except* error as group:
            raised.append(group)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run)
        for seat in (1, 3):
            nursery.start_soon(party.run, party[seat])
    assert len(raised) == 1
    went_on(party, 2)
    assert party[2].report().verdict == "unfinished"
    assert not party[2].of_kind("EndRecord")
    assert party[2].steps()


async def test_a_player_that_fails(virtual_time: object, tmp_path: Path) -> None:
    """The seat stops for now, as when it is cancelled: its replay has no end, and the others wait for it."""
    party = Party(tmp_path, 3, grace_s=30)
    party.sit(2, Broken())
    await failing(party, ZeroDivisionError)
    assert party[2].game.stopped
    assert party[1].ended_at >= 30


class Older(SeatSession):
    """A session that is told of signatures which its file lacks."""

    async def take(self, item: InboxItem) -> None:
        await super().take(item)
        if self.match.kind == "turn":
            self.stopped = OlderCopy()


async def test_a_seat_that_may_sign_nothing_more_says_no_goodbye(virtual_time: object, tmp_path: Path) -> None:
    party = Party(tmp_path, 3, grace_s=30)
    party.sit(2, session=Older)
    await failing(party, OlderCopy)
    assert not party[2].game.stopped
    assert not any(event.later for event in party[1].events if isinstance(event, Absent))


async def test_a_disk_that_is_full(virtual_time: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    party = Party(tmp_path, 3)
    party.sit(2)
    real = Scribe._write

    def write(scribe: Scribe, data: bytes) -> None:
        if scribe is party[2].writer and party[2].match.kind == "turn":
            raise OSError("the disk is full")
        real(scribe, data)

    monkeypatch.setattr(Scribe, "_write", write)
    await failing(party, OSError)


def go(party: Party, seat: int, *, dies: bool) -> None:
    if dies:
        party.crash(seat)
    else:
        party[seat].scope.cancel()


@pytest.mark.parametrize("dies", [True, False], ids=["dies", "leaves"])
async def test_one_of_three_is_gone_at_the_end(virtual_time: object, tmp_path: Path, dies: bool) -> None:
    """The majority has signed: the result holds. A goodbye need not be waited on."""
    party = Party(tmp_path, 3, grace_s=30)
    async with stopped(party, "over", 3):
        await trio.sleep(1)
        gone_at = trio.current_time()
        go(party, 3, dies=dies)
    for seat in (1, 2):
        result = party[seat].result
        assert result is not None
        assert (result.kind, result.reason) == ("won", "")
        report = party[seat].report()
        assert (report.verdict, report.result) == ("verified", result)
        assert not party[seat].of_kind("OpeningRecord")
        waited_s = party[seat].ended_at - gone_at
        assert 30 <= waited_s <= 30 + 2 * TICK_S + SOON_S if dies else waited_s <= SOON_S


@pytest.mark.parametrize("dies", [True, False], ids=["dies", "stops"])
async def test_one_of_two_is_gone_at_the_end(virtual_time: object, tmp_path: Path, dies: bool) -> None:
    party = Party(tmp_path, 2, grace_s=30)
    async with stopped(party, "over", 2):
        await party.until(1, lambda match: match.kind == "over")
        go(party, 2, dies=dies)
    assert party[1].reason == f"{party.name(2)} could not be reached for 30 s"
    assert party[1].game.resumable
    assert party[1].report().writer is None, "it is not signed as unfinished, because it can go on"


class Slowpoke(LiveGame):
    """Takes its time before it opens its hand."""

    async def _open_hands(self, _session: SeatSession, *, linger: bool) -> None:
        assert not linger
        await trio.sleep(3 * OPENINGS_WAIT_S)


async def test_leaving_while_others_open_their_hands(virtual_time: object, tmp_path: Path) -> None:
    party = Party(tmp_path, 3)
    party.sit(3, game=Slowpoke)
    party.sit_others()
    async with party.playing():
        await party.until(1, lambda match: match.game.result is not None)
        await trio.sleep(1)
        await party[1].game.put(Saying("well played"))
        await party[1].game.put(Leaving("tired"))
    assert party[1].result == party[2].result
    assert party[1].ended_at <= 1 + LIMITS.close_s + 0.1
    assert OPENINGS_WAIT_S <= party[2].ended_at <= OPENINGS_WAIT_S + LIMITS.close_s + 0.1
    for seat in (1, 2):
        assert party[seat].report().verdict == "verified"


async def test_cancelled_after_the_end(virtual_time: object, tmp_path: Path) -> None:
    party = Party(tmp_path, 2)
    party.sit(2, game=Slowpoke)
    party.sit_others()
    async with party.playing():
        await party.until(1, lambda match: match.game.result is not None)
        await trio.sleep(1)
        for place in party.places.values():
            place.scope.cancel()
    assert [place.report().verdict for place in party.places.values()] == ["verified"] * 2


class Closed(LiveGame):
    """Keeps its own secret, and says another."""

    async def _open_hands(self, _session: SeatSession, *, linger: bool) -> None:
        assert not linger
        self.mesh.relay.pass_on(ReleasedSecret(self.own.number, bytes(31) + b"\2"))
        await trio.sleep(60)


async def test_a_seat_that_does_not_open_its_hand(virtual_time: object, tmp_path: Path) -> None:
    """The game is verified all the same: the moves prove themselves."""
    party = Party(tmp_path, 3)
    party.sit(2, game=Closed)
    await party.play()
    checked(party)
    for seat in (1, 3):
        assert len(party[seat].of_kind("OpeningRecord")) == 2
        assert party[seat].game.mesh._peers[2].faults >= 1
        assert party[seat].ended_at < OPENINGS_WAIT_S + LIMITS.close_s + 1


# Whole games between sessions under trio. tests/sim has those on bad networks, tests/api those over real sockets.


async def test_a_whole_game(virtual_time: object, tmp_path: Path) -> None:
    party = Party(tmp_path, 3)
    await party.play()
    (result,) = set(party.results.values())
    assert result is not None
    assert result.kind in ("won", "drawn")
    assert {report.result for report in checked(party)} == {result}
    for place in party.places.values():
        assert len(place.of_kind("OpeningRecord")) == 3
        assert place.steps() == party[1].steps()
        assert place.game._send.statistics().max_buffer_size == 0, "a link crowds out another"
        kinds = [type(event) for event in place.events]
        assert kinds[:5] == [Seated, *[Shuffled] * 3, Dealt]
        assert kinds[-1] is Finished
        assert [event for event in place.events if isinstance(event, Turned)] == [
            event for event in party[1].events if isinstance(event, Turned)
        ]
    assert trio.current_time() < 1, "nobody waits for anything but the others"


class Lobbied(Party):
    """A table as the lobby leaves it: the host linked with everybody, and nobody with addresses, or all."""

    links: dict[int, dict[int, FrameStream]]

    async def lobby(self, *, addresses: bool) -> None:
        self.links = {seat: {} for seat in range(1, self.players + 1)}
        self._addresses = addresses
        for guest in range(2, self.players + 1):
            self.links[1][guest], link = await tls_pair(credentials(1), credentials(guest))
            self.links[guest][1] = link.frames

    def table(self, seat: int) -> AgreedTable:
        table = super().table(seat)
        addresses = table.addresses if self._addresses else {}
        return AgreedTable(table.credentials, table.agreement, seat, addresses, table.listeners, self.links[seat])


async def test_the_links_of_the_lobby_are_enough(virtual_time: object, tmp_path: Path) -> None:
    party = Lobbied(tmp_path, 3)
    await party.lobby(addresses=False)
    await party.play()
    checked(party)
    assert trio.current_time() < 1


async def test_the_hosts_links_are_but_links(virtual_time: object, tmp_path: Path) -> None:
    """They break in mid-game, and the game goes on over others."""
    party = Lobbied(tmp_path, 3)
    await party.lobby(addresses=True)
    thinker = Thinker(1, sleep_s=20)
    party.sit(1, thinker)
    party.sit_others()
    async with party.playing():
        await thinker.asleep.wait()
        for frames in party.links[1].values():
            await frames.abort()
    checked(party)
    assert 20 <= trio.current_time() < 21
