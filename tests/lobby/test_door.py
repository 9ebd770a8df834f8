"""The host's door: turns, tries, burned codes, friends, and strangers of all kinds."""

import contextlib
import itertools
from collections.abc import Awaitable, Callable, Collection

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
from tests.net.tools import frames_pair, randomness

pytestmark = pytest.mark.usefixtures("cheap_codes")

JOINER, HOST, CERTIFICATE = bytes([1]) * 32, bytes([2]) * 32, bytes([3]) * 32
LIMITS = Limits()
ALICE, EVE = "10.0.0.1", "10.6.6.6"


class House:
    """A host's door and the clients that come to it."""

    def __init__(self, limits: Limits = LIMITS, friends: Collection[bytes] = (), place: str = "") -> None:
        self.events: list[LobbyEvent] = []
        self.door = CodeDoor(7, HOST, CERTIFICATE, randomness, limits, self.events.append, friends, place)
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

    async def meet(
        self, client: Callable[[FrameStream], Awaitable[None]], source: str = EVE, key: bytes = JOINER
    ) -> None:
        here, there = frames_pair()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.host, here, source, key)
            await client(there)

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

    def begins(self) -> PakeA:
        """A client's first message, with a guess at the code."""
        exchange = Exchange(self.wrong_code, JOINER, HOST, CERTIFICATE, randomness, host=False)
        return PakeA(*public_part(self.code), exchange.message)

    async def stall(self, frames: FrameStream) -> None:
        """Begin, take the answer, and say nothing more."""
        await send(frames, self.begins())
        with contextlib.suppress(PeerRefused):
            await receive(frames, LinkStage.CODE_JOINER, LIMITS)
            await receive(frames, LinkStage.CODE_JOINER, LIMITS)


async def silent(frames: FrameStream) -> None:
    with pytest.raises(NetError):
        await receive(frames, LinkStage.CODE_JOINER, LIMITS)


async def test_the_right_code() -> None:
    house = House()
    assert await house.join(house.code) == "in"
    assert house.outcomes == ["in"]
    assert house.door._failed == 0


async def test_three_wrong_codes_burn_it(autojump_clock: object) -> None:
    house = House()
    first = house.code
    wrong = house.wrong_code
    assert [await house.join(wrong) for _ in range(3)] == ["wrong_code", "wrong_code", "code_burned"]
    assert house.shown == [first, house.code]
    assert await house.join(house.code) == "in"


async def test_a_burned_code_is_told_and_spends_no_try(autojump_clock: object) -> None:
    house = House()
    burned = []
    for _ in range(6):
        burned.append(house.code)
        await house.burn()
    for code in burned:
        assert await house.join(code) == "code_burned"
    assert house.door._failed == 0
    number, words = public_part(house.code)
    other = "-".join([str(number % 99 + 1), *house.code.split("-")[1:]])
    assert await house.join(other) in {"wrong_code", "code_burned"}
    assert house.door._failed == 0
    assert await house.join(house.code) == "in"
    assert words == 4


async def test_codes_after_burned_ones_grow_and_keep_their_chance(autojump_clock: object) -> None:
    house = House()
    parts = [(public_part(house.code), house.door._tries)]
    for _ in range(4):
        await house.burn()
        parts.append((public_part(house.code), house.door._tries))
    assert [words for (_, words), _ in parts] == [2, 3, 4, 4, 4]
    assert all(tries * 65_536 == 3 * 256**words for (_, words), tries in parts)
    assert [number for (number, _), _ in parts[:3]] == [7, 7, 7]
    assert len({part for part, _ in parts}) == 5  # No two codes are the same in public.


async def test_three_burned_codes_take_their_meeting_place_with_them(autojump_clock: object) -> None:
    house = House(place="00000000000007")
    for _ in range(6):
        await house.burn()
    places = [place_of(code) for code in house.shown]
    assert places[:3] == ["00000000000007"] * 3
    assert len(set(places[3:6])) == 1
    assert len(set(places)) == 3
    assert [public_part(code)[1] for code in house.shown] == [2, 3, 3, 3, 3, 3, 3]
    assert len({public_part(code) for code in house.shown}) == 7
    assert all(len(code.split("-")) <= 6 for code in house.shown)
    assert await house.join(house.shown[2]) == "code_burned"
    assert await house.join(house.code) == "in"


async def test_a_removed_player_does_not_know_the_next_meeting_place() -> None:
    house = House(place="00000000000007")
    house.door.renew()
    first, second = house.shown
    assert place_of(first) != place_of(second) is not None
    assert public_part(first)[1] == public_part(second)[1]


async def test_there_is_another_code_when_every_number_has_been_spent() -> None:
    house = House()
    for _ in range(2 * TABLE_NUMBER_MAX):
        before = public_part(house.code)
        house.door.renew()
        assert public_part(house.code) != before
    house.door._spent = {(number, 3) for number in range(1, TABLE_NUMBER_MAX + 1)}
    for _ in range(house.door._tries):
        house.door._count_wrong()
    assert public_part(house.code)[1] == 3


