"""The host's door: which client tries the join code next, and how many wrong tries a code survives.

Theory of operation.

    authenticated ──pake_a──▶ waiting ──its turn──▶ answered ──right confirmation──▶ in
      (Gate)                  (by source)           (side by side, one try each)

A place is given to clients that have begun, so silent ones cost nothing but a connection. The source of a client
(serving.py) orders those who wait and refuses none: once it has had a turn, the others that wait go first. So new
sources never go before those who came earlier. An exchange is a try
from the moment it is answered until its right confirmation takes it back, so those in flight never exceed the tries
that are left. A code is burned by its last try, and the next one has more words and as many more tries as keep its
chance, 3 in 65,536; once it cannot grow, the table's number changes. Every third burned code of a table with a meeting
place takes the place with it, for one who burns so many knows the place; no code is tried by a line from that place any
more. Wrong tries are slowed for the whole table.
The key of a friend, who has finished a game with this host, goes first and has tries of its own, which burn no code.
"""

import contextlib
import hmac
from collections.abc import AsyncGenerator, Collection
from typing import Final, NoReturn, TypeVar

import trio

from seqp2p.i18n import message
from seqp2p.lobby.code import PLACE_WORDS_MAX, TABLE_NUMBER_MAX, WORDS_MIN, make_code, make_place, public_part
from seqp2p.lobby.events import CodeShown, Own, Strangers
from seqp2p.lobby.pake import Exchange
from seqp2p.lobby.place import MOVED
from seqp2p.net.auth import receive, refuse, send
from seqp2p.net.errors import LinkLost, NetError, PeerError, PeerRefused
from seqp2p.net.frames import FrameStream
from seqp2p.net.limits import Limits, Window
from seqp2p.net.messages import Confirm, LinkStage, PakeA, PakeB, Sit, Watch
from seqp2p.net.serving import Gate

M = TypeVar("M", Sit, Watch)

_HOUR_S: Final = 3_600.0
_DAY_S: Final = 86_400.0
_TOLD_EVERY_S: Final = 1.0
_BURNS_OF_PLACE: Final = 3
"""Burned codes with one meeting place."""
_WRONG: Final = {"wrong_code", "code_burned"}
"""Refusals of clients that have a wrong code; others are too slow, or their links end."""


class _Client:
    """A client from its place in the queue to the end of its exchange."""

    def __init__(self, source: str) -> None:
        self.source: Final = source
        self.called = trio.Event()
        self.sent_away = False
        self.patience = trio.CancelScope()
        self.began_at = float("inf")


