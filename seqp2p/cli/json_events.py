"""The objects that ``--json`` prints: a struct for each event, which ``Output.event`` emits as it is.

The schemas of ``protocol/`` and the tables of docs/scripting.md are made from these structs; the docstring of an event
is its sentence there. A field is always present, unless it may be UNSET.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Final, Literal, TypeAlias, cast, get_args

import msgspec
from msgspec import UNSET, Meta, UnsetType

from seqp2p.rules import ACTION_ROWS, VARIANTS, ActionKind

STREAM_VERSION: Final = 1
"""The version of the events. It changes when a program for the last one would fail."""

Count: TypeAlias = Annotated[int, Meta(ge=0)]
SeatNumber: TypeAlias = Annotated[int, Meta(ge=1, le=12)]
Seconds: TypeAlias = Annotated[float, Meta(ge=0)]
Share: TypeAlias = Annotated[float, Meta(ge=0, le=1)]
Interval: TypeAlias = tuple[Share, Share]
Hash: TypeAlias = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
"""32 bytes in hexadecimal: a game's id, a public key, a SHA-256."""
VariantName: TypeAlias = Annotated[str, Meta(extra_json_schema={"enum": [*VARIANTS]})]
ResultKind: TypeAlias = Literal["won", "drawn", "unfinished"]
VerdictName: TypeAlias = Literal["verified", "unfinished", "invalid"]


class JsonObject(msgspec.Struct, forbid_unknown_fields=True):
    """An object within an event."""


class JsonEvent(JsonObject, tag_field="event", tag=lambda name: name.removesuffix("Event").lower(), kw_only=True):
    """An event. The first event of a stream has ``stream``, which is STREAM_VERSION."""

    stream: int | UnsetType = UNSET


_rows: Final = list[type[JsonEvent]]()
"""Structs are referred to weakly: these have no other name."""


def _row(name: str, meaning: str, /, **fields: Any) -> None:
    """Define an event that code makes from its row in cli/events.py, by the types of its fields."""
    typed = [(field, of, UNSET) if UnsetType in get_args(of) else (field, of) for field, of in fields.items()]
    named = {"__doc__": meaning, "__module__": __name__}
    event = msgspec.defstruct(
        f"{name.title()}Event", typed, bases=(JsonEvent,), namespace=named, tag=name, kw_only=True
    )
    _rows.append(cast("type[JsonEvent]", event))


class PlayerFields(JsonObject):
    """A seat of a replay; ``known`` is the name under which the reader knows its key."""

    seat: SeatNumber
    name: str
    key: Hash
    known: str | None


class TableFields(JsonObject):
    """The settings of a table (docs/protocol.md, section 5)."""

    variant: VariantName
    players: SeatNumber
    teams: Annotated[int, Meta(ge=2, le=4)]
    colours: Sequence[str]
    advanced: bool
    table_talk: bool
    manual_draw: bool
    open_hands: bool
    turn_time_s: Count
    grace_s: Count


class ContestFields(JsonObject):
    """A contest of ``arena``; scores and intervals are by side."""

    bots: Sequence[str]
    mirrored: bool
    deals: Count
    games: Count
    draws: Count
    sides: Sequence[str]
    scores: list[Share | None]
    intervals: list[Interval]


class ArenaBotFields(JsonObject):
    """A bot of ``arena``."""

    name: str
    elo: float | None
    choice_s: Seconds | None
    failed: Count
    reasons: list[str]


class ProvedFields(JsonObject):
    """The number of parts of a replay that are right."""

    signatures: Count
    shuffles: Count
    shares: Count
    moves: Count


class CheatFields(JsonObject):
    """A seat that a replay proves to have cheated, and the SHA-256 of each payload that shows it."""

    seat: SeatNumber
    step: Count
    reason: str
    evidence: list[Hash]


class DrewFields(JsonObject):
    """A drawn card, null unless the replay opens the seat's hand."""

    seat: SeatNumber
    card: str | None


class LineFields(JsonObject):
    """A sequence by its ends, ``a5-e5``."""

    team: Annotated[int, Meta(ge=1, le=4)]
    line: str


class GuestFields(JsonObject):
    """A player in a lobby."""

    name: str
    key: Hash
    asked: bool


class SeatFields(JsonObject):
    """A seat of an exported replay."""

    seat: SeatNumber
    name: str
    key: Hash
    fingerprint: str
    nonce: Hash
    team: Annotated[int, Meta(ge=1, le=4)]
    colour: str


class MetFields(JsonObject):
    """A player met before; ``first_seen`` is a date."""

    name: str
    key: Hash
    fingerprint: str
    first_seen: str


class LeftOutFields(JsonObject):
    """A file that the statistics leave out."""

    file: str
    verdict: VerdictName
    reason: str | None


