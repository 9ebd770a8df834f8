"""A spectator before there is a table, and against a host that lies."""

from functools import partial
from pathlib import Path

import pytest
import trio

from seqp2p.live.mesh import Mesh
from seqp2p.live.spectator import Backlog
from seqp2p.live.spectator_session import Gone
from seqp2p.lobby.events import LobbyShown
from seqp2p.lobby.join import WaitingSpectator, watch_table
from seqp2p.lobby.spectators import SpectatorServer, spectator_server
from seqp2p.match.events import Remarked
from seqp2p.match.table import encode_agreement
from seqp2p.net import messages as wire
from seqp2p.net.addresses import Address
from seqp2p.net.auth import send
from seqp2p.net.dialling import Route
from seqp2p.net.errors import LinkLost, NetError, PeerError, PeerRefused
from seqp2p.net.frames import FrameStream
from tests.live.parties import credentials as seat_credentials
from tests.lobby.hall import Seen, spectator
from tests.lobby.house import LyingHost, Opened, Player, Script, telling
from tests.net.tools import Seat, address_of, refused
from tests.table import make_agreement, played, randomness

pytestmark = pytest.mark.usefixtures("cheap_codes")

A32, A64 = bytes(32), bytes(64)
AGREEMENT = make_agreement(2, "kids", grace_s=5)
TABLE = wire.Watching(encode_agreement(AGREEMENT))


@pytest.fixture
async def spectators(nursery: trio.Nursery) -> SpectatorServer:
    return SpectatorServer(nursery, 5)


async def test_a_spectator_is_let_in_before_the_start_and_shown_the_seats(
    autojump_clock: object, house: Opened, nursery: trio.Nursery, spectators: SpectatorServer
) -> None:
    made, watching = await house(2, spectators=spectators), Player()
    nursery.start_soon(partial(made.watch, 20, on_event=watching.events.append))
    await trio.sleep(60)  # The lobby may take long: both sides show that they are there.
    await made.enter(2)
    await trio.sleep(1)
    assert len(spectators.feed.readers) == 1, "the end of the lobby is nothing to a spectator"
    assert made.tables[1].spectators is spectators
    shown = [(event.own_seat, [seat and seat.name for seat in event.seats]) for event in watching.told(LobbyShown)]
    assert shown == [(0, ["host", None]), (0, ["host", "ben"])]


async def test_at_the_door_when_the_lobby_closes(
    autojump_clock: object, house: Opened, nursery: trio.Nursery, spectators: SpectatorServer
) -> None:
    """The game lets in a spectator that had no time to say its name in the lobby."""
    made, begun = await house(2, spectators=spectators), trio.Event()

    async def dial(address: Address) -> trio.abc.Stream:
        stream = await made.wires.dial(address)
        await begun.wait()
        return stream

    nursery.start_soon(partial(made.watch, 20, dial=dial))
    await made.enter(2)
    begun.set()
    await nursery.start(Seat(Mesh(made.tables[1], randomness("mesh")), 2).run)
    await trio.sleep(1)
    assert len(spectators.feed.readers) == 1
    assert made.wires.dialled.count(address_of(1)) == 3


async def test_what_is_refused_in_the_lobby(
    autojump_clock: object, house: Opened, nursery: trio.Nursery, spectators: SpectatorServer
) -> None:
    made = await house(3, 2, spectators=spectators)
    with refused("same_key"):
        await made.watch(2)
    with pytest.raises(ValueError, match="name"):
        await made.watch(20, "\x1b")
    with refused("no_spectators"):
        await (await house(3)).watch(20)


async def test_spectators_are_served_until_the_block_ends_if_any_are_allowed() -> None:
    async with spectator_server(0) as none:
        assert none is None
    async with spectator_server(3) as three:
        assert three is not None
        assert len(three.feed.readers) == 0


async def test_what_is_too_much_to_keep_is_not_read(autojump_clock: object, nursery: trio.Nursery) -> None:
    backlog, items = Backlog(10), [Gone(str(number)) for number in range(10)]
    taken: list[int] = []

    @nursery.start_soon
    async def fill() -> None:
        for number, item in enumerate(items):
            await backlog.put(item, 6)
            taken.append(-number)

    await trio.sleep(1)
    assert taken == [0, -1]
    backlog.push(Gone("first"))
    assert [await backlog.take() for _ in range(11)] == [Gone("first"), *items]


async def waiting(host: LyingHost) -> WaitingSpectator:
    return await watch_table(spectator(1), Route(address_of(1), host.wires.dial), host.code)


async def watched(tmp_path: Path, *scripts: Script) -> Seen:
    """What a spectator makes of a host with these scripts."""
    async with trio.open_nursery() as nursery:
        host = LyingHost(*scripts, who=seat_credentials(1))
        nursery.start_soon(host.run)
        seen = Seen(1, await waiting(host), tmp_path / "seen.seqp2p")
        with trio.fail_after(300):
            await seen.run()
        nursery.cancel_scope.cancel()
    return seen


