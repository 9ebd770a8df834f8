"""The host's lobby: joiners give the code, sit down in order of arrival, and agree to one table.

Theory of operation. One task per connection: TLS, authentication, code, then its seat until it leaves. One task
settles the table: whenever all seats are taken it asks every joiner for a fresh nonce, sends the agreement, and waits
until every joiner has checked it. If one leaves or does not answer meanwhile, its seat is free again and this starts
over with new nonces. When all are ready, each is told to start, and the connections become links of the mesh.

Seats of the game before name its id in place of the lobby's, and need no code: their keys let them in.
"""

import contextlib
import itertools
import math
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Final, assert_never

import trio
from msgspec.structs import replace

from seqp2p.crypto.hashing import REMATCH
from seqp2p.i18n import message, message_of
from seqp2p.lobby.address_statement import AddressBook, first_statement, is_first
from seqp2p.lobby.door import CodeDoor, receive_name
from seqp2p.lobby.events import (
    NO_FORMER,
    Former,
    Guest,
    LineSaid,
    LobbyRequest,
    LobbyRequests,
    LobbyShown,
    MovePlayer,
    Own,
    RemovePlayer,
    SayLine,
    StartGame,
    TurnedAway,
    UseRelay,
    declined,
    declining,
    gone,
)
from seqp2p.lobby.lines import LobbyTalk, PerKey
from seqp2p.lobby.spectators import SpectatorServer
from seqp2p.lobby.table import AgreedTable, OwnRelay, own_relay
from seqp2p.match.names import BOT_NAME, look_alike
from seqp2p.match.table import (
    Agreement,
    SeatEntry,
    Settings,
    check_settings,
    encode_agreement,
    name_fault,
    numbered_name,
)
from seqp2p.match.text import clean
from seqp2p.net import messages as wire
from seqp2p.net import tls
from seqp2p.net.addresses import tcp_dial
from seqp2p.net.auth import check_client, refuse
from seqp2p.net.dialling import Dial
from seqp2p.net.errors import LinkLost, NetError, PeerError, PeerRefused
from seqp2p.net.frames import FrameStream
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.links import Link
from seqp2p.net.serving import Gate, Handshakes, Listener, serve, source_of
from seqp2p.net.transit import RelayListener, Waiting
from seqp2p.rules import team_of

_FAILURES_TOLD: Final = 3
"""Of those who know the code and do not sit down, so many are told with the reason; more are just counted."""


@dataclass(frozen=True)
class Hosting:
    """A table that its host opens.

    ``number`` is the first part of its code, 1 to 99. ``place`` has the digits of the meeting place at the host's
    relay, for the first code. ``spectators`` serves spectators, who give the same code, now and during the game;
    without it there are none. ``former`` is the game before at this table. ``friends`` are the keys that have finished
    a game with this host, and go first in the queue. With ``by_hand`` a full table waits for StartGame, or until
    ``full_table_s`` have passed without a change. No game begins while the host is ``asked``, until AcceptGame.
    """

    settings: Settings
    number: int
    place: str = ""
    spectators: SpectatorServer | None = None
    former: Former = NO_FORMER
    friends: Collection[bytes] = frozenset()
    by_hand: bool = False
    asked: bool = False


async def host_table(own: Own, hosting: Hosting, requests: LobbyRequests | None = None) -> AgreedTable:
    """Keep a lobby until all its seats have agreed to a table; the host is seat 1.

    ``requests`` are those of this player. Raises TableError for settings that cannot be played; faults of strangers and
    joiners end only their own connections. Cancelled, it says goodbye, which takes at most ``close_s``. The listeners
    stay open.
    """
    check_settings(hosting.settings)
    door = CodeDoor(own, hosting.number, hosting.friends, hosting.place)
    if hosting.spectators:
        hosting.spectators.open(door)
    return await _HostLobby(own, hosting, door).run(requests)


