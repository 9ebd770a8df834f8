"""seqp2p: the board game Sequence between peers, with no referee and no host that sees a card.

Everything in ``__all__`` can be had from here and stays: docs/scripting.md, "As a library". A name is imported when it
is first asked for, so that ``import seqp2p`` costs nothing. All that waits runs under the caller's own trio.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from seqp2p.api.events import Events
    from seqp2p.api.home import HomeError
    from seqp2p.api.replays import read, verify
    from seqp2p.api.resume import resume
    from seqp2p.api.seat import Seat, play_bot
    from seqp2p.api.settings import table_settings
    from seqp2p.api.table import Hidden, OpenTable, host, join
    from seqp2p.api.turns import Turn
    from seqp2p.api.watch import Spectator, watch
    from seqp2p.bots.player import Bot
    from seqp2p.bots.registry import BOTS
    from seqp2p.crypto.identity import Identity, fingerprint
    from seqp2p.live.absence import Absent, Awaited, Back
    from seqp2p.lobby.events import (
        CodeShown,
        Declined,
        Guest,
        LineSaid,
        LobbyShown,
        SpectatorCame,
        Strangers,
        TurnedAway,
    )
    from seqp2p.lobby.requests import (
        ChooseColour,
        MovePlayer,
        RemovePlayer,
        SayLine,
        SeatChoice,
        StartGame,
        TakeSeat,
    )
    from seqp2p.match.events import (
        AdjournSigned,
        Dealt,
        Drawn,
        Dropped,
        Finished,
        Redealt,
        Remarked,
        Result,
        Seated,
        Shuffled,
        Skipped,
        Turned,
        Undone,
        Voted,
    )
    from seqp2p.match.table import Settings, TableError
    from seqp2p.net.addresses import AddressError
    from seqp2p.net.errors import BadCode, LinkLost, NetError, PeerError, PeerRefused, Unreachable, WrongKey
    from seqp2p.replay.playback import CheatProved, Moment, Playback, Reshuffled, SeatLeft
    from seqp2p.replay.resume import GameOver, ResumeError
    from seqp2p.replay.sidecar import SeatHeld, SidecarError
    from seqp2p.replay.verify import Player, Report
    from seqp2p.rules import (
        CLASSIC,
        KIDS,
        UNKNOWN,
        VARIANTS,
        Action,
        AmbiguousAction,
        IllegalAction,
        NotationError,
        Options,
        Position,
        RulesError,
        Variant,
        View,
        format_action,
        format_card,
        format_square,
        parse_action,
        parse_card,
        parse_square,
    )

__version__ = "0.1.0"

__all__ = [
    "BOTS",
    "CLASSIC",
    "KIDS",
    "UNKNOWN",
    "VARIANTS",
    "Absent",
    "Action",
    "AddressError",
    "AdjournSigned",
    "AmbiguousAction",
    "Awaited",
    "Back",
    "BadCode",
    "Bot",
    "CheatProved",
    "ChooseColour",
    "CodeShown",
    "Dealt",
    "Declined",
    "Drawn",
    "Dropped",
    "Events",
    "Finished",
    "GameOver",
    "Guest",
    "Hidden",
    "HomeError",
    "Identity",
    "IllegalAction",
    "LineSaid",
    "LinkLost",
    "LobbyShown",
    "Moment",
    "MovePlayer",
    "NetError",
    "NotationError",
    "OpenTable",
    "Options",
    "PeerError",
    "PeerRefused",
    "Playback",
    "Player",
    "Position",
    "Redealt",
    "Remarked",
    "RemovePlayer",
    "Report",
    "Reshuffled",
    "Result",
    "ResumeError",
    "RulesError",
    "SayLine",
    "Seat",
    "SeatChoice",
    "SeatHeld",
    "SeatLeft",
    "Seated",
    "Settings",
    "Shuffled",
    "SidecarError",
    "Skipped",
    "Spectator",
    "SpectatorCame",
    "StartGame",
    "Strangers",
    "TableError",
    "TakeSeat",
    "Turn",
    "Turned",
    "TurnedAway",
    "Undone",
    "Unreachable",
    "Variant",
    "View",
    "Voted",
    "WrongKey",
    "__version__",
    "fingerprint",
    "format_action",
    "format_card",
    "format_square",
    "host",
    "join",
    "parse_action",
    "parse_card",
    "parse_square",
    "play_bot",
    "read",
    "resume",
    "table_settings",
    "verify",
    "watch",
]

_NAMES = {
    "seqp2p.api.events": "Events",
    "seqp2p.api.home": "HomeError",
    "seqp2p.api.replays": "read verify",
    "seqp2p.api.resume": "resume",
    "seqp2p.api.seat": "Seat play_bot",
    "seqp2p.api.settings": "table_settings",
    "seqp2p.api.table": "Hidden OpenTable host join",
    "seqp2p.api.turns": "Turn",
    "seqp2p.api.watch": "Spectator watch",
    "seqp2p.bots.player": "Bot",
    "seqp2p.bots.registry": "BOTS",
    "seqp2p.crypto.identity": "Identity fingerprint",
    "seqp2p.live.absence": "Absent Awaited Back",
    "seqp2p.lobby.events": "CodeShown Declined Guest LineSaid LobbyShown SpectatorCame Strangers TurnedAway",
    "seqp2p.lobby.requests": "ChooseColour MovePlayer RemovePlayer SayLine SeatChoice StartGame TakeSeat",
    "seqp2p.match.events": "AdjournSigned Dealt Drawn Dropped Finished Redealt Remarked Result Seated Shuffled Skipped "
    "Turned Undone Voted",
    "seqp2p.match.table": "Settings TableError",
    "seqp2p.net.addresses": "AddressError",
    "seqp2p.net.errors": "BadCode LinkLost NetError PeerError PeerRefused Unreachable WrongKey",
    "seqp2p.replay.playback": "SeatLeft Moment Playback CheatProved Reshuffled",
    "seqp2p.replay.resume": "GameOver ResumeError",
    "seqp2p.replay.sidecar": "SeatHeld SidecarError",
    "seqp2p.replay.verify": "Player Report",
    "seqp2p.rules": "CLASSIC KIDS UNKNOWN VARIANTS Action AmbiguousAction IllegalAction NotationError Options Position "
    "RulesError Variant View format_action format_card format_square parse_action parse_card parse_square",
}
_PLACES = {name: place for place, names in _NAMES.items() for name in names.split()}

if not TYPE_CHECKING:  # A type checker finds only the names above.

    def __getattr__(name: str) -> object:
        """Import a name of ``__all__``, and keep it."""
        import importlib

        if name not in _PLACES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = globals()[name] = getattr(importlib.import_module(_PLACES[name]), name)
        return found

    def __dir__() -> list[str]:
        """Return all names, the ones not imported yet among them."""
        return sorted({*globals(), *__all__})
