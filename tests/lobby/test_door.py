"""The host's door: turns, tries, burned codes, friends, and strangers of all kinds."""

import contextlib
import itertools
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from seqp2p.lobby.code import TABLE_NUMBER_MAX, place_of, public_part
from seqp2p.lobby.door import CodeDoor
from seqp2p.lobby.events import CodeShown, LobbyEvent, Strangers
from seqp2p.lobby.pake import Exchange, give_code
from seqp2p.net.auth import receive, send
from seqp2p.net.errors import NetError, PeerRefused
from seqp2p.net.frames import FrameStream
from seqp2p.net.limits import Limits
from seqp2p.net.messages import Confirm, LinkStage, PakeA, Sit
from tests.net.tools import credentials, frames_pair, identity, own, randomness
from tests.ui.kept import Talk, talks

pytestmark = pytest.mark.usefixtures("autojump_clock", "cheap_codes")

JOINER, FRIEND = (bytes([number]) * 32 for number in (1, 9))
HOST, CERTIFICATE = identity(1).public, credentials(1).certificate_hash
LIMITS = Limits()
ALICE, EVE = "10.0.0.1", "10.6.6.6"

Client = Callable[[FrameStream], Awaitable[None]]


class Entrance:
    """A host's door, and the clients that come to it."""

    def __init__(self, limits: Limits = LIMITS, place: str = "") -> None:
        self.events: list[LobbyEvent] = []
        self.door = CodeDoor(own(1, on_event=self.events.append, limits=limits), 7, {FRIEND}, place)
        self.limits = limits
        self.outcomes: list[str] = []

    @property
    def code(self) -> str:
        return self.door.code

    @property
    def shown(self) -> list[str]:
        return [event.code for event in self.events if isinstance(event, CodeShown)]

    @property
    def wrong_code(self) -> str:
        """A wrong code of the same public part."""
        *others, word = self.code.split("-")
        return "-".join([*others, "acorn" if word != "acorn" else "agent"])

    async def host(self, frames: FrameStream, source: str, key: bytes) -> None:
        try:
            await self.door.check(frames, key, source)
        except PeerRefused as refused:
            self.outcomes.append(refused.code)
        except NetError as error:
            self.outcomes.append(type(error).__name__)
        else:
            self.outcomes.append("in")

    async def meet(self, client: Client, source: str = EVE, key: bytes = JOINER) -> None:
        here, there = frames_pair()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.host, here, source, key)
            await client(there)

    @contextlib.asynccontextmanager
    async def crowd(self, count: int, client: Client) -> AsyncGenerator[None]:
        """So many of these clients come, one after the other; those that are still there end with the block."""
        async with trio.open_nursery() as nursery:
            for _ in range(count):
                nursery.start_soon(self.meet, client)
                await wait_all_tasks_blocked()
            yield
            nursery.cancel_scope.cancel()

    async def join(self, code: str, source: str = ALICE, key: bytes = JOINER) -> str:
        outcome = "in"

        async def give(frames: FrameStream) -> None:
            nonlocal outcome
            exchange = Exchange(code, key, HOST, CERTIFICATE, randomness, host=False)
            try:
                await give_code(frames, exchange, self.limits)
            except PeerRefused as refused:
                outcome = refused.code

        await self.meet(give, source, key)
        return outcome

    async def burn(self) -> None:
        """Make the present code's tries few, and use them up."""
        self.door._failed = self.door._tries - 1
        await self.join(self.wrong_code, EVE)

    # Clients that do not follow the exchange to its end.

    async def be_silent(self, frames: FrameStream) -> None:
        with contextlib.suppress(NetError):
            await receive(frames, LinkStage.CODE_JOINER, LIMITS)

    async def leave(self, frames: FrameStream) -> None:
        await frames.abort()

    async def babble(self, frames: FrameStream) -> None:
        await send(frames, Confirm(bytes(32)))

    async def name_no_point(self, frames: FrameStream) -> None:
        await send(frames, PakeA(*public_part(self.code), bytes(33)))

    async def begin(self, frames: FrameStream) -> None:
        """Send a guess at the code, and take the answer."""
        exchange = Exchange(self.wrong_code, JOINER, HOST, CERTIFICATE, randomness, host=False)
        await send(frames, PakeA(*public_part(self.code), exchange.message))
        await receive(frames, LinkStage.CODE_JOINER, LIMITS)

    async def run_away(self, frames: FrameStream) -> None:
        await self.begin(frames)
        await frames.abort()

    async def skip(self, frames: FrameStream) -> None:
        await self.begin(frames)
        await send(frames, Sit("ann"))
        await self.be_silent(frames)

    async def stall(self, frames: FrameStream) -> None:
        with contextlib.suppress(PeerRefused):
            await self.begin(frames)
            await self.be_silent(frames)


