"""Every name that ``import seqp2p`` gives, with its module.

``seqp2p`` reads the imports of this module without doing them, so each name is imported when it is first asked for.
"""

from seqp2p.api.at_table import Events as Events
from seqp2p.api.home import HomeError as HomeError, KeyFileWarning as KeyFileWarning
from seqp2p.api.bots import play_bot as play_bot
from seqp2p.api.error_codes import ERROR_CODES as ERROR_CODES
from seqp2p.api.game import Lobby as Lobby
from seqp2p.api.games import PastGame as PastGame, games as games
from seqp2p.api.host import Hidden as Hidden, OpenTable as OpenTable, OpenTableEvent as OpenTableEvent, host as host
from seqp2p.api.join import JoinedLobby as JoinedLobby, join as join, join_lobby as join_lobby
from seqp2p.api.known import Known as Known, Meeting as Meeting, known_players as known_players, remember as remember
from seqp2p.api.port_mapping import PortEvent as PortEvent
from seqp2p.api.replays import (
    read as read,
    review as review,
    stats as stats,
    verify as verify,
    verify_many as verify_many,
)
from seqp2p.api.resume import NotThisSeat as NotThisSeat, resume as resume
from seqp2p.api.seat import Seat as Seat, SeatEvent as SeatEvent, rematch as rematch
from seqp2p.api.settings import table_settings as table_settings
from seqp2p.api.turns import Turn as Turn
from seqp2p.api.watch import Spectator as Spectator, watch as watch
from seqp2p.bots.exec_player import BotFailed as BotFailed
from seqp2p.bots.player import Bot as Bot
from seqp2p.bots.registry import BOTS as BOTS
from seqp2p.reviewing import Judged as Judged, Review as Review
from seqp2p.cli.export import export as export
from seqp2p.crypto.errors import CryptoError as CryptoError
from seqp2p.crypto.identity import Identity as Identity, fingerprint as fingerprint
from seqp2p.errors import UserError as UserError
from seqp2p.live.absence import Absent as Absent, Back as Back
from seqp2p.live.recorder import TableEvent as TableEvent
from seqp2p.live.voting import AskAbout as AskAbout
from seqp2p.lobby.events import (
    DECLINED as DECLINED,
    CodeShown as CodeShown,
    Declined as Declined,
    Guest as Guest,
    LineSaid as LineSaid,
    LobbyEvent as LobbyEvent,
    LobbyRequest as LobbyRequest,
    LobbyShown as LobbyShown,
    MovePlayer as MovePlayer,
    RelayState as RelayState,
    RemovePlayer as RemovePlayer,
    SayLine as SayLine,
    SeatChoice as SeatChoice,
    SpectatorCame as SpectatorCame,
    StartGame as StartGame,
    Strangers as Strangers,
    TurnedAway as TurnedAway,
    UseRelay as UseRelay,
)
from seqp2p.match.contribution import Contribution as Contribution
from seqp2p.match.events import (
    Dealt as Dealt,
    Drawn as Drawn,
    Dropped as Dropped,
    Event as Event,
    Finished as Finished,
    Redealt as Redealt,
    Remarked as Remarked,
    Result as Result,
    Seated as Seated,
    Shuffled as Shuffled,
    Skipped as Skipped,
    Turned as Turned,
    Undone as Undone,
    Voted as Voted,
)
from seqp2p.match.table import (
    SeatEntry as SeatEntry,
    Agreement as Agreement,
    Settings as Settings,
    TableChoices as TableChoices,
    TableError as TableError,
)
from seqp2p.net.addresses import Address as Address, AddressError as AddressError
from seqp2p.net.errors import (
    REFUSALS as REFUSALS,
    BadCode as BadCode,
    LinkLost as LinkLost,
    NetError as NetError,
    PeerError as PeerError,
    PeerRefused as PeerRefused,
    TooSlow as TooSlow,
    Unreachable as Unreachable,
    WrongKey as WrongKey,
)
from seqp2p.net.messages import AcceptGame as AcceptGame, ChooseColour as ChooseColour, TakeSeat as TakeSeat
from seqp2p.replay.disk import NotAFile as NotAFile
from seqp2p.replay.playback import (
    CheatProved as CheatProved,
    Moment as Moment,
    Playback as Playback,
    ReplayEvent as ReplayEvent,
    Reshuffled as Reshuffled,
    SeatLeft as SeatLeft,
    TableChange as TableChange,
)
from seqp2p.replay.resume import GameOver as GameOver, ResumeError as ResumeError
from seqp2p.replay.sidecar import (
    OlderCopy as OlderCopy,
    SeatHeld as SeatHeld,
    SidecarDamaged as SidecarDamaged,
    SidecarError as SidecarError,
    SidecarFull as SidecarFull,
    SeatStopped as SeatStopped,
)
from seqp2p.replay.statistics import Course as Course, PlayerCount as PlayerCount, Statistics as Statistics
from seqp2p.replay.statistics import Summary as Summary, VariantCount as VariantCount
from seqp2p.replay.verify import Cheat as Cheat, Player as Player, Proved as Proved, Report as Report
from seqp2p.rules import (
    Action as Action,
    AmbiguousAction as AmbiguousAction,
    Board as Board,
    CLASSIC as CLASSIC,
    CompletedSequence as CompletedSequence,
    DealerDraw as DealerDraw,
    Dropping as Dropping,
    GameText as GameText,
    IllegalAction as IllegalAction,
    KIDS as KIDS,
    Move as Move,
    NotationError as NotationError,
    Options as Options,
    Pending as Pending,
    Position as Position,
    RulesError as RulesError,
    Threat as Threat,
    UNKNOWN as UNKNOWN,
    VARIANTS as VARIANTS,
    Variant as Variant,
    View as View,
    apply as apply,
    default_teams as default_teams,
    format_action as format_action,
    format_card as format_card,
    format_game as format_game,
    format_position as format_position,
    format_square as format_square,
    hand_size as hand_size,
    legal_actions as legal_actions,
    longest_line as longest_line,
    parse_action as parse_action,
    parse_card as parse_card,
    parse_game as parse_game,
    parse_position as parse_position,
    parse_square as parse_square,
    start as start,
    status as status,
    team_of as team_of,
    threats as threats,
    view as view,
)