class CodeDoor:
    """The host's code, and the clients that try it."""

    def __init__(self, own: Own, table_number: int, friends: Collection[bytes] = frozenset(), place: str = "") -> None:
        """``friends`` are the keys that have finished a game with this host; ``place`` is the first meeting place.

        The host is told CodeShown, now and each time there is a new code, and Strangers by ``tell_strangers``.
        """
        self._number = table_number
        self._place = place
        self._burned = 0  # codes with this place
        self._own = own
        self._limits = limits = own.limits
        self.on_event = own.on_event
        self._friends = {key: Window(limits.code_friend_tries, _HOUR_S) for key in friends}
        self._burns = Window(limits.codes_per_day, _DAY_S)
        self._spent: set[tuple[int, int]] = set()
        self._silent = Gate(limits.code_waiting_max, limits.code_exchange_s)
        self._waiting: list[_Client] = []
        self._answering: list[_Client] = []
        self._not_before = float("-inf")
        self._last_success = float("-inf")
        self._strangers = self._told = 0
        self._wrong = 0
        self._stranger_came = trio.lowlevel.ParkingLot()
        self._show(WORDS_MIN)

    def _show(self, words: int) -> None:
        """Make a code of so many words, which holds from now on."""
        self.code = make_code(self._number, words, self._own.randomness, self._place)
        self._public = public_part(self.code)
        self._failed = 0
        self.on_event(CodeShown(self.code))

    @property
    def _tries(self) -> int:
        """The number of wrong tries that burn the code."""
        return self._limits.code_tries << 8 * (self._public[1] - WORDS_MIN)

    async def check(self, frames: FrameStream, key: bytes, source: str, *, rest_s: float = 0.0) -> None:
        """Run the host's side of one exchange, in this client's turn. Return if it knows the code.

        ``source`` is where it comes from, ``rest_s`` the pause after its exchange. Raises PeerRefused (wrong_code,
        code_burned, busy, too_slow) once the client is told, PeerError, LinkLost.
        """
        try:
            if source == MOVED:
                await refuse(frames, "code_burned", self._limits)
            first = await self._begin(frames, source)
            await self._require_current(frames, first)
            if (friend := self._friends.get(key)) is not None and friend.left(trio.current_time()) > 0:
                await self._run_friend(frames, key, first, friend)
            else:
                await self._run(frames, key, first, source, rest_s)
        except NetError as error:
            self._wrong += isinstance(error, PeerRefused) and error.code in _WRONG
            self.count_stranger()
            raise

    def count_stranger(self) -> None:
        self._strangers += 1
        self._stranger_came.unpark_all()

    async def tell_strangers(self) -> NoReturn:
        """Tell the host how many were turned away, at most once a second; until cancelled."""
        while True:
            while self._told == self._strangers:
                await self._stranger_came.park()
            self.tell_last_strangers()
            await trio.sleep(_TOLD_EVERY_S)

    def tell_last_strangers(self) -> None:
        """Tell the host of strangers that it was not told of: the lobby ends."""
        if self._told < self._strangers:
            self._told = self._strangers
            self.on_event(Strangers(self._strangers, self._wrong))

    async def _begin(self, frames: FrameStream, source: str) -> PakeA:
        """Wait for the client to begin, with as many others as there are places."""
        with self._silent.enter(frames.stream, source):
            first = await receive(frames, LinkStage.CODE_HOST, self._limits)
            if not isinstance(first, PakeA):
                raise PeerError(message("The other side does not follow the code exchange."))
            return first
        return await refuse(frames, "too_slow", self._limits)  # type: ignore[unreachable]  # the gate may cancel

    async def _run_friend(self, frames: FrameStream, key: bytes, first: PakeA, tries: Window) -> None:
        """Answer a friend at once: its wrong tries are its own."""
        began_at = trio.current_time()
        tries.add(began_at)
        with trio.move_on_after(self._limits.code_exchange_s) as patience:
            if await self._answer(frames, key, first):
                tries.take_back(began_at)
                return
        await refuse(frames, "too_slow" if patience.cancelled_caught else "wrong_code", self._limits)

    async def _run(self, frames: FrameStream, key: bytes, first: PakeA, source: str, rest_s: float) -> None:
        proven, failure = False, None
        async with self._turn(frames, source) as client:
            await self._require_current(frames, first)  # Another code may hold by now.
            code = self.code
            try:
                with client.patience:
                    proven = await self._answer(frames, key, first)
            except NetError as error:
                failure = error
            # If this task is cancelled, its client never learns whether it guessed right: that is no try.
            if proven:
                self._last_success = trio.current_time()
            elif code == self.code:  # A try at a code that was replaced meanwhile costs the new one nothing.
                self._count_wrong()
            rest_s = rest_s if proven else max(rest_s, self._limits.code_wrong_s)
            # Exchanges side by side may all be wrong at once; after that the pauses add up.
            unused_s = self._limits.code_parallel_max * self._limits.code_wrong_s
            self._not_before = max(self._not_before, trio.current_time() - unused_s) + rest_s
        if proven:
            return
        if failure is not None:
            raise failure
        reason = "wrong_code" if self.code == code else "code_burned"
        await refuse(frames, "too_slow" if client.patience.cancelled_caught else reason, self._limits)

    async def _require_current(self, frames: FrameStream, first: PakeA) -> None:
        """Refuse a code that cannot be the present one. It is no try: nothing of the present one is shown."""
        theirs = (first.table, first.words)
        if theirs != self._public:
            await refuse(frames, "code_burned" if theirs in self._spent else "wrong_code", self._limits)

    async def _answer(self, frames: FrameStream, key: bytes, first: PakeA) -> bool:
        """Answer a client that has begun. Return True if it has proved the code; then it is told."""
        code = self.code
        exchange = Exchange(
            code, key, self._own.key, self._own.credentials.certificate_hash, self._own.randomness, host=True
        )
        await send(frames, PakeB(exchange.message))
        # After the answer, so that the time this takes, which depends on the code, cannot be seen.
        joiner, host = exchange.finish(first.message)
        second = await receive(frames, LinkStage.CODE_HOST, self._limits)
        if code != self.code:
            return False
        if not (isinstance(second, Confirm) and hmac.compare_digest(second.mac, joiner)):
            return False
        await send(frames, Confirm(host))
        return True

    def renew(self) -> None:
        """Replace the code by one as long, with another number and place: one who knows it is to come no more."""
        words = self._public[1]
        self._spent.add(self._public)
        self._number = self._unspent_number(words)
        self._move()
        self._show(words)

    def _unspent_number(self, words: int) -> int:
        """Return a table number that no code of so many words has had; once all have been, another than the last."""
        numbers = [number for number in range(1, TABLE_NUMBER_MAX + 1) if (number, words) not in self._spent]
        if not numbers:
            self._spent = {(number, length) for number, length in self._spent if length != words} | {self._public}
            return self._unspent_number(words)
        return numbers[int.from_bytes(self._own.randomness(4), "big") % len(numbers)]

    def _move(self) -> None:
        """Change the meeting place, if there is one."""
        self._burned = 0
        if self._place:
            self._place = make_place(self._own.randomness)

    def _count_wrong(self) -> None:
        self._failed += 1
        if self._failed < self._tries:
            return
        self._burns.add(trio.current_time())
        self._spent.add(self._public)
        self._burned += 1
        if self._burned == _BURNS_OF_PLACE:
            self._move()
        words = min(self._public[1] + 1, PLACE_WORDS_MAX if self._place else self._limits.code_words_max)
        if (self._number, words) in self._spent:
            self._number = self._unspent_number(words)
        self._show(words)

    # Turns.

    @contextlib.asynccontextmanager
    async def _turn(self, frames: FrameStream, source: str) -> AsyncGenerator[_Client]:
        """Wait for a turn, and hold it for the body. Raises PeerRefused ("busy")."""
        client = _Client(source)
        self._waiting.append(client)
        try:
            if len(self._waiting) > self._limits.code_waiting_max:
                self._send_one_away()
            self._call_next()
            await client.called.wait()
            if client.sent_away or self._burns.left(trio.current_time()) <= 0:
                await refuse(frames, "busy", self._limits)
            await trio.sleep_until(self._not_before)
            client.began_at = trio.current_time()
            self._set_patience()
            yield client
        finally:
            for group in (self._waiting, self._answering):
                if client in group:
                    group.remove(client)
            self._call_next()

    def _send_one_away(self) -> None:
        """Send the newest of the source with most clients away: what this source sends first is served first."""
        sources = [client.source for client in self._waiting]
        client = max(enumerate(self._waiting), key=lambda each: (sources.count(each[1].source), each[0]))[1]
        self._waiting.remove(client)
        client.sent_away = True
        client.called.set()

    def _call_next(self) -> None:
        """Call those whose turn it is. If others must wait, those who dawdle lose their turns."""
        while self._waiting and len(self._answering) < min(self._limits.code_parallel_max, self._tries - self._failed):
            client = self._waiting.pop(0)
            self._waiting = sorted(self._waiting, key=lambda each: each.source == client.source)
            self._answering.append(client)
            client.called.set()
        self._set_patience()

    def _set_patience(self) -> None:
        """Set how long exchanges may last. While others wait, those that stall end when none has succeeded lately."""
        for client in self._answering:
            client.patience.deadline = client.began_at + self._limits.code_exchange_s
            if self._waiting:
                hurried = max(client.began_at, self._last_success) + self._limits.code_hurry_s
                client.patience.deadline = min(client.patience.deadline, hurried)


async def receive_name(frames: FrameStream, kind: type[M], limits: Limits) -> M:
    """Return the message with the name of a client that knows the code. Raises PeerError, LinkLost."""
    try:
        with trio.fail_after(limits.authenticate_s):
            said = await receive(frames, LinkStage.CODE_HOST, limits)
    except trio.TooSlowError:
        raise LinkLost(message("It took too long to sit down.")) from None
    if not isinstance(said, kind):
        raise PeerError(message("The other side did not sit down."))
    return said