class Visits:
    """A door, and who comes to it in the lines of a talk."""

    def __init__(self, place: str, nursery: trio.Nursery) -> None:
        limits: dict[str, Any] = {name: int(value) for name, value in (word.split("=") for word in place.split()[1:])}
        self.door, self.nursery = Entrance(Limits(**limits)), nursery
        self.crowd = list[trio.CancelScope]()

    def state(self) -> dict[str, object]:
        door = self.door.door
        return {
            "outcomes": dict(Counter(self.door.outcomes)),
            "codes": len(self.door.shown),
            "failed": door._failed,
            "answered": len(door._answering),
            "waiting": len(door._waiting),
            "slowed": door._not_before > float("-inf"),
            "time": round(trio.current_time(), 3),
        }

    async def come(self, client: Client) -> None:
        with trio.CancelScope() as scope:
            self.crowd.append(scope)
            await self.door.meet(client)

    async def join(self, who: str, *which: str) -> str:
        key = FRIEND if who == "friend" else JOINER
        source = ALICE if who == "alice" else EVE
        codes = {"": self.door.code, "wrong": self.door.wrong_code, "first": self.door.shown[0]}
        return await self.door.join(codes["".join(which)], source, key)

    async def follow(self, line: str) -> str:
        """Do what a line says. A number of clients come one after the other, and stay."""
        match line.split():
            case ["one" | "friend" as who, "comes", "to", act]:
                await self.door.meet(getattr(self.door, act), key=FRIEND if who == "friend" else JOINER)
            case [count, "come", "to", act]:
                for _ in range(int(count)):
                    self.nursery.start_soon(self.come, getattr(self.door, act))
                    await wait_all_tasks_blocked()
            case [count, "join", "at", "once"]:
                for _ in range(int(count)):
                    self.nursery.start_soon(self.join, "alice")
                await wait_all_tasks_blocked()
            case ["they", "go"]:
                for scope in self.crowd:
                    scope.cancel()
            case [count, "code" | "codes", "burn" | "burns"]:
                for _ in range(int(count)):
                    await self.door.burn()
            case [seconds, "seconds", "pass"]:
                await trio.sleep(float(seconds))
            case [who, "joins", *which]:
                return await self.join(who, *which)
            case _:
                raise AssertionError(line)
        return ""


@talks(__file__, "door.txt")
async def test_talk(nursery: trio.Nursery, talk: Talk) -> None:
    """After each line: how the joiner fares, and what has changed at the door."""
    visits, answers = Visits(talk.place, nursery), list[list[str]]()
    for line in talk.lines:
        before = visits.state()
        outcome = await visits.follow(line[2:])
        await wait_all_tasks_blocked()
        changed = [f"{name}: {now}" for name, now in visits.state().items() if now != before[name]]
        answers.append([*([outcome] if outcome else []), *changed])
    talk.check(answers)
    nursery.cancel_scope.cancel()


async def test_codes_after_burned_ones_grow_and_keep_their_chance() -> None:
    door, tries = Entrance(), list[int]()
    for _ in range(6):
        tries.append(door.door._tries)
        await door.burn()
    parts = [public_part(code) for code in door.shown]
    assert [words for _, words in parts] == [2, 3, 4, 4, 4, 4, 4]
    assert all(left * 65_536 == 3 * 256**words for left, (_, words) in zip(tries, parts, strict=False))
    assert [number for number, _ in parts[:3]] == [7, 7, 7]
    assert len(set(parts)) == 7, "no two codes are the same in public"
    # A burned code is told, and spends no try; nor does one of another number.
    for code in door.shown[:-1]:
        assert await door.join(code) == "code_burned"
    other = "-".join([str(parts[-1][0] % 99 + 1), *door.code.split("-")[1:]])
    assert await door.join(other) in {"wrong_code", "code_burned"}
    assert door.door._failed == 0
    assert await door.join(door.code) == "in"


async def test_three_burned_codes_take_their_meeting_place_with_them() -> None:
    door = Entrance(place="00000000000007")
    for _ in range(6):
        await door.burn()
    places = [place_of(code) for code in door.shown]
    assert places[:3] == ["00000000000007"] * 3
    assert len(set(places[3:6])) == 1
    assert len(set(places)) == 3
    assert [public_part(code)[1] for code in door.shown] == [2, 3, 3, 3, 3, 3, 3]
    assert len({public_part(code) for code in door.shown}) == 7
    assert all(len(code.split("-")) <= 6 for code in door.shown)
    assert await door.join(door.shown[2]) == "code_burned"
    assert await door.join(door.code) == "in"


