"""The next game at a table: its lobby, and the LiveGame (live/game.py) that it gives once all seats have agreed."""

import contextlib
import math
import secrets
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import trio

from seqp2p.api.endpoint import Endpoint
from seqp2p.api.home import LockedIdentity, replay_path
from seqp2p.arguments import check_arguments
from seqp2p.crypto.equation import sum_first
from seqp2p.live.game import LiveGame as LiveGame  # noqa: PLC0414  # for the command line
from seqp2p.live.mesh import Mesh
from seqp2p.live.runtime import UNDER_TRIO, Runtime
from seqp2p.lobby.code import safety_words
from seqp2p.lobby.events import LobbyRequest, LobbyRequests, OnLobbyEvent
from seqp2p.lobby.table import AgreedTable
from seqp2p.match.checks import Checks
from seqp2p.match.contribution import RevealBody, open_body, open_envelope
from seqp2p.match.machine import Match
from seqp2p.match.seat import SeatKeys
from seqp2p.match.table import encode_agreement, game_id
from seqp2p.net.addresses import Address
from seqp2p.net.serving import Listener
from seqp2p.replay.sidecar import ADDRESS_LENGTH_MAX, ADDRESSES_MAX, Sidecar, SidecarRelay, SidecarSecrets, sidecar_path
from seqp2p.replay.writer import ReplayWriter

LIVE_CHECKS: Final = Checks(sum_first(secrets.token_bytes), lot_max=4)


@dataclass(frozen=True, slots=True)
class Resources:
    """Resources that games of one process can share."""

    checks: Checks = LIVE_CHECKS
    runtime: Runtime = UNDER_TRIO


OWN_RESOURCES: Final = Resources()


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

    mesh = Mesh(table, secrets.token_bytes)
    return LiveGame(mesh, match, own, path, open_files, runtime=resources.runtime)


def seat_secrets(
    table: AgreedTable, own: SeatKeys, identity_file: str, listeners: Sequence[Listener]
) -> SidecarSecrets:
    """Return the secrets that a seat keeps next to its replay, at the start of its game."""
    agreement, relay = encode_agreement(table.agreement), table.relay
    texts = [[str(each) for each in table.addresses.get(number, ())] for number in range(1, len(table.others) + 2)]
    assert isinstance(listeners[0], trio.SocketListener), "a seat listens on the network"
    return SidecarSecrets(
        game=game_id(agreement),
        agreement=agreement,
        seat=own.number,
        identity=identity_file,
        secret=own.secrets.secret.to_bytes(32, "big"),
        nonce=own.secrets.nonce,
        listen=str(Address(*listeners[0].socket.getsockname()[:2])),
        # A host's name as it was typed can be longer than any address; the seat is found without it.
        addresses=tuple(
            tuple(text for text in each if len(text) <= ADDRESS_LENGTH_MAX)[:ADDRESSES_MAX] for each in texts
        ),
        relay=None if relay is None else SidecarRelay(str(relay.address), relay.key.secret_bytes()),
    )


def safety_words_with(match: Match, own: int, seat: int) -> tuple[str, ...] | None:
    """Return the safety words of two seats, the same at both ends; None before the keys are shown."""
    reveal = next((step for step in match.record[:2] if step.number == 2), None)
    if reveal is None:
        return None
    bodies = [open_body(open_envelope(contribution.payload)) for _, contribution in reveal.contributions]
    seed = b"".join(body.nonce for body in bodies if isinstance(body, RevealBody))  # in seat order
    seats = match.game.agreement.seats
    return tuple(safety_words(seed, seats[own - 1].key, seats[seat - 1].key))


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

    @check_arguments
    def ask(self, request: LobbyRequest) -> None:
        """Ask for a seat, a colour, …. The answer is an event: LobbyShown, LineSaid, Declined."""
        self._asked.send_nowait(request)

    async def wait(self) -> LiveGame:
        """Wait until the table is full and agreed. Raises NetError where it cannot be. For this package."""
        table = await self._sit_down(self._requests)
        self.game = new_game(table, self._endpoint.identity, self._endpoint.replay_dir, self._resources)
        return self.game


@dataclass(eq=False, repr=False, kw_only=True)
class AnyTable(ABC):
    """A table for one game after the other. ``last``: the last game that was agreed at this table."""

    endpoint: Endpoint
    last: LiveGame | None = None
    resources: Resources = OWN_RESOURCES

    @abstractmethod
    def open_lobby(
        self, on_event: OnLobbyEvent, *, asked: bool = False
    ) -> contextlib.AbstractAsyncContextManager[Lobby]:
        """Open the lobby of the next game; the block covers that game, too. ``on_event`` gets its events.

        ``asked``: the lobby tells the others that this player is asked for another game, until it gets AcceptGame.
        """

    @contextlib.asynccontextmanager
    async def _lobby(self, sit_down: Callable[[LobbyRequests], Awaitable[AgreedTable]]) -> AsyncGenerator[Lobby]:
        lobby = Lobby(self.endpoint, sit_down, self.resources)
        try:
            yield lobby
        finally:
            if lobby.game is not None:
                with trio.CancelScope(shield=True):
                    await lobby.game.decline()  # It was not played.
            self.last = lobby.game or self.last
