"""The host's door: turns, tries, burned codes, friends, and strangers of all kinds."""

import contextlib
import itertools
from collections.abc import AsyncGenerator, Awaitable, Callable

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

pytestmark = pytest.mark.usefixtures("cheap_codes")

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


# Codes and their tries.


async def test_three_wrong_codes_burn_it(autojump_clock: object) -> None:
    door = Entrance()
    first, wrong = door.code, door.wrong_code
    assert [await door.join(wrong) for _ in range(3)] == ["wrong_code", "wrong_code", "code_burned"]
    assert door.shown == [first, door.code]
    assert await door.join(door.code) == "in"


async def test_codes_after_burned_ones_grow_and_keep_their_chance(autojump_clock: object) -> None:
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


async def test_three_burned_codes_take_their_meeting_place_with_them(autojump_clock: object) -> None:
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


async def test_ten_codes_burn_in_a_day(autojump_clock: object) -> None:
    door = Entrance()
    for _ in range(10):
        await door.burn()
    assert await door.join(door.code) == "busy"
    assert await door.join(door.code, key=FRIEND) == "in"
    await trio.sleep(86_400)
    assert await door.join(door.code) == "in"


@pytest.mark.parametrize(
    ("client", "outcome", "tries"),
    [
        ("leave", "LinkLost", 0),
        ("babble", "PeerError", 0),
        ("name_no_point", "PeerError", 1),
        ("run_away", "LinkLost", 1),
        ("skip", "wrong_code", 1),
        ("stall", "too_slow", 1),
    ],
)
async def test_an_exchange_is_a_slowed_try_from_the_answer_on(
    autojump_clock: object, client: str, outcome: str, tries: int
) -> None:
    door = Entrance()
    for _ in range(2):
        await door.meet(getattr(door, client))
    assert door.outcomes == [outcome] * 2
    assert door.door._failed == 2 * tries
    assert (door.door._not_before > float("-inf")) == bool(tries)
    await door.meet(getattr(door, client))
    assert len(door.shown) == 1 + tries
    assert trio.current_time() == (3 * LIMITS.code_exchange_s if client == "stall" else 0)


async def test_a_cancelled_exchange_is_no_try_and_gives_its_turn_back(autojump_clock: object) -> None:
    door = Entrance()
    async with door.crowd(5, door.stall):
        pass
    assert (door.door._answering, door.door._waiting) == ([], [])
    assert (door.door._failed, len(door.shown)) == (0, 1)
    assert await door.join(door.code) == "in"


async def test_wrong_guesses_are_slowed_for_the_whole_table(autojump_clock: object) -> None:
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


# Turns.


async def test_no_more_are_answered_than_tries_are_left(autojump_clock: object) -> None:
    door = Entrance()
    async with door.crowd(8, door.stall):
        assert len(door.door._answering) == 3
        assert len(door.shown) == 1
        await trio.sleep(LIMITS.code_exchange_s)
    # Three stalled away the first code, the five after them came with a code that held no more.
    assert sorted(door.outcomes) == ["code_burned"] * 5 + ["too_slow"] * 3
    assert len(door.shown) == 2


async def test_eleven_honest_joiners_at_once_burn_nothing(autojump_clock: object) -> None:
    door = Entrance()
    async with trio.open_nursery() as nursery:
        for _ in range(11):
            nursery.start_soon(door.join, door.code)
    assert door.outcomes == ["in"] * 11
    assert door.shown == [door.code]


async def test_silent_clients_keep_no_one_out(autojump_clock: object) -> None:
    door = Entrance()
    async with door.crowd(200, door.be_silent):
        assert await door.join(door.code) == "in"
        assert trio.current_time() == 0
        await trio.sleep(LIMITS.code_exchange_s + 0.1)
    assert door.outcomes.count("too_slow") == 200
    assert len(door.shown) == 1


async def test_of_those_who_have_not_begun_the_source_with_most_makes_room(autojump_clock: object) -> None:
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


async def test_clients_of_new_sources_go_behind_those_who_came_before(autojump_clock: object) -> None:
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


@pytest.mark.parametrize(
    ("crowd", "source", "within_s"),
    [
        (LIMITS.code_parallel_max, ALICE, LIMITS.code_hurry_s + LIMITS.code_wrong_s + 0.01),
        (LIMITS.code_parallel_max + LIMITS.code_waiting_max - 1, ALICE, 2),
        (LIMITS.code_parallel_max + LIMITS.code_waiting_max - 1, EVE, 10),
    ],
    ids=["places", "queue", "same source"],
)
async def test_stalling_clients_lose_their_turns_when_others_wait(
    autojump_clock: object, crowd: int, source: str, within_s: float
) -> None:
    """One who knows the code gets in soon, from another address and from the attacker's own."""
    door = Entrance()
    await door.burn()  # Tries enough for all places.
    begun = trio.current_time()
    async with door.crowd(crowd, door.stall):
        assert await door.join(door.code, source) == "in"
        assert trio.current_time() - begun <= within_s


async def test_the_newest_of_the_largest_source_has_to_go(autojump_clock: object) -> None:
    """A client of another source keeps its place."""
    door = Entrance(Limits(code_waiting_max=4, code_parallel_max=1))
    await door.burn()
    async with door.crowd(5, door.stall):
        assert await door.join(door.code, ALICE) == "in"
    assert door.outcomes.count("busy") == 1


# Friends, and the count of strangers.


async def test_a_friend_has_tries_of_its_own(autojump_clock: object) -> None:
    door = Entrance()
    first, wrong = door.code, door.wrong_code
    assert [await door.join(wrong, key=FRIEND) for _ in range(3)] == ["wrong_code"] * 3
    assert door.door._failed == 0
    # Its fourth is a stranger's.
    assert await door.join(wrong, key=FRIEND) == "wrong_code"
    assert door.door._failed == 1
    await trio.sleep(3600)
    await door.meet(door.stall, key=FRIEND)
    assert door.outcomes[-1] == "too_slow"
    assert door.door._failed == 1
    assert await door.join(first, key=FRIEND) == "in"


async def test_a_friend_does_not_wait_for_strangers(autojump_clock: object) -> None:
    door = Entrance()
    async with door.crowd(20, door.stall):
        assert await door.join(door.code, EVE, FRIEND) == "in"
        assert trio.current_time() == 0


async def test_strangers_are_counted_and_told_once_a_second_and_at_the_end(autojump_clock: object) -> None:
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
        for _ in range(2):
            door.door.count_stranger()
            await wait_all_tasks_blocked()
        door.door.tell_last_strangers()
        door.door.tell_last_strangers()
        telling.cancel_scope.cancel()
    told = [event for event in door.events[before:] if isinstance(event, Strangers)]
    assert told[-2:] == [Strangers(52, 51), Strangers(53, 51)]
    assert 5 <= len(told) <= 7