class PlayerStats(JsonObject):
    """A player's games."""

    key: Hash
    fingerprint: str
    names: Sequence[str]
    games: Count
    won: Count
    lost: Count
    drawn: Count
    unfinished: Count
    win_share: Share | None
    win_interval: Interval | None


class TurnStats(JsonObject):
    """Lengths of games in turns."""

    min: Count
    median: float
    mean: float
    max: Count


class VariantStats(JsonObject):
    """The games of one edition."""

    games: Count
    drawn: Count
    players: dict[str, Count]
    turns: TurnStats | None
    first_mover_won: Count
    first_mover_share: Share | None
    first_mover_interval: Interval | None
    reshuffled: Count
    reshuffles: Count
    passes: Count
    exchanges: Count
    sequences: Count
    openings: dict[str, Count]
    squares: dict[str, Count]


class VerdictFields(JsonObject):
    """The verdict on a file, without ``event``."""

    file: str
    verdict: VerdictName
    game: Hash | None
    players: list[PlayerFields]
    table: TableFields | None
    proved: ProvedFields
    result: ResultKind | None
    winners: Sequence[SeatNumber]
    forfeit: Sequence[SeatNumber]
    steps: Count
    reason: str | None
    failure: str | None = msgspec.field(name="class")
    step: Count | None
    seat: SeatNumber | None
    awaited: Sequence[SeatNumber]
    left: Sequence[SeatNumber]
    out: Sequence[SeatNumber]
    evidence: list[Hash]
    cheats: list[CheatFields]
    byte: Count | None
    writer: Hash | None


class MomentFields(JsonObject):
    """A moment of a replay, without ``event``."""

    moment: Annotated[int, Meta(ge=1)]
    what: str
    turn: Count
    step: Count
    seat: SeatNumber | None
    action: str | None
    seats: Sequence[SeatNumber]
    text: str | None
    drew: DrewFields | None
    made: list[LineFields]
    lost: list[LineFields]
    position: str | None


class JudgedFields(JsonObject):
    """A move of a replay as its seat could judge it. ``chances`` are by all hands, and empty if one is closed."""

    moment: Annotated[int, Meta(ge=1)]
    turn: Count
    seat: SeatNumber
    action: str
    chances: list[Share]
    chance: Share
    best: str
    best_chance: Share
    cost: Share


class MappedPortEvent(JsonEvent, tag="port"):
    """``--map-port``: the router's port is ``open`` to the internet at ``address``, until ``until`` (seconds since
    1970) and longer, because it is renewed; nothing was opened (``not_open``); it was not renewed (``lost``); it was
    ``closed`` at the end, or could not be and closes by itself (``left``).
    """

    state: Literal["open", "not_open", "lost", "closed", "left"]
    address: str | None
    until: Seconds
    reason: str


class ListeningEvent(JsonEvent):
    """``host``: others can join. Again with a new ``code`` when the old one is burned, and when the lobby opens again;
    ``relay`` is where they can meet the host, too.
    """

    address: str
    code: str
    relay: str | None


class TableEvent(JsonEvent):
    """``join`` without HOST:PORT: a table on this network, when it is found and when it changes; ``state`` is ``open``
    or ``playing``. Anyone can advertise a table: nothing of this is checked.
    """

    number: Count
    host: str
    variant: str
    players: Count
    free: Count
    state: Literal["open", "playing"]
    address: str


class ChangedKeyEvent(JsonEvent, tag="changed_key"):
    """The player of this name was met with another key before (``known_key``): it may be another person. A script
    decides by itself; a person at a terminal is asked.
    """

    seat: SeatNumber
    name: str
    key: Hash
    known_key: Hash


class LobbyEvent(JsonEvent):
    """``host``, ``join``, ``watch``: who sits in the lobby, after each change; before another game a person gets the
    first one after accepting it. ``seats`` has null for a free seat, ``colours`` one colour for each team, seat 1 being
    of the first; who is ``asked`` has not accepted another game yet; ``seat`` is the own one, null for a spectator;
    ``relay`` is the host's.
    """

    seat: SeatNumber | None
    seats: list[GuestFields | None]
    colours: Sequence[str]
    relay: str | None


class LineEvent(JsonEvent):
    """``host``, ``join``: a line said in the lobby, signed with this key."""

    seat: SeatNumber
    name: str
    key: Hash
    text: str


class DeclinedEvent(JsonEvent):
    """``host``, ``join``: a wish or a line of this seat was not taken, by its ``code``: ``seat_taken``, ``no_seat``,
    ``colour_taken``, ``no_colour``, ``too_fast``, …
    """

    code: str
    reason: str


