"""The full mesh: a link to every seat that can be reached, and contributions passed on until all have them.

Theory of operation. One task per other seat keeps a link to it: the higher seat dials at once, the lower one after a
moment without a link; after each round of dials that fails it waits longer. A task carries each link (links.py).
Two seats may have two links, because both dialled or because an old one is not known to be dead yet: both are read,
the newest is written to, and a third pushes out the oldest. So no side has to choose, and none can choose
differently from the other. gossip.py decides which message goes to which seat.

Where two seats use one relay, a second task meets the other seat there, once a round of direct dials has failed and
until there is a link: the lower seat waits as the TLS server, the higher one as its client. Direct links are
preferred: new addresses of a seat that is linked by the relay alone are dialled. A failure of the relay is no fault of
a seat, and does not slow the direct dials.

A seat without a direct link to another advertises itself on the network, and looks for it there.
"""

import contextlib
from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import Final, TypeAlias

import trio

from seqp2p.crypto.group import Randomness
from seqp2p.i18n import message, message_of
from seqp2p.lobby.address_statement import AddressBook
from seqp2p.lobby.adverts import SeatAdvert, game_mark
from seqp2p.lobby.discovery import Warn, advertising, find_seats
from seqp2p.lobby.place import MetLine
from seqp2p.lobby.table import AgreedTable
from seqp2p.match.text import clean
from seqp2p.net import tls
from seqp2p.net.addresses import Address, tcp_dial
from seqp2p.net.auth import NO_LOBBY, check_client
from seqp2p.net.dialling import Dial, pause_s, reach
from seqp2p.net.errors import LinkLost, NetError, PeerError, PeerRefused
from seqp2p.net.frames import FrameStream
from seqp2p.net.gossip import PeerState, Store
from seqp2p.net.interfaces import Interfaces, is_loopback
from seqp2p.net.limits import DEFAULT_LIMITS, Limits
from seqp2p.net.links import Link, rest
from seqp2p.net.messages import AddressUpdate, Bye, LinkStage, Proof, WireMessage, bye
from seqp2p.net.relay import FirstHave, LinkDown, LinkUp, Moved, Neighbour, Received, Relay
from seqp2p.net.serving import Gate, Handshakes, serve
from seqp2p.net.transit import Side, Waiting

MeshEvent: TypeAlias = Received | FirstHave | LinkUp | LinkDown | Moved
_POLL_S: Final = 1.0


class MeshPeer(Neighbour[Link]):
    """Another seat. ``links`` has the newest last."""

    def __init__(self, table: AgreedTable, seat: int, limits: Limits) -> None:
        super().__init__(seat, table.name(seat), PeerState(table.seat, seat, limits))
        self.key = table.key(seat)
        self.failures = 0
        self.missed = False
        """True if a round of direct dials has failed since the last link."""
        self.moved = False
        """True if its addresses have changed since the last round of direct dials began."""
        self.cut = 0
        """The links by the relay in a row that did not last."""
        self.news = trio.lowlevel.ParkingLot()
        """Told after each change: a link more or less, or another address."""

    @property
    def direct(self) -> bool:
        """True if there is a link that goes by no relay."""
        return any(not link.relayed for link in self.links)

    @property
    def is_sought(self) -> bool:
        """True if it is to be dialled: it has no link, or one by a relay and new addresses."""
        return not self.links or (self.moved and not self.direct)

    async def until(self, condition: Callable[["MeshPeer"], object]) -> None:
        while not condition(self):
            await self.news.park()