async def test_ten_codes_burn_in_a_day(autojump_clock: object) -> None:
    friend = bytes([9]) * 32
    house = House(friends={friend})
    for _ in range(10):
        await house.burn()
    assert await house.join(house.code) == "busy"
    assert await house.join(house.code, key=friend) == "in"
    await trio.sleep(86_400)
    assert await house.join(house.code) == "in"


async def test_wrong_guesses_are_slowed_for_the_whole_table(autojump_clock: object) -> None:
    house = House()
    await house.burn()  # Three words: 768 tries.
    begun = trio.current_time()
    for _ in range(3):
        async with trio.open_nursery() as nursery:
            for number in range(60):
                nursery.start_soon(house.join, house.wrong_code, f"10.0.1.{number}")
    # Three times as many as there are places may go without a pause: the first, the last, and those called before them.
    least = 180 - 3 * LIMITS.code_parallel_max
    assert least / 20 <= trio.current_time() - begun <= 180 / 20
    assert house.outcomes[1:] == ["wrong_code"] * 180


async def test_no_more_are_answered_than_tries_are_left(autojump_clock: object) -> None:
    house = House()
    first = house.code
    async with trio.open_nursery() as nursery:
        for _ in range(8):
            nursery.start_soon(house.meet, house.stall)
        await wait_all_tasks_blocked()
        assert len(house.door._answering) == 3
        assert house.shown == [first]
    # Three stalled away the first code, the five after them came with a code that held no more.
    assert sorted(house.outcomes) == ["code_burned"] * 5 + ["too_slow"] * 3
    assert len(house.shown) == 2


async def test_eleven_honest_joiners_at_once_burn_nothing(autojump_clock: object) -> None:
    house = House()
    async with trio.open_nursery() as nursery:
        for _ in range(11):
            nursery.start_soon(house.join, house.code)
    assert house.outcomes == ["in"] * 11
    assert house.shown == [house.code]


async def test_an_exchange_broken_off_after_the_answer_is_a_slowed_try(autojump_clock: object) -> None:
    house = House()

    async def run_away(frames: FrameStream) -> None:
        await send(frames, house.begins())
        await receive(frames, LinkStage.CODE_JOINER, LIMITS)
        await frames.abort()

    for _ in range(3):
        await house.meet(run_away)
    assert house.outcomes == ["LinkLost"] * 3
    assert len(house.shown) == 2
    assert house.door._not_before > -LIMITS.code_wrong_s * LIMITS.code_parallel_max


async def test_an_exchange_without_an_answer_is_none(autojump_clock: object) -> None:
    house = House()

    async def leave(frames: FrameStream) -> None:
        await frames.abort()

    async def babble(frames: FrameStream) -> None:
        await send(frames, Confirm(bytes(32)))

    for _ in range(4):
        await house.meet(leave)
        await house.meet(babble)
    assert house.outcomes == ["LinkLost", "PeerError"] * 4
    assert len(house.shown) == 1


async def test_a_wrong_message_after_the_answer_is_a_try(autojump_clock: object) -> None:
    house = House()

    async def skip(frames: FrameStream) -> None:
        await send(frames, house.begins())
        await receive(frames, LinkStage.CODE_JOINER, LIMITS)
        await send(frames, Sit("ann"))
        with pytest.raises(PeerRefused):
            await receive(frames, LinkStage.CODE_JOINER, LIMITS)

    async def no_point(frames: FrameStream) -> None:
        await send(frames, PakeA(7, 2, bytes(33)))

    await house.meet(skip)
    await house.meet(no_point)
    assert house.outcomes == ["wrong_code", "PeerError"]
    assert house.door._failed == 2


async def test_silent_clients_keep_no_one_out(autojump_clock: object) -> None:
    house = House()
    async with trio.open_nursery() as nursery:
        for _ in range(200):
            nursery.start_soon(house.meet, silent)
        await wait_all_tasks_blocked()
        assert await house.join(house.code) == "in"
        assert trio.current_time() == 0
    assert house.outcomes.count("too_slow") == 200
    assert len(house.shown) == 1


async def test_of_those_who_have_not_begun_the_source_with_most_makes_room(autojump_clock: object) -> None:
    house = House(Limits(code_waiting_max=4))
    decided = trio.Event()

    async def late(frames: FrameStream) -> None:
        await decided.wait()
        await give_code(frames, Exchange(house.code, JOINER, HOST, CERTIFICATE, randomness, host=False), LIMITS)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(house.meet, late, ALICE)
        await wait_all_tasks_blocked()
        for _ in range(8):
            nursery.start_soon(house.meet, silent)
        await wait_all_tasks_blocked()
        decided.set()
    assert house.outcomes.count("in") == 1


async def test_dawdlers_lose_their_turns_when_others_wait(autojump_clock: object) -> None:
    house = House()
    await house.burn()  # Tries enough for all places.
    begun = trio.current_time()
    async with trio.open_nursery() as nursery:
        for _ in range(LIMITS.code_parallel_max):
            nursery.start_soon(house.meet, house.stall)
        await wait_all_tasks_blocked()
        assert await house.join(house.code) == "in"
        assert trio.current_time() - begun <= LIMITS.code_hurry_s + LIMITS.code_wrong_s + 0.01


