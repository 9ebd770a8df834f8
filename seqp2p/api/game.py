"""A seat's game at an agreed table, played by any player: a script's turns, a bot, a program, a person; its lobby.

Theory of operation. ``LiveGame.play`` runs in the caller's task, from the agreement to the end of the game. It keeps a
replay, and the seat's own file next to it while the game goes on. When it ends by an error, or by a crash, that file
stays, and the seat can be resumed with it.
"""

import contextlib
import math
import secrets
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeAlias, cast

import trio

from seqp2p.api.endpoint import Endpoint
from seqp2p.api.home import LockedIdentity, replay_path
from seqp2p.bots.player import SeatPlayer
from seqp2p.crypto.equation import sum_first
from seqp2p.live.mesh import Mesh, look_for_seats
from seqp2p.live.recorder import TableEvent
from seqp2p.live.runtime import UNDER_TRIO, Runtime
from seqp2p.live.seat_session import GoOn, Leaving, Saying, Stopping
from seqp2p.live.session import SeatRunner
from seqp2p.lobby.code import safety_words
from seqp2p.lobby.discovery import Warn
from seqp2p.lobby.events import OnLobbyEvent
from seqp2p.lobby.names import is_bot_name
from seqp2p.lobby.requests import LobbyRequest, LobbyRequests
from seqp2p.lobby.table import AgreedTable, leave_table
from seqp2p.match.checks import Checks
from seqp2p.match.contribution import RevealBody, open_body, open_envelope
from seqp2p.match.events import Event, Result
from seqp2p.match.machine import Match
from seqp2p.match.seat import SeatKeys
from seqp2p.match.table import encode_agreement, game_id
from seqp2p.net.addresses import Address
from seqp2p.net.serving import Listener
from seqp2p.replay.sidecar import (
    ADDRESS_LENGTH_MAX,
    ADDRESSES_MAX,
    Sidecar,
    SidecarError,
    SidecarRelay,
    SidecarSecrets,
    sidecar_path,
)
from seqp2p.replay.writer import ReplayWriter

LINKED_S: Final = 3.0
"""For the first link to another seat: a dial by one side or, after ``dial_patience_s``, by the other."""
LINK_POLL_S: Final = 0.05

LIVE_CHECKS: Final = Checks(sum_first(secrets.token_bytes), lot_max=4)

SeatFiles: TypeAlias = AbstractContextManager[tuple[ReplayWriter, Sidecar]]


@dataclass(frozen=True, slots=True)
class Resources:
    """Resources that games of one process can share."""

    checks: Checks = LIVE_CHECKS
    runtime: Runtime = UNDER_TRIO


OWN_RESOURCES: Final = Resources()


def ignore(_: object) -> None:
    """Do nothing: for events that the caller does not read."""


def nothing() -> None:
    """Do nothing: for news that the caller does not wait for."""


@dataclass(frozen=True, slots=True)
class Resumption:
    """State of a resumed game.

    ``events`` had happened before; ``torn``: the last record was broken off. ``mapped`` is the port of the router that
    leads here.
    """

    events: tuple[Event, ...]
    torn: bool
    mapped: Address | None = None