ELSEWHERE = wire.Watching(encode_agreement(make_agreement(3, "kids", seed=2)))


@pytest.mark.parametrize(
    ("messages", "error", "text"),
    [
        ([wire.Watching(b"agreement")], PeerError, "an invalid table"),
        ([ELSEWHERE], PeerError, "a table at which it has no seat"),
        ([wire.ContributionMessage(b"payload", A64)], PeerError, "before it showed the table"),
        ([wire.Ping(), wire.refusal("no_spectators")], PeerRefused, "no more spectators"),
        ([wire.bye("another\x1b[31m time")], LinkLost, r"has closed the table: another\[31m time"),
    ],
)
async def test_before_the_table(
    autojump_clock: object, nursery: trio.Nursery, messages: list[wire.WireMessage], error: type[NetError], text: str
) -> None:
    host = LyingHost(telling(*messages), who=seat_credentials(1))
    nursery.start_soon(host.run)
    with pytest.raises(error, match=text):
        await waiting(host)


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (wire.ContributionMessage(b"payload", A64), "the host passed on not a contribution"),
        (wire.RemarkMessage(b"payload", A64), "the host passed on"),
        (wire.BallotMessage(b"payload", A64), "the host passed on"),
        (wire.HeadMessage(b"payload", A64), "the host passed on"),
        (wire.LeaveMessage(b"payload", A64), "the host passed on"),
        (wire.EvidenceMessage((wire.Signed(b"one", A64),)), "the host passed on"),
        (ELSEWHERE, "the host came back with another table"),
        (wire.Bye("good night"), "the host says: good night"),
        (wire.Bye(""), "seat 1 (player 1) has left"),
        (wire.refusal("same_key"), "This identity already sits at the table."),
    ],
    ids=lambda value: type(value).__name__,
)
async def test_what_nobody_signed(virtual_time: object, tmp_path: Path, message: wire.WireMessage, reason: str) -> None:
    seen = await watched(tmp_path, telling(TABLE, TABLE, message))
    assert seen.result is not None
    assert seen.result.kind == "unfinished"
    assert seen.reason.startswith(reason)
    assert seen.report().verdict == "unfinished"


async def test_bytes_that_are_no_message(virtual_time: object, tmp_path: Path) -> None:
    async def script(_: LyingHost, frames: FrameStream) -> None:
        await send(frames, TABLE)
        await frames.send(b"\0\0\0\1\xff")
        await trio.sleep(1)

    assert "bytes that are not a message" in (await watched(tmp_path, script)).reason


async def test_a_host_that_forgets_its_spectators(virtual_time: object, tmp_path: Path) -> None:
    async def lost(_: LyingHost, frames: FrameStream) -> None:
        await send(frames, TABLE)

    seen = await watched(tmp_path, lost, telling(wire.refusal("not_watching")))
    assert "no longer knows this spectator" in seen.reason


GAME = played(2, "kids")
SENT: list[wire.WireMessage] = [
    wire.ContributionMessage(each.payload, each.signature) for step in GAME.steps for _, each in step.contributions
]
MADE_UP = wire.OpeningMessage(1, b"\0" * 31 + b"\1")
HANDS = [wire.OpeningMessage(seat.number, seat.release().to_bytes(32, "big")) for seat in GAME.seats]


@pytest.mark.parametrize(
    ("messages", "opened"),
    [
        ([*SENT[:4][::-1], *SENT, *SENT, wire.bye("over")], set()),
        ([MADE_UP, *SENT], set()),
        ([MADE_UP, *SENT, HANDS[1], MADE_UP, HANDS[0]], {1, 2}),
    ],
    ids=["out of order and twice", "a made-up hand", "hands after a made-up one"],
)
async def test_what_comes_too_early_waits_and_nothing_made_up_counts(
    virtual_time: object, tmp_path: Path, messages: list[wire.WireMessage], opened: set[int]
) -> None:
    seen = await watched(tmp_path, telling(wire.Watching(GAME.agreement), *messages))
    assert seen.result is not None
    assert seen.result.kind in ("won", "drawn")
    assert seen.match.openings.keys() == opened
    assert seen.report().verdict == "verified"


async def test_what_is_ahead_waits(virtual_time: object, tmp_path: Path) -> None:
    """A remark of a later step waits for it; a contribution on another past is passed over."""
    remark = wire.RemarkMessage(*GAME.seats[0].say(GAME.match, "well played"))
    other = played(2, "kids", policy="peaceful").match.record[-1].contributions[0][1]
    early: list[wire.WireMessage] = [remark, wire.ContributionMessage(other.payload, other.signature), wire.Hurry(1)]
    seen = await watched(tmp_path, telling(wire.Watching(GAME.agreement), *early, *SENT))
    assert [event.text for event in seen.events if isinstance(event, Remarked)] == ["well played"]
    assert seen.report().verdict == "verified"