class TeamColours:
    """The colours chosen so far: for each team its colour, and the key that chose it."""

    def __init__(self) -> None:
        self._chosen: dict[int, tuple[bytes, str]] = {}

    def choose(self, settings: Settings, team: int, key: bytes, colour: str) -> Settings | str:
        """Return the settings with this team's new colour, or the code of the reason why it cannot have it.

        A team that has chosen nothing gives its colour away for the one that becomes free.
        """
        if colour not in settings.offered_colours:
            return "no_colour"
        if any(colour == chosen for other, (_, chosen) in self._chosen.items() if other != team):
            return "colour_taken"
        self._chosen[team] = key, colour
        old = settings.colours[team - 1]
        swapped = {old: colour, colour: old}
        return replace(settings, colours=tuple(swapped.get(each, each) for each in settings.colours))

    def forget(self, key: bytes) -> None:
        """Release the choice of a player who has left its team; the team keeps the colour until another chooses it."""
        self._chosen = {team: choice for team, choice in self._chosen.items() if choice[0] != key}


@dataclass(eq=False)
class _SeatedGuest:
    """A joiner in its seat. ``is_bot``: it was called by the host, and is named after its seat."""

    seat: int
    name: str
    key: bytes
    link: Link
    is_bot: bool
    asked: bool
    addresses: wire.AddressStatement = field(init=False)
    nonce: bytes = b""
    nonce_round: int = 0
    ready: int = 0
    ended: trio.Event = field(default_factory=trio.Event)
    released: bool = False
    removed: bool = False