class LiveGame:
    """One seat's game: ``play`` it, and meanwhile ``say``, ``go_on`` or ``leave``. Made by a lobby or by ``resume``."""

    def __init__(
        self,
        table: AgreedTable,
        match: Match,
        own: SeatKeys,
        replay: Path,
        open_files: Callable[[], SeatFiles],
        resumption: Resumption | None = None,
        runtime: Runtime = UNDER_TRIO,
    ) -> None:
        self.table: Final = table
        self.match: Final = match
        self.own: Final = own
        self.replay: Final = replay
        self.resumption: Final = resumption
        self._open_files = open_files
        self._runtime = runtime
        self._mesh = Mesh(table, secrets.token_bytes)
        self._begun_at = trio.current_time()
        self._playing = trio.Event()
        self._session: SeatRunner | None = None
        self._declined = False
        self._refused = 0

    @property
    def dealt(self) -> bool:
        """True once the cards were dealt."""
        return self.match.game.position is not None

    def ways(self) -> dict[int, int | str]:
        """Return how other seats are reached: through another one alone, which is named.

        Where this seat uses a relay, also by that alone (its address), or directly (an empty text).
        """
        only_ways = dict[int, int | str](self._mesh.relay.only_ways)
        if self.table.relay is None:
            return only_ways
        linked = dict.fromkeys(self._mesh.relay.linked, "")
        return only_ways | linked | dict.fromkeys(self._mesh.relayed, str(self.table.relay.address))

    @property
    def table_now(self) -> AgreedTable:
        """The table with the addresses at which the other seats can be reached now, as far as this seat knows."""
        book = self._mesh.addresses
        known = {seat: (*book(seat), *self.table.addresses.get(seat, ())) for seat in self.table.others}
        return replace(self.table, addresses=known)

    @property
    def left(self) -> bool:
        return self.own.number in self.match.left

    @property
    def out(self) -> frozenset[int]:
        """The seats that have left the game, are proved to have cheated, or were refused before it."""
        return frozenset(self.match.left) | frozenset(self.match.proven) | ({self._refused} - {0})

    async def play(
        self,
        player: SeatPlayer,
        on_event: Callable[[TableEvent], None],
        *,
        asks: bool = False,
        warn: Warn = ignore,
        begun: Callable[[], None] = nothing,
    ) -> Result:
        """Play to the end of the game. The replay is complete and signed when this returns, unless ``resumable``.

        ``on_event`` gets each event while the match is as it is after it. ``asks``: ask the player, a person, before
        the seat votes to go on without another. ``begun`` is called once the files are open.

        Cancelled, this stops for now, and the seat can be resumed. Raises OSError and SidecarError where nothing can be
        kept.
        """
        failure: BaseException | None = None
        result: Result | None = None
        with self._open_files() as (writer, sidecar):
            session = self._session = SeatRunner(
                self.match,
                self.own,
                self._mesh,
                player,
                writer,
                on_event,
                sidecar,
                runtime=self._runtime,
                asks=asks,
                people=frozenset() if asks else self.people(),
            )
            self._playing.set()
            begun()
            try:
                async with trio.open_nursery() as nursery:
                    # In a new game others have the addresses that this seat signed; the player need not be told.
                    told = ignore if self.resumption is None else warn
                    nursery.start_soon(look_for_seats, self.table, self._mesh, lambda: self.match.game.seats, told)
                    result = await session.run()
                    nursery.cancel_scope.cancel()
            except* (OSError, SidecarError) as group:
                failure = first_error(group)  # Errors of the network have names of their own: this is the disk.
            finally:
                # Once the game is over for this seat, its secrets are of no use.
                if session.is_over:
                    sidecar.delete()
            if failure is not None:
                raise failure
        assert result is not None, "the session has ended"
        return result

    def people(self) -> frozenset[int]:
        """Return the other seats that may have a person."""
        seats = enumerate(self.table.agreement.seats, 1)
        return frozenset(seat for seat, entry in seats if seat != self.own.number and not is_bot_name(entry.name))

    async def leave(self, reason: str) -> None:
        """Leave the game for good, by a signature that the others check; ``play`` returns then."""
        session = await self._begun()
        # A seat that has just sat down may have no link yet, and one that was just resumed may not sign yet.
        with trio.move_on_at(self._begun_at + LINKED_S):
            while self.own.waits_to_sign or not self._mesh.relay.linked:  # noqa: ASYNC110  # a mesh tells its session alone
                await trio.sleep(LINK_POLL_S)
        await session.put(Leaving(reason))

    async def decline(self, refused: int = 0) -> None:
        """Leave the table before the game, with a goodbye. Does nothing once it is played, or a second time.

        ``refused`` is the seat that this one does not play with, if that is the reason: it is told so, and is out.
        """
        if not self._playing.is_set() and not self._declined:
            self._declined = True
            self._refused = refused
            await leave_table(self.table, refused)

    async def say(self, text: str) -> None:
        """Say something to the table. Does nothing after the end."""
        await (await self._begun()).put(Saying(text))

    async def stop(self) -> None:
        """Stop for now: ``play`` returns, and the seat can be resumed, once the cards are dealt."""
        await (await self._begun()).put(Stopping())

    @property
    def stopped(self) -> bool:
        """True once this seat has stopped for now."""
        return self._session is not None and self._session.stopped

    @property
    def resumable(self) -> bool:
        """True once the game has stopped here, and can be resumed."""
        return self._session is not None and self._session.resumable

    async def go_on(self, seat: int) -> None:
        """Vote to go on without a seat that is away; or, with 0, wait as long again for all of them."""
        await (await self._begun()).put(GoOn(seat))

    async def _begun(self) -> SeatRunner:
        await self._playing.wait()
        assert self._session is not None, "it plays"
        return self._session


def new_game(
    table: AgreedTable, identity: LockedIdentity, directory: Path, resources: Resources = OWN_RESOURCES
) -> LiveGame:
    """Return the game of an agreed table, with a new replay in this folder. ``play`` makes its files."""
    match = Match(encode_agreement(table.agreement), table.seat, resources.checks)
    own = SeatKeys(table.seat, identity.identity, secrets.token_bytes)
    path = replay_path(directory, match.game.id, table.seat)

    @contextlib.contextmanager
    def open_files() -> Generator[tuple[ReplayWriter, Sidecar]]:
        with ReplayWriter(path, match) as writer:
            kept = seat_secrets(table, own, identity.file, table.listeners)
            with Sidecar.create(sidecar_path(path), kept) as sidecar:
                for statement in table.statements:
                    sidecar.log("here", statement.payload, statement.signature)
                sidecar.sync()
                yield writer, sidecar

    return LiveGame(table, match, own, path, open_files, runtime=resources.runtime)


