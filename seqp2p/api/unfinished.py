"""What a seat keeps beside its replay while its game goes on, and taking hold of the seat again with it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import trio

from seqp2p.lobby.table import AgreedTable
from seqp2p.match.seat import SeatKeys
from seqp2p.match.table import encode_agreement, game_id
from seqp2p.net.serving import Listener
from seqp2p.replay.resume import GameOver, Loaded, ResumeError, load
from seqp2p.replay.sidecar import ADDRESS_LENGTH_MAX, ADDRESSES_MAX, Logged, Sidecar, SidecarSecrets, sidecar_path


@dataclass(frozen=True)
class Unfinished:
    """A game whose seat this process holds now. Whoever gets it closes the sidecar."""

    replay: Path
    sidecar: Sidecar
    secrets: SidecarSecrets
    logged: tuple[Logged, ...]
    loaded: Loaded
    torn: bool
    """Whether something that a crash broke off was dropped, here or there."""


def secrets_of(table: AgreedTable, seat: SeatKeys, identity_file: str, listeners: Sequence[Listener]) -> SidecarSecrets:
    """What a seat keeps beside its replay, at the start of its game."""
    agreement = encode_agreement(table.agreement)
    texts = [[str(each) for each in table.addresses.get(number, ())] for number in range(1, len(table.others) + 2)]
    return SidecarSecrets(
        game=game_id(agreement),
        agreement=agreement,
        seat=seat.number,
        identity=identity_file,
        secret=seat.secrets.secret.to_bytes(32, "big"),
        nonce=seat.secrets.nonce,
        listen=_sock_text(listeners),
        # A host's name as it was typed can be longer than any address; the seat is found without it.
        addresses=tuple(
            tuple(text for text in each if len(text) <= ADDRESS_LENGTH_MAX)[:ADDRESSES_MAX] for each in texts
        ),
    )


def open_unfinished(replay: Path) -> Unfinished:
    """Take hold of the seat whose replay this is; raises SidecarError, ResumeError, OSError."""
    sidecar, secrets, logged, torn = Sidecar.open(sidecar_path(replay))
    try:
        loaded = load(replay, secrets.agreement, secrets.seat)
    except GameOver:
        # It ended between the end of the replay and that of the secrets.
        sidecar.delete()
        raise
    except (ResumeError, OSError, ValueError):
        sidecar.close()
        raise
    return Unfinished(replay, sidecar, secrets, logged, loaded, torn or loaded.torn)


def _sock_text(listeners: Sequence[Listener]) -> str:
    assert isinstance(listeners[0], trio.SocketListener), "a seat listens on the network"
    host, port = listeners[0].socket.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