class WatcherEvent(JsonEvent):
    """``host``: a spectator was let in by the code; ``count`` is the number of spectators now."""

    name: str
    key: Hash
    count: Count


class StrangersEvent(JsonEvent):
    """``host``: clients turned away so far, and how many of them tried the code; at most once a second in a lobby."""

    count: Count
    wrong: Count


class RelayEvent(JsonEvent):
    """``host``: nobody can come by this relay now, because of the ``problem``; null: it can be used again."""

    relay: str
    problem: str | None


class RematchEvent(JsonEvent):
    """Another game at this table: ``game`` counts the tables agreed in a row, from 2 on."""

    game: Annotated[int, Meta(ge=2)]


class SeatedEvent(JsonEvent):
    """Once per seat, when the table is agreed; ``key`` is the identity key, 64 hexadecimal digits."""

    seat: SeatNumber
    name: str
    key: Hash


_row("dealer", "The dealer, by the cards turned over.", seat=SeatNumber)
_row(
    "shuffle",
    "A seat's shuffle is proved; ``seconds`` since the step before; ``reshuffle`` 0 for the first deck.",
    seat=SeatNumber,
    seconds=Seconds | None,
    reshuffle=Count,
)


class DealtEvent(JsonEvent):
    """Every hand is dealt; ``seconds`` since the table was full."""

    seconds: Seconds | None


_turn = partial(_row, turn=Count, seat=SeatNumber, action=str)
_turn("turn", "Once for every turn of any seat; ``action`` in the game's notation.")
_turn("exchange", "A dead card exchanged within that turn, which is still to come.")
_turn("draw", "``--manual-draw``: a seat draws.")
_turn("end", "``--manual-draw``: a seat ends its turn without a draw.")
_turn("waive", "``--manual-draw``: a seat does without a draw that it owed.")
_turn("call", "``--no-table-talk``: a remark is called (``call 3``).")
_turn("give", "``--no-table-talk``: a called team's member gives up a card (``QH given``).")


class RemarkEvent(JsonEvent):
    """A remark of a seat; ``courtesy``: one of the preset ones, which cannot be called."""

    seat: SeatNumber
    number: Count
    text: str
    courtesy: bool


_row(
    "absent",
    "A seat cannot be reached; it is waited for up to ``grace_s`` seconds (``null``: this seat was resumed and waits\n"
    "until the others are back; then the grace is told); ``later``: its player has stopped for now.",
    seat=SeatNumber,
    name=str | UnsetType,
    grace_s=Seconds | None,
    later=bool,
)
_row("back", "A seat that was absent can be reached again.", seat=SeatNumber)
_row(
    "vote",
    "A seat votes to skip the turn of ``seats`` (``action`` is ``skip``), or to go on without them for good\n"
    "(``drop``).",
    seat=SeatNumber,
    action=Literal["skip", "drop"],
    seats=Sequence[SeatNumber],
    round=Count,
)


class ProvedEvent(JsonEvent):
    """A seat is proved to have cheated: the reason, and the step; comes before the vote."""

    seat: SeatNumber
    step: Count
    reason: str


_row("skipped", "The turn of a seat has passed without it.", seat=SeatNumber)
_row("dropped", "These seats have left the game for good.", seats=Sequence[SeatNumber])
_row("redeal", "The cards that are left are dealt again.")


class ResumedEvent(JsonEvent):
    """This seat was resumed after its process had ended; the game is at ``step``."""

    seat: SeatNumber
    step: Count


class ErrorEvent(JsonEvent):
    """Any command: it ends with an error, which standard error tells, too. ``code`` is one of the codes below,
    ``exit`` the exit code; ``reason`` and ``hint`` are in the reader's language.
    """

    code: str
    reason: str
    hint: str
    exit: Count


_row("undone", "This step was closed provisionally and is open again.", step=Count)


class BotFailedEvent(JsonEvent, tag="bot_failed"):
    """``--exec``: the program has not chosen, and a move was drawn at random; ``gone``: from now on to the end of the
    game.
    """

    reason: str
    gone: bool


class OverEvent(JsonEvent, kw_only=True):
    """Last: ``result`` is ``won``, ``drawn`` or ``unfinished``; ``winners`` are seats; ``forfeit`` are the seats that
    have won an unfinished game because the others left or cheated; ``reason`` is the reason of an
    unfinished game, and ``resumable``: ``seqp2p resume`` goes on with it; ``seat`` is this peer's, null for ``watch``;
    ``replay`` is the file's path. Without a game, ``seat`` and ``replay`` are null. ``demo`` has ``replays`` and
    ``verdict`` in their place.
    """

    result: ResultKind
    winners: Sequence[SeatNumber]
    forfeit: Sequence[SeatNumber]
    reason: str | None
    seat: SeatNumber | UnsetType | None = UNSET
    replay: str | UnsetType | None = UNSET
    resumable: bool
    replays: list[str] | UnsetType = UNSET
    verdict: VerdictName | UnsetType = UNSET