class _HostLobby:
    def __init__(self, own: Own, hosting: Hosting, door: CodeDoor) -> None:
        limits = own.limits
        self._own = own
        self._limits = limits
        self._on_event = own.on_event
        self._door = door
        self._settings = hosting.settings
        self._spectators = hosting.spectators
        self._former = hosting.former
        self._kept_until = trio.current_time() + self._former.keeps_s
        self._by_hand = hosting.by_hand
        self._asked = hosting.asked
        self._id = own.randomness(32)
        handshakes = Handshakes(limits, limits.handshake_rate)
        self._gate = Gate(limits.handshakes_max, limits.authenticate_s, handshakes)
        self._seats: dict[int, _SeatedGuest] = {}
        self._talk = LobbyTalk(self._id, limits, trio.current_time)
        self._wishes = PerKey(limits)
        self._colours = TeamColours()
        self._removed: set[bytes] = set()
        self._touched_at = -math.inf  # the time of the last change of seats or colours, or line
        self._started = False
        self._version = 0  # counts the changes of seats and colours
        self._round = 0
        self._failures = 0
        self._closed = False  # A joiner lost from now on has not left the lobby.
        self._changed = trio.lowlevel.ParkingLot()
        self._statements: tuple[wire.AddressStatement, ...] = ()
        self._own_relay: OwnRelay | None = None

    async def run(self, requests: LobbyRequests | None) -> AgreedTable:
        # Connections have a scope of their own: a goodbye still needs them when everything else is cancelled.
        connections = trio.CancelScope(shield=True)
        async with contextlib.AsyncExitStack() as on_error:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._receive, requests, connections)
                try:
                    async with contextlib.AsyncExitStack() as unless_agreed:
                        unless_agreed.push_async_callback(self._say_goodbye)
                        self._show()
                        agreement = await self._settle()
                        links = await self._start()
                        self._door.tell_last_strangers()
                        unless_agreed.pop_all()
                    for frames in links.values():
                        on_error.push_async_callback(frames.abort)
                finally:
                    connections.cancel()
            on_error.pop_all()
        own, statements, relay = self._own, self._statements, self._own_relay
        return AgreedTable(own.credentials, agreement, 1, {}, own.listeners, links, self._spectators, statements, relay)

    async def _receive(self, requests: LobbyRequests | None, scope: trio.CancelScope) -> None:
        with scope:
            async with trio.open_nursery() as nursery:
                serve(nursery, self._own.listeners, self._welcome)
                if requests is not None:
                    nursery.start_soon(self._obey, requests)
                if self._spectators is None:  # Else they need it for longer.
                    nursery.start_soon(self._door.tell_strangers)
                await trio.sleep_forever()

    async def _say_goodbye(self) -> None:
        """Give the table up. Others close their connections when they have read the goodbye. Cannot be cancelled."""
        self._closed = True
        seated = tuple(self._seats.values())  # Others may sit down meanwhile: their connections are just closed.
        for sitting in seated:
            sitting.link.send(wire.bye(""))
        if self._spectators:
            self._spectators.feed.say_goodbye("")
        with trio.CancelScope(shield=True):
            with trio.move_on_after(self._limits.close_s):
                for sitting in seated:
                    await sitting.ended.wait()
                if self._spectators:
                    await self._spectators.until_gone()
            for sitting in seated:
                await sitting.link.frames.abort()

    # A joiner, from the connection to its seat.

    async def _welcome(self, stream: trio.abc.Stream) -> None:
        try:
            frames, proof = await self._authenticate(stream)
        except LinkLost:
            return  # Whoever asks for a code looks first whether a host is there.
        except NetError:
            self._door.count_stranger()
            return
        source, key = source_of(stream), proof.key
        if proof.role == "watch" and self._spectators:
            self._spectators.welcome(frames, proof, source)
            return
        try:
            async with tls.closing_on_error(frames.stream):
                if not self._returns(proof):
                    await self._door.check(frames, key, source)
        except NetError:
            return  # The door has counted it.
        try:
            async with tls.closing_on_error(frames.stream):
                sitting = await self._seat(frames, key)
        except NetError as error:
            self._door.count_stranger()
            self._failures += 1
            if self._failures <= _FAILURES_TOLD:
                self._on_event(TurnedAway(message("Somebody could not join: {reason}", reason=message_of(error))))
        else:
            await self._attend(sitting)

    async def _authenticate(self, stream: trio.abc.Stream) -> tuple[FrameStream, wire.Proof]:
        with self._gate.enter(stream) as place:
            frames = await place.accept(self._own.credentials)
            async with tls.closing_on_error(frames.stream):
                proof = await check_client(
                    frames,
                    self._own.credentials,
                    lobby=self._id,
                    admit=self._admit,
                    randomness=self._own.randomness,
                    limits=self._limits,
                )
                return frames, proof
        raise LinkLost(message("It took too long, or had to make room for others."))

    def _admit(self, proof: wire.Proof) -> None:
        if proof.key in self._removed:
            raise PeerRefused("removed")
        if proof.role == "watch":
            if proof.key in self._keys:
                raise PeerRefused("same_key")
            if not self._spectators:
                raise PeerRefused("no_spectators")
            self._spectators.feed.admit(proof.key, proof.id, self._id)
            return
        if proof.role != "join":
            raise PeerRefused("not_started")
        if self._returns(proof):
            if proof.key not in self._former.seats:
                raise PeerRefused("not_seated")
        elif proof.id != self._id:
            raise PeerRefused("wrong_game")
        self._require_place(proof.key)

    def _returns(self, proof: wire.Proof) -> bool:
        return proof.id == self._former.game

    def _require_place(self, key: bytes) -> None:
        if key in self._removed:
            raise PeerRefused("removed")
        if key in self._keys:
            raise PeerRefused("same_key")
        if self._full:
            raise PeerRefused("table_full")
        if key not in self._former.seats and len(self._seats) + self._kept >= self._settings.players - 1:
            raise PeerRefused("seats_kept")

    async def _seat(self, frames: FrameStream, key: bytes) -> _SeatedGuest:
        """Seat a joiner that knows the code, or has sat here before."""
        sit = await receive_name(frames, wire.Sit, self._limits)
        try:
            self._require_place(key)
            free = [seat for seat in range(2, self._settings.players + 1) if seat not in self._seats]
            seat = self._former.place(key, free, self._keys)
            name = self._free_name(sit.name, seat)
        except PeerRefused as refused:
            await refuse(frames, refused.code, self._limits)
        link, is_bot, asked = Link(frames, self._limits), sit.name == BOT_NAME, sit.asked and key in self._former.seats
        sitting = self._seats[seat] = _SeatedGuest(seat, name, key, link, is_bot, asked)
        return sitting

    def _free_name(self, name: str, seat: int) -> str:
        """Return the requested name, with a number after it if another player has it. A bot's number is its seat's."""
        if name_fault(name) is not None:
            raise PeerRefused("bad_name")
        taken = [self._own.name, *(sitting.name for sitting in self._seats.values())]
        numbers = itertools.chain([seat] if name == BOT_NAME else [], itertools.count(1))
        free = (numbered_name(name, number) for number in numbers)
        return next(each for each in free if not any(look_alike(each, other) for other in taken))

    async def _attend(self, sitting: _SeatedGuest) -> None:
        """Serve a joiner in its seat, until it leaves or the table starts."""
        self._show()
        error = await sitting.link.run(wire.LinkStage.LOBBY_HOST, partial(self._handle, sitting), wire.Ping)
        sitting.released = error is None
        sitting.ended.set()
        if sitting.removed:
            with contextlib.suppress(PeerRefused):
                await refuse(sitting.link.frames, "removed", self._limits)
        elif not self._closed:
            self._leave(sitting, message_of(error) if error else "")

    def _leave(self, sitting: _SeatedGuest, reason: str) -> None:
        if self._seats.get(sitting.seat) is sitting:
            del self._seats[sitting.seat]
            self._colours.forget(sitting.key)
            if sitting.asked:  # It plays no other game, as LobbyShown tells: its place is kept no longer.
                self._former = self._former.without(sitting.key)
            else:
                self._on_event(gone(sitting.name, reason))
            self._show()

    async def _handle(self, sitting: _SeatedGuest, received: wire.WireMessage) -> None:
        await trio.lowlevel.checkpoint()
        match received:
            case wire.Nonce(number, nonce, addresses) if number == self._round and sitting.nonce_round != number:
                if nonce in (other.nonce for other in self._seats.values()):
                    raise PeerError(message("The other side sent a nonce that is not fresh."))
                if not is_first(addresses, sitting.key, nonce):
                    raise PeerError(message("The other side sent addresses that it has not signed for this table."))
                sitting.nonce, sitting.nonce_round, sitting.addresses = nonce, number, addresses
            case wire.Ready(number):
                sitting.ready = number
            case wire.TakeSeat() | wire.ChooseColour():
                now = trio.current_time()
                fault = self._grant(sitting, received) if self._wishes.take(sitting.key, now) else "too_fast"
                if fault:
                    sitting.link.send(declining(fault))
            case wire.AcceptGame():
                if sitting.asked:
                    sitting.asked = False
                    self._show()
            case wire.LineMessage():
                self._hear(sitting, received)
            case wire.Bye(reason):
                raise LinkLost(clean(reason))
            case _:
                pass  # A sign of life, or an answer in a past round.
        self._changed.unpark_all()

    # Seats, colours and lines.

    def _grant(self, sitting: _SeatedGuest, wish: wire.TakeSeat | wire.ChooseColour) -> str:
        """Grant a wish, or return the code of the reason why not."""
        match wish:
            case wire.TakeSeat(seat):
                if not 2 <= seat <= self._settings.players:
                    return "no_seat"
                if self._seats.get(seat, sitting) is not sitting:
                    return "seat_taken"
                self._move(sitting, seat)
                return ""
            case wire.ChooseColour(colour):
                return self._colour(sitting.seat, sitting.key, colour)
            case _:
                assert_never(wish)

    def _move(self, sitting: _SeatedGuest, seat: int) -> None:
        """Move a joiner to a seat; the one who sits there takes the other."""
        if seat == sitting.seat:
            return
        old, other = sitting.seat, self._seats.pop(seat, None)
        del self._seats[old]
        for moved, to in ((sitting, seat), (other, old)):
            if moved is not None:
                moved.seat, moved.name = to, self._free_name(BOT_NAME, to) if moved.is_bot else moved.name
                self._seats[to] = moved
                if team_of(old, self._settings.teams) != team_of(seat, self._settings.teams):
                    self._colours.forget(moved.key)
        self._show()

    def _colour(self, seat: int, key: bytes, colour: str) -> str:
        """Give a seat's team a colour, or return the code of the reason why not."""
        chosen = self._colours.choose(self._settings, team_of(seat, self._settings.teams), key, colour)
        if isinstance(chosen, str):
            return chosen
        if chosen != self._settings:
            self._settings = chosen
            self._show()
        return ""

    def _remove(self, sitting: _SeatedGuest) -> None:
        """Send a joiner away for good. It knew the code, so another one holds from now on."""
        self._removed.add(sitting.key)
        self._former = self._former.without(sitting.key)
        self._started = False
        sitting.removed = True
        sitting.link.stop()
        self._door.renew()
        self._leave(sitting, message("the host has removed this player"))

    def _hear(self, sitting: _SeatedGuest, line: wire.LineMessage) -> None:
        """Pass a joiner's line on; raises PeerError for one that it has not signed."""
        if (said := self._talk.take(line, {sitting.key})) is None:
            sitting.link.send(declining("too_fast"))
            return
        self._send(tuple(other for other in self._seats.values() if other is not sitting), line)
        self._touch()
        if text := clean(said.text):
            self._on_event(LineSaid(sitting.seat, sitting.name, sitting.key, text))

    async def _obey(self, requests: LobbyRequests) -> None:
        async for request in requests:
            if not self._closed and (fault := self._do(request)):
                self._on_event(declined(fault))

    def _do(self, request: LobbyRequest) -> str:
        """Do what this player wants, or return the code of the reason why not."""
        own = self._own.key
        match request:
            case wire.TakeSeat():
                return "no_seat"
            case UseRelay():
                return "no_relay"
            case wire.ChooseColour(colour):
                return self._colour(1, own, colour)
            case SayLine(text):
                return self._say(text)
            case MovePlayer() | RemovePlayer():
                return self._rearrange(request)
            case StartGame():
                self._started = True
                self._changed.unpark_all()
            case wire.AcceptGame():
                self._asked = False
                self._show()
            case _:
                assert_never(request)
        return ""

    def _rearrange(self, request: MovePlayer | RemovePlayer) -> str:
        sitting = next((sitting for sitting in self._seats.values() if sitting.key == request.key), None)
        if sitting is None:
            return "nobody"
        if isinstance(request, RemovePlayer):
            self._remove(sitting)
        elif 2 <= request.seat <= self._settings.players:
            self._move(sitting, request.seat)
        else:
            return "no_seat"
        return ""

    def _say(self, text: str) -> str:
        if isinstance(signed := self._talk.sign(self._own.credentials.identity, text), str):
            return signed
        line, shown = signed
        self._send(tuple(self._seats.values()), line)
        self._touch()
        self._on_event(LineSaid(1, self._own.name, self._own.key, clean(shown)))
        return ""

    # The table.

    @property
    def _full(self) -> bool:
        return len(self._seats) == self._settings.players - 1

    @property
    def _complete(self) -> bool:
        """True if all seats are taken, by players who have accepted the game."""
        return self._full and not self._asked and not any(sitting.asked for sitting in self._seats.values())

    @property
    def _kept(self) -> int:
        """The number of seats kept for those who have sat here before."""
        return len(self._former.missing(self._keys)) if trio.current_time() < self._kept_until else 0

    @property
    def _keys(self) -> frozenset[bytes]:
        return frozenset(sitting.key for sitting in self._seats.values())

    def _show(self) -> None:
        guests: list[Guest | None] = [Guest(self._own.name, self._own.key, self._asked)]
        for seat in range(2, self._settings.players + 1):
            sitting = self._seats.get(seat)
            guests.append(None if sitting is None else Guest(sitting.name, sitting.key, sitting.asked))
        self._version += 1
        self._on_event(LobbyShown(self._settings, tuple(guests), 1, self._own.relay))
        relay = None if self._own.relay is None else str(self._own.relay)
        seats = tuple(
            None if guest is None else wire.LobbySeat(guest.name, guest.key, self._talk.said(guest.key), guest.asked)
            for guest in guests
        )
        if self._spectators:
            self._spectators.feed.show_lobby(wire.LobbyMessage(self._settings, seats, None, relay))
        for sitting in self._seats.values():
            sitting.link.send(wire.LobbyMessage(self._settings, seats, sitting.seat, relay))
        self._touch()

    def _touch(self) -> None:
        self._touched_at = trio.current_time()
        self._changed.unpark_all()

    async def _until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            await self._changed.park()

    async def _settle(self) -> Agreement:
        """Propose tables until all seats are taken and all have agreed."""
        while True:
            await self._until_begun()
            self._round += 1
            if (agreement := await self._propose(self._round)) is not None:
                return agreement

    async def _until_begun(self) -> None:
        """Wait until all seats are taken and no player is asked.

        ``by_hand`` also for StartGame, or for a while without a change or a line.
        """
        await self._until(lambda: self._complete)
        while self._by_hand and not (self._complete and self._started):
            begins_at = self._touched_at + self._limits.full_table_s if self._complete else math.inf
            with trio.move_on_at(begins_at) as quiet:
                await self._changed.park()
            if quiet.cancelled_caught:
                return

    async def _propose(self, round_: int) -> Agreement | None:
        """Run one round: nonces, then the table. Return None if the seats changed, or a joiner did not answer."""
        members, version = tuple(self._seats[seat] for seat in sorted(self._seats)), self._version
        self._send(members, wire.Gather(round_))
        if not await self._answered(members, version, lambda sitting: sitting.nonce_round == round_):
            return None
        entries = [SeatEntry(self._own.name, self._own.key, self._own.randomness(32))]
        entries += [SeatEntry(sitting.name, sitting.key, sitting.nonce) for sitting in members]
        agreement = Agreement(1, self._settings, tuple(entries))
        self._own_relay = own_relay(self._own.relay, self._own.randomness)
        own = first_statement(self._own, agreement.seats[0].nonce, self._own_relay)
        self._statements = (own, *(sitting.addresses for sitting in members))
        self._send(members, wire.TableMessage(round_, encode_agreement(agreement), self._statements))
        ready = await self._answered(members, version, lambda sitting: sitting.ready == round_)
        return agreement if ready else None

    @staticmethod
    def _send(members: tuple[_SeatedGuest, ...], message: wire.WireMessage) -> None:
        for sitting in members:
            sitting.link.send(message)

    async def _answered(
        self, members: tuple[_SeatedGuest, ...], version: int, test: Callable[[_SeatedGuest], bool]
    ) -> bool:
        """Wait for all answers. Return False if seats or colours have changed since this ``version``.

        A joiner that gives none in time is sent away for it.
        """

        def same() -> bool:
            return self._version == version

        with trio.move_on_after(self._limits.lobby_answer_s):
            await self._until(lambda: not same() or all(map(test, members)))
            return same()
        for sitting in members:
            if not test(sitting):
                sitting.link.end(LinkLost(message("It did not answer.")))
                self._leave(sitting, message("It did not answer."))
        return False

    async def _start(self) -> dict[int, FrameStream]:
        """Tell all to start. Return the connections, free for the mesh, which dials lost ones again."""
        self._closed = True
        for sitting in self._seats.values():
            sitting.link.send(wire.StartMessage(self._round))
            sitting.link.stop()
        for sitting in self._seats.values():
            await sitting.ended.wait()
        return {seat: sitting.link.frames for seat, sitting in self._seats.items() if sitting.released}


def rematch_listeners(last: AgreedTable, seats: Iterable[int], dial: Dial = tcp_dial) -> list[Listener]:
    """Return the host's listeners for these seats of the last game, as far as they used its relay."""
    if last.relay is None:
        return []
    relay, book = last.relay.address, AddressBook(last, DEFAULT_LIMITS)
    tokens = [token for seat in seats if (token := book.token(seat, REMATCH)) is not None]
    return [RelayListener(Waiting(relay, token, "server", dial, DEFAULT_LIMITS).join) for token in tokens]