class Mesh:
    """The links of one seat. They put what they receive into one inbox. While nobody takes it, they read no further.

    A message is handed on as it came, unverified: who signed it is for the session to find out, and what it accepts
    it gives back to ``pass_on``.
    """

    def __init__(
        self,
        table: AgreedTable,
        randomness: Randomness,
        limits: Limits = DEFAULT_LIMITS,
        *,
        dial: Dial = tcp_dial,
        dial_filter: Callable[[int], bool] = lambda _: True,
    ) -> None:
        """``randomness(n)`` gives n random bytes; ``dial`` opens streams, ``dial_filter`` says which seats to dial."""
        self.table = table
        self._randomness = randomness
        self._limits = limits
        self._dial = dial
        self._dial_filter = dial_filter
        self._peers = {seat: MeshPeer(table, seat, limits) for seat in table.others}
        self.relay = Relay(table.seat, self._peers, trio.current_time)
        self._address_book = AddressBook(table, limits)
        self._telling: set[trio.CancelScope] = set()
        handshakes = Handshakes(limits, limits.game_handshake_rate)
        self._gate = Gate(limits.handshakes_max, limits.authenticate_s, handshakes)
        self.scope: Final = trio.CancelScope()
        """The scope of ``run``. If it is shielded, the links outlive a cancellation."""
        self._closing = False

    async def run(
        self,
        store: Store,
        inbox: trio.MemorySendChannel[MeshEvent],
        *,
        task_status: "trio.TaskStatus[None]" = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """Keep the links until ``close`` or cancelled. ``store`` is read, never written.

        Each link hands one message at a time to the ``inbox``, which holds none: so no link crowds out another, and
        each message is paid for before the next.
        """
        self._inbox = inbox
        feed = None if self.table.spectators is None else self.table.spectators.feed
        if feed is not None:
            feed.begin(self.table.agreement)
        self.relay.begin(store, feed)
        with self.scope:
            async with trio.open_nursery() as nursery:
                self._nursery = nursery
                for seat, frames in self.table.links.items():
                    self._adopt(self._peers[seat], frames)
                serve(nursery, self.table.listeners, self._welcome)
                for peer in self._peers.values():
                    peer.search.lost(trio.current_time())
                    self._know(peer)
                    if self._dial_filter(peer.seat):
                        nursery.start_soon(self._keep_linked, peer)
                        if self.table.relay is not None:
                            nursery.start_soon(self._keep_meeting, peer, self.table.relay.address)
                task_status.started()
                await trio.sleep_forever()

    @property
    def relayed(self) -> frozenset[int]:
        """The seats that are linked by the relay alone."""
        return frozenset(peer.seat for peer in self._peers.values() if peer.links and not peer.direct)

    def addresses(self, seat: int) -> tuple[Address, ...]:
        """Return the addresses that a seat has signed, this one or another."""
        return self._address_book.signed(seat)

    def add_addresses(self, seat: int, addresses: Iterable[Address]) -> None:
        """Note addresses found on the network for another seat; they are dialled in turn."""
        if seat in self._peers and self._address_book.find(seat, addresses):
            self._know(self._peers[seat])

    def _know(self, peer: MeshPeer) -> None:
        """Note the addresses that a seat has signed; a change ends no pause, and no search that goes on."""
        peer.search.signed = frozenset(self._address_book.signed(peer.seat))
        peer.search.has_relay = self._address_book.token(peer.seat) is not None
        peer.moved = True
        peer.news.unpark_all()

    async def close(self, reason: str) -> None:
        """Say goodbye, let the queue be sent, and end ``run``; takes at most ``close_s``."""
        self._closing = True
        for scope in self._telling:
            scope.cancel()
        for peer in self._peers.values():
            self.relay.answer_first(peer.seat)  # The session has not come to it.
            for link in peer.links:
                link.send(bye(reason))
        if self.table.spectators:
            self.table.spectators.say_goodbye(reason)
        # The reader of the farewell closes the link. Closing it from here could lose what is still on its way.
        with trio.move_on_after(self._limits.close_s):
            for peer in self._peers.values():
                await peer.until(lambda peer: not peer.links)
            if self.table.spectators:
                await self.table.spectators.until_gone()
        self.scope.cancel()

    # Links: made, carried, ended.

    async def _keep_linked(self, peer: MeshPeer) -> None:
        """Search for a seat as long as it is to be dialled: one search at a time, and a pause after each that fails."""
        while True:
            await peer.until(lambda peer: peer.is_sought and self._address_book.of(peer.seat))
            if not peer.links:
                with trio.move_on_after(self._pause_s(peer)):
                    await peer.until(lambda peer: peer.links)
            peer.search.given_up = peer.faults >= self._limits.faults_max
            if peer.search.given_up or self._closing:
                return
            if peer.is_sought:
                await self._search(peer)

    def _pause_s(self, peer: MeshPeer) -> float:
        if peer.failures:
            return pause_s(peer.failures, self._jitter(), self._limits)
        return 0.0 if self.table.seat > peer.seat else self._limits.dial_patience_s

    async def _search(self, peer: MeshPeer) -> None:
        """Dial all addresses of a seat side by side, one a second, until there is a direct link or all have failed."""
        began_at, addresses, peer.moved = trio.current_time(), self._address_book.of(peer.seat), False
        async with trio.open_nursery() as nursery:
            for address in addresses:
                with trio.move_on_after(peer.search.plan_s(trio.current_time())):
                    await peer.until(lambda peer: peer.direct)
                if peer.direct:
                    break
                nursery.start_soon(self._dial_peer, peer, address, self._dial)
        if not peer.links:
            peer.failures += 1
            peer.search.failed(began_at, addresses)
            self._address_book.turn(peer.seat)
            peer.missed = True
            peer.news.unpark_all()

    async def _keep_meeting(self, peer: MeshPeer, relay: Address) -> None:
        """Be at the relay for a seat while there is no link to it and direct dials have failed."""
        while peer.faults < self._limits.faults_max and not self._closing:
            token = self._address_book.token(peer.seat)
            if peer.links or token is None or not (peer.missed or not self._address_book.of(peer.seat)):
                await peer.news.park()
                continue
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._meet, peer, relay, token)
                while not peer.links and token == self._address_book.token(peer.seat):
                    peer.search.meets(trio.current_time())
                    await peer.news.park()
                nursery.cancel_scope.cancel()

    async def _meet(self, peer: MeshPeer, relay: Address, token: bytes) -> None:
        """Join lines with a seat until cancelled."""
        side: Side = "server" if self.table.seat < peer.seat else "client"
        waiting = Waiting(relay, token, side, self._dial, self._limits)
        if peer.cut:
            await trio.sleep(pause_s(peer.cut, self._jitter(), self._limits))
        while True:
            stream = await waiting.join()
            if side == "server":
                await self._welcome(stream, f"pair {peer.seat}")
            else:
                await self._dial_peer(peer, relay, MetLine(stream, waiting.join).dial)

    def _jitter(self) -> float:
        return 0.5 + self._randomness(1)[0] / 510

    async def _dial_peer(self, peer: MeshPeer, address: Address, dial: Dial) -> None:
        # It goes on when there is a link meanwhile: it may be the other side's dial, which would end for this one.
        credentials, game = self.table.credentials, self.table.game
        with trio.move_on_after(self._limits.dial_s), contextlib.suppress(NetError):
            link = await reach(address, credentials, dial, self._limits, role="link", game=game, expected_key=peer.key)
            self._adopt(peer, link.frames)

    async def _welcome(self, stream: trio.abc.Stream, source: str = "") -> None:
        """One connection from outside: TLS, authentication, and then it is a link.

        A line at the token of a pair has a ``source`` of its own: strangers at the same relay take no time from it.
        """
        with self._gate.enter(stream, source) as place:
            try:
                frames = await place.accept(self.table.credentials)
                async with tls.closing_on_error(frames.stream):
                    proof = await check_client(
                        frames,
                        self.table.credentials,
                        lobby=NO_LOBBY,
                        admit=self._admit,
                        randomness=self._randomness,
                        limits=self._limits,
                    )
                    if proof.role == "link":
                        pace = self._seated(proof).view.pace
                        await rest(pace)
                        pace.spend(self._limits.link_cost_ms / 1e3, trio.current_time())
                        place.forgive()
            except NetError:
                return  # A stranger's failure is of no interest to the game.
            if proof.role == "watch" and self.table.spectators:
                self.table.spectators.welcome(frames, proof, place.source)
            else:
                self._adopt(self._seated(proof), frames)

    def _admit(self, proof: Proof) -> None:
        if proof.role == "join":
            raise PeerRefused("game_started")
        if proof.role == "watch":
            if not self.table.spectators:
                raise PeerRefused("no_spectators")
            self.table.spectators.feed.admit(proof.key, proof.id)
            return
        if proof.id != self.table.game:
            raise PeerRefused("wrong_game")
        if self._seated(proof).faults >= self._limits.faults_max:
            raise PeerRefused("faulty")

    def _seated(self, proof: Proof) -> MeshPeer:
        for peer in self._peers.values():
            if peer.key == proof.key:
                return peer
        raise PeerRefused("not_seated")

    def _adopt(self, peer: MeshPeer, frames: FrameStream) -> None:
        link = Link(frames, self._limits, peer.view.pace)
        peer.links.append(link)
        peer.missed = False
        peer.news.unpark_all()
        if len(peer.links) > self._limits.links_per_seat:
            peer.links[0].end(LinkLost(message("A newer connection has taken its place.")))
        self._nursery.start_soon(self._carry, peer, link)

    async def _carry(self, peer: MeshPeer, link: Link) -> None:
        error: NetError | None = None
        try:
            if not peer.up:
                peer.up = True
                self.relay.announce_links(but=link)
                # A session that is busy takes it later; meanwhile the link has its signs of life.
                self._nursery.start_soon(self._hand_on, LinkUp(peer.seat))
            self.relay.greet(link, self._address_book.frames)
            alive = partial(self.relay.alive, peer, link)
            error = await link.run(LinkStage.GAME, partial(self._handle, peer, link), alive)
        finally:
            self._drop(peer, link, error)
            await link.frames.abort()
        if peer.up and not peer.links:
            peer.up = False
            blamed, peer.blamed = peer.blamed, None
            self.relay.announce_links()
            ended = blamed or error
            reason = message("{peer}: {reason}", peer=peer.name, reason=message_of(ended) if ended else "")
            await self._hand_on(LinkDown(peer.seat, reason, blamed is not None))

    def _drop(self, peer: MeshPeer, link: Link, error: NetError | None) -> None:
        peer.lost(link)
        if isinstance(error, PeerError):
            peer.blame(error)
        lived = trio.current_time() - link.since >= self._limits.silence_s
        if lived:
            peer.failures = peer.cut = 0
        elif link.relayed:
            peer.cut += 1
        else:
            peer.failures += 1
        if not peer.links:
            peer.search.lost(trio.current_time())
        peer.news.unpark_all()

    # Messages.

    async def _handle(self, peer: MeshPeer, link: Link, received: WireMessage) -> None:
        match received:
            case AddressUpdate():
                self._hear_of(received)
            case Bye(reason):
                await self._hand_on(Received(peer.seat, received))
                text = message("It has left: {reason}", reason=clean(reason)) if reason else message("It has left.")
                raise LinkLost(text)
            case _:
                if (heard := self.relay.handle(peer, link, received)) is not None:
                    await self._hand_on(heard)

    def _hear_of(self, received: AddressUpdate) -> None:
        """A seat listens elsewhere now. One task for each seat takes the newest change every few seconds."""
        seat = self._address_book.handle(received)
        if seat is not None:
            self._nursery.start_soon(self._take_change, seat)

    async def _take_change(self, seat: int) -> None:
        """Dial a seat at its new addresses, pass them on, and keep them."""
        await trio.sleep(self._address_book.wait_s(seat, trio.current_time()))
        statement = self._address_book.take(seat, trio.current_time())
        update = AddressUpdate(statement.payload, statement.signature)
        for peer in self._peers.values():
            if peer.seat == seat:
                self._know(peer)
            elif peer.links:
                peer.links[-1].send(update)
        await self._hand_on(Moved(seat, update))

    async def _hand_on(self, event: MeshEvent) -> None:
        if self._closing:
            if isinstance(event, FirstHave):
                self.relay.answer_first(event.seat)  # The session takes nothing more, so nothing comes before it.
            return
        with trio.CancelScope() as scope:
            self._telling.add(scope)
            try:
                await self._inbox.send(event)
            finally:
                self._telling.discard(scope)