def _so_far() -> dict[str, type[JsonEvent]]:
    """Return the events by their names, in the order of their definition."""
    return {str(kind.__struct_config__.tag): kind for kind in JsonEvent.__subclasses__()}


GAME_EVENTS: Final = _so_far()
"""The events of ``host``, ``join``, ``watch``, ``resume``, ``play`` and ``demo``."""


class VerdictEvent(VerdictFields, tag_field="event", tag="verdict"):
    """``verify``, ``show``: a file."""

    stream: int | UnsetType = UNSET


class SummaryEvent(JsonEvent):
    """``verify``, with more than one file: last."""

    files: Count
    verified: Count
    unfinished: Count
    invalid: Count
    seconds: Seconds


class MomentEvent(MomentFields, tag_field="event", tag="moment"):
    """``show``: the moment of this number, from 1 on."""

    stream: int | UnsetType = UNSET


class ReviewEvent(JsonEvent):
    """``show --review``: after the moments."""

    moves: list[JudgedFields]
    closed: Sequence[SeatNumber]
    reason: str | None


class ReplayEvent(JsonEvent):
    """``export --format json``: the only object."""

    version: Literal[1]
    verdict: VerdictFields
    settings: TableFields
    seats: list[SeatFields]
    opened: Sequence[SeatNumber]
    moments: list[MomentFields]
    records: list[dict[str, Any]]


class StatsEvent(JsonEvent):
    """``stats``: the only object."""

    files: Count
    games: Count
    unfinished: Count
    duplicates: Count
    players: list[PlayerStats]
    variants: dict[str, VariantStats]
    left_out: list[LeftOutFields]


class TrialEvent(JsonEvent):
    """``try-bot``: once per table; ``options`` as those of ``host``; ``begins_with``: the game begins where only this
    is possible; ``problems`` are sentences.
    """

    variant: VariantName
    players: Count
    options: Sequence[str]
    begins_with: str | None
    games: Count
    wins: Count
    choices: Count
    slowest_s: Seconds
    problems: Sequence[str]


class TriedEvent(JsonEvent):
    """``try-bot``: last; ``problems`` is their number, ``chosen`` the number of choices by kind of action."""

    ok: bool
    problems: Count
    chosen: dict[ActionKind, Count]


class ArenaEvent(JsonEvent):
    """``arena``: the only object; not ``complete`` if it was stopped."""

    complete: bool
    seconds: Seconds
    deals: Count
    games: Count
    turns: Count
    draws: Count
    first_mover_wins: Count
    reshuffled: Count
    turns_mean: float
    passes_mean: float
    exchanges_mean: float
    contests: list[ContestFields]
    bots: list[ArenaBotFields]


class RulesEvent(JsonEvent):
    """``rules``: the only object."""

    variant: VariantName
    lang: str
    text: str


class GameEvent(JsonEvent):
    """``games``: once per replay, last written first; ``own`` is the seat of this player, null for one who watched;
    ``resumable``: ``seqp2p resume`` can go on with it.
    """

    file: str
    written: str
    verdict: VerdictName
    game: Hash | None
    variant: VariantName | None
    names: Sequence[str]
    own: SeatNumber | None
    result: ResultKind
    winners: Sequence[SeatNumber]
    forfeit: Sequence[SeatNumber]
    reason: str | None
    turns: Count
    resumable: bool


class SettingEvent(JsonEvent):
    """``config``: once per setting."""

    name: str
    value: str | bool | float | None
    source: Literal["default", "file", "environment"]
    default: str | bool | float | None
    values: Sequence[str]


class IdEvent(JsonEvent):
    """``id``: the only object; ``known`` are the players met."""

    name: str
    key: Hash
    fingerprint: str
    known: list[MetFields]


class ReachEvent(JsonEvent):
    """``reach``: once per way into this machine; ``open`` as far as it shows from inside, ``seen`` is a sentence."""

    way: Literal["ipv6", "port", "relay"]
    open: bool
    address: str | None
    seen: str


EVENTS: Final[Mapping[str, type[JsonObject]]] = {**_so_far(), "verdict": VerdictEvent, "moment": MomentEvent}
"""All events."""

BOT_EVENTS: Final = (
    *dict.fromkeys("turn" if row.ends_turn else kind for kind, row in ACTION_ROWS.items()),
    *("remark", "absent", "back", "vote", "skipped", "dropped", "redeal", "undone"),
)
"""The events that a program of ``--exec`` is told."""