async def test_a_dawdler_alone_has_its_time(autojump_clock: object) -> None:
    house = House()
    await house.meet(house.stall)
    assert house.outcomes == ["too_slow"]
    assert trio.current_time() == pytest.approx(LIMITS.code_exchange_s, abs=0.1)


async def test_clients_of_new_sources_go_behind_those_who_came_before(autojump_clock: object) -> None:
    house = House(Limits(code_parallel_max=1, code_tries=99))
    assert await house.join(house.code, ALICE) == "in"
    numbers = itertools.count()

    async def come() -> None:
        while True:
            await house.meet(house.stall, f"fd00:{next(numbers)}::/64")

    async with trio.open_nursery() as nursery:
        for _ in range(3):
            nursery.start_soon(come)
        await wait_all_tasks_blocked()
        with trio.fail_after(4 * LIMITS.code_hurry_s):
            assert await house.join(house.code, ALICE) == "in"
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("source", [ALICE, EVE])
async def test_a_queue_full_of_stalling_clients(autojump_clock: object, source: str) -> None:
    """A friend gets in within ten seconds, from another address and from the attacker's own."""
    house = House()
    await house.burn()
    begun = trio.current_time()
    async with trio.open_nursery() as nursery:
        for _ in range(LIMITS.code_parallel_max + LIMITS.code_waiting_max - 1):
            nursery.start_soon(house.meet, house.stall)
        await wait_all_tasks_blocked()
        assert await house.join(house.code, source) == "in"
        took = trio.current_time() - begun
        nursery.cancel_scope.cancel()
    assert took <= (10 if source == EVE else 2)


async def test_too_many_wait(autojump_clock: object) -> None:
    """The newest of the largest source has to go: a friend of another source keeps its place."""
    house = House(Limits(code_waiting_max=4, code_parallel_max=1))
    await house.burn()
    async with trio.open_nursery() as nursery:
        for _ in range(5):
            nursery.start_soon(house.meet, house.stall)
            await wait_all_tasks_blocked()
        assert await house.join(house.code, ALICE) == "in"
        nursery.cancel_scope.cancel()
    assert house.outcomes.count("busy") == 1


async def test_a_cancelled_client_gives_its_turn_back(autojump_clock: object) -> None:
    house = House(Limits(code_parallel_max=1))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(house.meet, house.stall)
        nursery.start_soon(house.meet, house.stall)
        await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    assert not house.door._answering
    assert not house.door._waiting
    assert await house.join(house.code) == "in"


async def test_the_end_of_the_lobby_burns_no_code(autojump_clock: object) -> None:
    house = House()
    async with trio.open_nursery() as nursery:
        for _ in range(3):
            nursery.start_soon(house.meet, house.stall)
        await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    assert len(house.shown) == 1
    assert house.door._failed == 0


async def test_a_friend_has_tries_of_its_own(autojump_clock: object) -> None:
    friend = bytes([9]) * 32
    house = House(friends={friend})
    first, wrong = house.code, house.wrong_code
    assert [await house.join(wrong, key=friend) for _ in range(3)] == ["wrong_code"] * 3
    assert house.door._failed == 0
    # Its fourth is a stranger's.
    assert await house.join(wrong, key=friend) == "wrong_code"
    assert house.door._failed == 1
    await trio.sleep(3600)
    assert await house.join(wrong, key=friend) == "wrong_code"
    assert house.door._failed == 1
    assert await house.join(first, key=friend) == "in"


async def test_a_friend_does_not_wait_for_strangers(autojump_clock: object) -> None:
    friend = bytes([9]) * 32
    house = House(friends={friend})
    async with trio.open_nursery() as nursery:
        for _ in range(20):
            nursery.start_soon(house.meet, house.stall)
        await wait_all_tasks_blocked()
        assert await house.join(house.code, EVE, friend) == "in"
        assert trio.current_time() == 0
        nursery.cancel_scope.cancel()


async def test_a_friend_that_stalls(autojump_clock: object) -> None:
    friend = bytes([9]) * 32
    house = House(friends={friend})
    await house.meet(house.stall, key=friend)
    assert house.outcomes == ["too_slow"]
    assert house.door._failed == 0


async def test_strangers_are_counted_and_told_once_a_second(autojump_clock: object) -> None:
    house = House()
    await house.burn()
    before = len(house.events)
    async with trio.open_nursery() as telling:
        telling.start_soon(house.door.tell_strangers)
        async with trio.open_nursery() as nursery:
            for _ in range(50):
                nursery.start_soon(house.join, house.wrong_code, EVE)
        await trio.sleep(1)
        telling.cancel_scope.cancel()
    told = [event for event in house.events[before:] if isinstance(event, Strangers)]
    assert told[-1] == Strangers(51, 51)
    assert 3 <= len(told) <= 5