def seat_secrets(
    table: AgreedTable, own: SeatKeys, identity_file: str, listeners: Sequence[Listener]
) -> SidecarSecrets:
    """Return the secrets that a seat keeps next to its replay, at the start of its game."""
    agreement, relay = encode_agreement(table.agreement), table.relay
    texts = [[str(each) for each in table.addresses.get(number, ())] for number in range(1, len(table.others) + 2)]
    return SidecarSecrets(
        game=game_id(agreement),
        agreement=agreement,
        seat=own.number,
        identity=identity_file,
        secret=own.secrets.secret.to_bytes(32, "big"),
        nonce=own.secrets.nonce,
        listen=_socket_text(listeners),
        # A host's name as it was typed can be longer than any address; the seat is found without it.
        addresses=tuple(
            tuple(text for text in each if len(text) <= ADDRESS_LENGTH_MAX)[:ADDRESSES_MAX] for each in texts
        ),
        relay=None if relay is None else SidecarRelay(str(relay.address), relay.key.secret_bytes()),
    )


def safety_words_with(match: Match, own: int, seat: int) -> tuple[str, ...] | None:
    """Return the safety words of two seats, the same at both ends; None before the keys are shown."""
    seed = joint_seed(match)
    seats = match.game.agreement.seats
    return None if seed is None else tuple(safety_words(seed, seats[own - 1].key, seats[seat - 1].key))


def joint_seed(match: Match) -> bytes | None:
    """Join the nonces of step ``reveal`` in seat order; return None before that step has closed."""
    closed = next((step for step in match.record[:2] if step.number == 2), None)
    if closed is None:
        return None
    bodies = [open_body(open_envelope(contribution.payload)) for _, contribution in closed.contributions]
    return b"".join(body.nonce for body in bodies if isinstance(body, RevealBody))


def first_error(error: BaseException) -> BaseException:
    """Return the first error in a group, at any depth."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("tuple[BaseException, ...]", error.exceptions)[0]
    return error


def _socket_text(listeners: Sequence[Listener]) -> str:
    assert isinstance(listeners[0], trio.SocketListener), "a seat listens on the network"
    return str(Address(*listeners[0].socket.getsockname()[:2]))


class Lobby:
    """The lobby of one game. ``wait`` returns the game once all seats have agreed; cancelled, it says goodbye."""

    def __init__(
        self,
        endpoint: Endpoint,
        sit_down: Callable[[LobbyRequests], Awaitable[AgreedTable]],
        resources: Resources = OWN_RESOURCES,
    ) -> None:
        self._endpoint = endpoint
        self._sit_down = sit_down
        self._resources = resources
        self.game: LiveGame | None = None
        self._asked, self._requests = trio.open_memory_channel[LobbyRequest](math.inf)

    def ask(self, request: LobbyRequest) -> None:
        """Ask for a seat, a colour, …. The answer is an event: LobbyShown, LineSaid, Declined."""
        self._asked.send_nowait(request)

    async def wait(self) -> LiveGame:
        """Wait until the table is full and agreed. Raises NetError where it cannot be."""
        table = await self._sit_down(self._requests)
        self.game = new_game(table, self._endpoint.identity, self._endpoint.replay_dir, self._resources)
        return self.game

    async def close(self) -> None:
        """Decline a game that was not played. Cannot be cancelled; takes at most ``close_s``."""
        if self.game is not None:
            with trio.CancelScope(shield=True):
                await self.game.decline()


class AnyTable(ABC):
    """A table for one game after the other. ``last``: the last game that was agreed at this table."""

    def __init__(self, endpoint: Endpoint, resources: Resources = OWN_RESOURCES) -> None:
        self.endpoint = endpoint
        self.last: LiveGame | None = None
        self._resources = resources

    @abstractmethod
    def open_lobby(
        self, on_event: OnLobbyEvent, *, asked: bool = False
    ) -> contextlib.AbstractAsyncContextManager[Lobby]:
        """Open the lobby of the next game; the block covers that game, too. ``on_event`` gets its events.

        ``asked``: the lobby tells the others that this player is asked for another game, until it gets AcceptGame.
        """

    @contextlib.asynccontextmanager
    async def _lobby(self, sit_down: Callable[[LobbyRequests], Awaitable[AgreedTable]]) -> AsyncGenerator[Lobby]:
        lobby = Lobby(self.endpoint, sit_down, self._resources)
        try:
            yield lobby
        finally:
            await lobby.close()
            self.last = lobby.game or self.last