async def look_for_seats(
    table: AgreedTable, mesh: Mesh, members: Callable[[], Collection[int]], warn: Warn, interfaces: Interfaces = None
) -> None:
    """Look for each of these seats while this one has no direct link to it, until cancelled.

    Where it listens on loopback alone there is nothing to find. Two looks a second apart begin it, so links that are
    just made, or made again at once, cost nothing.
    """
    listeners = [each for each in table.listeners if isinstance(each, trio.SocketListener)]
    if interfaces is None and all(is_loopback(each.socket.getsockname()[0]) for each in listeners):
        return

    def lacking() -> Collection[int]:
        return set(members()) - mesh.relay.linked - {table.seat}

    while True:
        await trio.sleep(_POLL_S)
        if not lacking():
            continue
        await trio.sleep(_POLL_S)
        if not lacking():
            continue
        advert, own = SeatAdvert(game_mark(table.game), table.seat), mesh.addresses(table.seat)
        async with advertising(advert, listeners, own, warn, interfaces), trio.open_nursery() as nursery:
            nursery.start_soon(find_seats, table.game, mesh.add_addresses, interfaces)
            while lacking():  # noqa: ASYNC110  # a mesh tells its session alone
                await trio.sleep(_POLL_S)
            nursery.cancel_scope.cancel()