async def test_a_removed_player_does_not_know_the_next_meeting_place() -> None:
    door = Entrance(place="00000000000007")
    door.door.renew()
    first, second = door.shown
    assert place_of(first) != place_of(second) is not None
    assert public_part(first)[1] == public_part(second)[1]


async def test_there_is_another_code_when_every_number_has_been_spent() -> None:
    door = Entrance()
    for _ in range(2 * TABLE_NUMBER_MAX):
        before = public_part(door.code)
        door.door.renew()
        assert public_part(door.code) != before
    door.door._spent = {(number, 3) for number in range(1, TABLE_NUMBER_MAX + 1)}
    for _ in range(door.door._tries):
        door.door._count_wrong()
    assert public_part(door.code)[1] == 3


async def test_wrong_guesses_are_slowed_for_the_whole_table() -> None:
    door = Entrance()
    await door.burn()  # Three words: 768 tries.
    begun = trio.current_time()
    for _ in range(2):
        async with trio.open_nursery() as nursery:
            for number in range(60):
                nursery.start_soon(door.join, door.wrong_code, f"10.0.1.{number}")
    # Three times as many as there are places may go without a pause: the first, the last, and those called before them.
    least = 120 - 3 * LIMITS.code_parallel_max
    assert least / 20 <= trio.current_time() - begun <= 120 / 20
    assert door.outcomes[1:] == ["wrong_code"] * 120


async def test_of_those_who_have_not_begun_the_source_with_most_makes_room() -> None:
    door, decided = Entrance(Limits(code_waiting_max=4)), trio.Event()

    async def late(frames: FrameStream) -> None:
        await decided.wait()
        await give_code(frames, Exchange(door.code, JOINER, HOST, CERTIFICATE, randomness, host=False), LIMITS)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(door.meet, late, ALICE)
        await wait_all_tasks_blocked()
        async with door.crowd(8, door.be_silent):
            decided.set()
            await wait_all_tasks_blocked()
    assert door.outcomes.count("in") == 1


async def test_clients_of_new_sources_go_behind_those_who_came_before() -> None:
    door = Entrance(Limits(code_parallel_max=1, code_tries=99))
    assert await door.join(door.code, ALICE) == "in"
    numbers = itertools.count()

    async def come() -> None:
        while True:
            await door.meet(door.stall, f"fd00:{next(numbers)}::/64")

    async with trio.open_nursery() as nursery:
        for _ in range(3):
            nursery.start_soon(come)
        await wait_all_tasks_blocked()
        with trio.fail_after(4 * LIMITS.code_hurry_s):
            assert await door.join(door.code, ALICE) == "in"
        nursery.cancel_scope.cancel()


# Friends, and the count of strangers.


async def test_a_try_is_counted_with_its_client(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that closes slowly is not counted yet, while another one goes that has tried no code."""

    async def close(_: FrameStream) -> None:
        await trio.sleep(1)

    monkeypatch.setattr(FrameStream, "close", close)
    door = Entrance()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(door.join, door.wrong_code)
        await trio.sleep(0.5)
        door.door.count_stranger()
        door.door.tell_last_strangers()
    door.door.tell_last_strangers()
    assert door.events[1:] == [Strangers(1, 0), Strangers(2, 1)]


@pytest.mark.parametrize("key", [JOINER, FRIEND], ids=["stranger", "friend"])
async def test_who_is_too_slow_or_loses_its_link_has_given_no_wrong_code(key: bytes) -> None:
    door = Entrance()
    for client in (door.stall, door.run_away):
        await door.meet(client, key=key)
    door.door.tell_last_strangers()
    assert door.outcomes == ["too_slow", "LinkLost"]
    assert door.events[-1] == Strangers(2, 0)


async def test_strangers_are_counted_and_told_once_a_second_and_at_the_end() -> None:
    door = Entrance()
    await door.burn()
    before = len(door.events)
    async with trio.open_nursery() as telling:
        telling.start_soon(door.door.tell_strangers)
        async with trio.open_nursery() as nursery:
            for _ in range(50):
                nursery.start_soon(door.join, door.wrong_code, EVE)
        await trio.sleep(2)
        assert door.events[-1] == Strangers(51, 51)
        assert await door.join(door.wrong_code, ALICE, FRIEND) == "wrong_code"
        await trio.sleep(2)
        for _ in range(2):
            door.door.count_stranger()
            await wait_all_tasks_blocked()
        door.door.tell_last_strangers()
        door.door.tell_last_strangers()
        telling.cancel_scope.cancel()
    told = [event for event in door.events[before:] if isinstance(event, Strangers)]
    assert told[-3:] == [Strangers(52, 52), Strangers(53, 52), Strangers(54, 52)]
    assert 6 <= len(told) <= 8
