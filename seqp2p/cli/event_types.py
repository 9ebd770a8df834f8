"""The events of ``--json``, a row each: name, fields with their types, and meaning.

The tables of docs/scripting.md and the schemas of ``protocol/`` are made from these rows, and the tests decode every
event of the programs that they start with the types here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

STREAM_VERSION: Final = 1
"""The version of the events. It changes when a program for the last one would fail."""

Count: TypeAlias = Annotated[int, Meta(ge=0)]
SeatNumber: TypeAlias = Annotated[int, Meta(ge=1, le=12)]
Seconds: TypeAlias = Annotated[float, Meta(ge=0)]
Share: TypeAlias = Annotated[float, Meta(ge=0, le=1)]
MaybeSeat: TypeAlias = SeatNumber | None
MaybeSeconds: TypeAlias = Seconds | None
MaybeShare: TypeAlias = Share | None
Interval: TypeAlias = tuple[Share, Share]
Hash: TypeAlias = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
"""32 bytes in hexadecimal: a game's id, a public key, a SHA-256."""
VariantName: TypeAlias = Literal["classic", "kids"]
ResultKind: TypeAlias = Literal["won", "drawn", "unfinished"]
Verdict: TypeAlias = Literal["verified", "unfinished", "invalid"]


class _Fields(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An object within an event."""


class PlayerFields(_Fields, frozen=True):
    """A seat of a replay; ``known`` is the name under which the reader knows its key."""

    seat: SeatNumber
    name: str
    key: Hash
    known: str | None


class TableFields(_Fields, frozen=True):
    """The settings of a table (docs/protocol.md, section 5)."""

    variant: VariantName
    players: SeatNumber
    teams: Annotated[int, Meta(ge=2, le=4)]
    colours: list[str]
    advanced: bool
    table_talk: bool
    manual_draw: bool
    open_hands: bool
    turn_time_s: Count
    grace_s: Count


class ContestFields(_Fields, frozen=True):
    """A contest of ``arena``; scores and intervals are by side."""

    bots: list[str]
    mirrored: bool
    deals: Count
    games: Count
    draws: Count
    sides: list[str]
    scores: list[MaybeShare]
    intervals: list[Interval]


class ArenaBotFields(_Fields, frozen=True):
    """A bot of ``arena``."""

    name: str
    elo: float | None
    choice_s: MaybeSeconds
    failed: Count
    reasons: list[str]


class ProvedFields(_Fields, frozen=True):
    """The number of parts of a replay that are right."""

    signatures: Count
    shuffles: Count
    shares: Count
    moves: Count


class CheatFields(_Fields, frozen=True):
    """A seat that a replay proves to have cheated, and the SHA-256 of each payload that shows it."""

    seat: SeatNumber
    step: Count
    reason: str
    evidence: list[Hash]


class DrewFields(_Fields, frozen=True):
    """A drawn card, null unless the replay opens the seat's hand."""

    seat: SeatNumber
    card: str | None


class LineFields(_Fields, frozen=True):
    """A sequence by its ends, ``a5-e5``."""

    team: Annotated[int, Meta(ge=1, le=4)]
    line: str


class GuestFields(_Fields, frozen=True):
    """A player in a lobby."""

    name: str
    key: Hash
    asked: bool


class SeatFields(_Fields, frozen=True):
    """A seat of an exported replay."""

    seat: SeatNumber
    name: str
    key: Hash
    fingerprint: str
    nonce: Hash
    team: Annotated[int, Meta(ge=1, le=4)]
    colour: str


class MetFields(_Fields, frozen=True):
    """A player met before; ``first_seen`` is a date."""

    name: str
    key: Hash
    fingerprint: str
    first_seen: str


class LeftOutFields(_Fields, frozen=True):
    """A file that the statistics leave out."""

    file: str
    verdict: Verdict
    reason: str | None


class PlayerStats(_Fields, frozen=True):
    """A player's games."""

    key: Hash
    fingerprint: str
    names: list[str]
    games: Count
    won: Count
    lost: Count
    drawn: Count
    unfinished: Count
    win_share: Share | None
    win_interval: Interval | None


class TurnStats(_Fields, frozen=True):
    """Lengths of games in turns."""

    min: Count
    median: float
    mean: float
    max: Count


class VariantStats(_Fields, frozen=True):
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


class VerdictFields(_Fields, frozen=True):
    """The verdict on a file, without ``event``."""

    file: str
    verdict: Verdict
    game: Hash | None
    players: list[PlayerFields]
    table: TableFields | None
    proved: ProvedFields
    result: ResultKind | None
    winners: list[SeatNumber]
    forfeit: list[SeatNumber]
    steps: Count
    reason: str | None
    failure: str | None = msgspec.field(name="class")
    step: Count | None
    seat: SeatNumber | None
    awaited: list[SeatNumber]
    evidence: list[Hash]
    cheats: list[CheatFields]
    byte: Count | None
    writer: Hash | None


class MomentFields(_Fields, frozen=True):
    """A moment of a replay, without ``event``."""

    moment: Annotated[int, Meta(ge=1)]
    what: str
    turn: Count
    step: Count
    seat: SeatNumber | None
    action: str | None
    seats: list[SeatNumber]
    text: str | None
    drew: DrewFields | None
    made: list[LineFields]
    lost: list[LineFields]
    position: str | None


class JudgedFields(_Fields, frozen=True):
    """A move of a replay as its seat could judge it; chances by team."""

    moment: Annotated[int, Meta(ge=1)]
    turn: Count
    seat: SeatNumber
    action: str
    chances: list[Share]
    best: str
    best_chances: list[Share]
    cost: Share


def _fields_of(struct: type[msgspec.Struct]) -> Mapping[str, Any]:
    return {field.encode_name: field.type for field in msgspec.structs.fields(struct)}


_TURN: Final[Mapping[str, Any]] = {"turn": Count, "seat": SeatNumber, "action": str}


@dataclass(frozen=True, slots=True)
class EventType:
    """An event: ``fields`` has the type of each field, ``when`` a sentence in Markdown. All fields are always there.

    But a field whose type admits ``UnsetType`` may be missing. The first event of a stream has the field ``stream``,
    which is STREAM_VERSION.
    """

    name: str
    fields: Mapping[str, Any]
    when: str

    @property
    def struct(self) -> type[msgspec.Struct]:
        """A type to decode the event strictly."""
        rename = {f"{name}_": name for name in self.fields}  # ``class`` is no name in Python.
        fields = [
            (f"{name}_", kind, UNSET) if UnsetType in getattr(kind, "__args__", ()) else (f"{name}_", kind)
            for name, kind in self.fields.items()
        ]
        return msgspec.defstruct(
            self.name.title().replace("_", ""),
            [("stream_", int | UnsetType, UNSET), *fields],
            rename=rename | {"stream_": "stream"},
            tag_field="event",
            tag=self.name,
            kw_only=True,
            forbid_unknown_fields=True,
        )


GAME_EVENTS: Final = (
    EventType(
        "port",
        {
            "state": Literal["open", "not_open", "lost", "closed", "left"],
            "address": str | None,
            "until": Seconds,
            "reason": str,
        },
        "`--map-port`: the router's port is `open` to the internet at `address`, until `until` (seconds since 1970)"
        " and longer, because it is renewed; nothing was opened (`not_open`); it was not renewed (`lost`); it was"
        " `closed` at the end, or could not be and closes by itself (`left`)",
    ),
    EventType(
        "listening",
        {"address": str, "code": str, "relay": str | None},
        "`host`: others can join. Again with a new `code` when the old one is burned, and when the lobby opens again;"
        " `relay` is where they can meet the host, too",
    ),
    EventType(
        "table",
        {
            "number": Count,
            "host": str,
            "variant": str,
            "players": Count,
            "free": Count,
            "state": Literal["open", "playing"],
            "address": str,
        },
        "`join` without HOST:PORT: a table on this network, when it is found and when it changes; `state` is `open` or"
        " `playing`. Anyone can advertise a table: nothing of this is checked",
    ),
    EventType(
        "changed_key",
        {"seat": SeatNumber, "name": str, "key": Hash, "known_key": Hash},
        "the player of this name was met with another key before (`known_key`): it may be another person. A script"
        " decides by itself; a person at a terminal is asked",
    ),
    EventType(
        "lobby",
        {"seat": MaybeSeat, "seats": list[GuestFields | None], "colours": list[str], "relay": str | None},
        "`host`, `join`, `watch`: who sits in the lobby, after each change; before another game a person gets the"
        " first one after accepting it. `seats` has null for a free seat, `colours`"
        " one colour for each team, seat 1 being of the first; who is `asked` has not accepted another game yet;"
        " `seat` is the own one, null for a spectator; `relay` is the host's",
    ),
    EventType(
        "line",
        {"seat": SeatNumber, "name": str, "key": Hash, "text": str},
        "`host`, `join`: a line said in the lobby, signed with this key",
    ),
    EventType(
        "declined",
        {"code": str, "reason": str},
        "`host`, `join`: a wish or a line of this seat was not taken, by its `code`: `seat_taken`, `no_seat`,"
        " `colour_taken`, `no_colour`, `too_fast`, …",
    ),
    EventType(
        "watcher",
        {"name": str, "key": Hash, "count": Count},
        "`host`: a spectator was let in by the code; `count` is the number of spectators now",
    ),
    EventType(
        "strangers",
        {"count": Count, "wrong": Count},
        "`host`: clients turned away so far, and how many of them had tried the code; at most once a second",
    ),
    EventType(
        "relay",
        {"relay": str, "problem": str | None},
        "`host`: nobody can come by this relay now, because of the `problem`; null: it can be used again",
    ),
    EventType(
        "rematch",
        {"game": Annotated[int, Meta(ge=2)]},
        "another game at this table: `game` counts the tables agreed in a row, from 2 on",
    ),
    EventType(
        "seated",
        {"seat": SeatNumber, "name": str, "key": Hash},
        "once per seat, when the table is agreed; `key` is the identity key, 64 hexadecimal digits",
    ),
    EventType("dealer", {"seat": SeatNumber}, "the dealer, by the cards turned over"),
    EventType(
        "shuffle",
        {"seat": SeatNumber, "seconds": MaybeSeconds, "reshuffle": Count},
        "a seat's shuffle is proved; `seconds` since the step before; `reshuffle` 0 for the first deck",
    ),
    EventType("dealt", {"seconds": MaybeSeconds}, "every hand is dealt; `seconds` since the table was full"),
    EventType("turn", _TURN, "once for every turn of any seat; `action` in the game's notation"),
    EventType("exchange", _TURN, "a dead card exchanged within that turn, which is still to come"),
    EventType("draw", _TURN, "`--manual-draw`: a seat draws"),
    EventType("end", _TURN, "`--manual-draw`: a seat ends its turn without a draw"),
    EventType("waive", _TURN, "`--manual-draw`: a seat does without a draw that it owed"),
    EventType("call", _TURN, "`--no-table-talk`: a remark is called (`call 3`)"),
    EventType("give", _TURN, "`--no-table-talk`: a called team's member gives up a card (`QH given`)"),
    EventType(
        "remark",
        {"seat": SeatNumber, "number": Count, "text": str, "courtesy": bool},
        "a remark of a seat; `courtesy`: one of the preset ones, which cannot be called",
    ),
    EventType(
        "absent",
        {"seat": SeatNumber, "name": str | UnsetType, "grace_s": MaybeSeconds, "later": bool},
        "a seat cannot be reached; it is waited for up to `grace_s` seconds (`null`: this seat was resumed and waits"
        " until the others are back; then the grace is told); `later`: its player has stopped for now",
    ),
    EventType("back", {"seat": SeatNumber}, "a seat that was absent can be reached again"),
    EventType(
        "vote",
        {"seat": SeatNumber, "action": Literal["skip", "drop"], "seats": list[SeatNumber], "round": Count},
        "a seat votes to skip the turn of `seats` (`action` is `skip`), or to go on without them for good (`drop`)",
    ),
    EventType(
        "proved",
        {"seat": SeatNumber, "step": Count, "reason": str},
        "a seat is proved to have cheated: the reason, and the step; comes before the vote",
    ),
    EventType("skipped", {"seat": SeatNumber}, "the turn of a seat has passed without it"),
    EventType("dropped", {"seats": list[SeatNumber]}, "these seats have left the game for good"),
    EventType("redeal", {}, "the cards that are left are dealt again"),
    EventType(
        "resumed",
        {"seat": SeatNumber, "step": Count},
        "this seat was resumed after its process had ended; the game is at `step`",
    ),
    EventType(
        "error",
        {"code": str, "reason": str, "hint": str},
        "the seat signs nothing more: the command ends, and standard error tells it too. `code` is `older_copy` (a copy"
        " of the game's files was put back) or `seat_stopped` (it has signed all its ballots about one step)",
    ),
    EventType("undone", {"step": Count}, "this step was closed provisionally and is open again"),
    EventType(
        "bot_failed",
        {"reason": str, "gone": bool},
        "`--exec`: the program has not chosen, and a move was drawn at random; `gone`: from now on to the end of the"
        " game",
    ),
    EventType(
        "over",
        {
            "result": ResultKind,
            "winners": list[SeatNumber],
            "forfeit": list[SeatNumber],
            "reason": str | None,
            "resumable": bool,
            "seat": MaybeSeat | UnsetType,
            "replay": str | None | UnsetType,
            "replays": list[str] | UnsetType,
            "verdict": Verdict | UnsetType,
        },
        "last: `result` is `won`, `drawn` or `unfinished`; `winners` are seats; `forfeit` are the seats that have won"
        " an unfinished game because the others left or cheated (none for `watch`); `reason` is the reason of an"
        " unfinished game, and `resumable`: `seqp2p resume` goes on with it; `seat` is this peer's, null for `watch`;"
        " `replay` is the file's path. Without a game, `seat` and `replay` are null."
        " `demo` has `replays` and `verdict` in their place",
    ),
)
"""The events of ``host``, ``join``, ``watch``, ``resume``, ``play`` and ``demo``."""

OTHER_EVENTS: Final = (
    EventType("verdict", _fields_of(VerdictFields), "`verify`, `show`: a file"),
    EventType(
        "summary",
        {"files": Count, "verified": Count, "unfinished": Count, "invalid": Count, "seconds": Seconds},
        "`verify`, with more than one file: last",
    ),
    EventType("moment", _fields_of(MomentFields), "`show`: the moment of this number, from 1 on"),
    EventType(
        "review",
        {"moves": list[JudgedFields], "closed": list[SeatNumber], "reason": str | None},
        "`show --review`: after the moments",
    ),
    EventType(
        "replay",
        {
            "version": Literal[1],
            "verdict": VerdictFields,
            "settings": TableFields,
            "seats": list[SeatFields],
            "opened": list[SeatNumber],
            "moments": list[MomentFields],
            "records": list[dict[str, Any]],
        },
        "`export --format json`: the only object",
    ),
    EventType(
        "stats",
        {
            "files": Count,
            "games": Count,
            "unfinished": Count,
            "duplicates": Count,
            "players": list[PlayerStats],
            "variants": dict[VariantName, VariantStats],
            "left_out": list[LeftOutFields],
        },
        "`stats`: the only object",
    ),
    EventType(
        "trial",
        {
            "variant": VariantName,
            "players": Count,
            "options": list[str],
            "begins_with": str | None,
            "games": Count,
            "wins": Count,
            "choices": Count,
            "slowest_s": Seconds,
            "problems": list[str],
        },
        "`try-bot`: once per table; `options` as those of `host`; `begins_with`: the game begins where only this is"
        " possible; `problems` are sentences",
    ),
    EventType(
        "tried",
        {"ok": bool, "problems": Count, "chosen": dict[str, Count]},
        "`try-bot`: last; `problems` is their number, `chosen` the number of choices by kind of action",
    ),
    EventType(
        "arena",
        {
            "complete": bool,
            "seconds": Seconds,
            "deals": Count,
            "games": Count,
            "turns": Count,
            "draws": Count,
            "first_mover_wins": Count,
            "reshuffled": Count,
            "turns_mean": float,
            "passes_mean": float,
            "exchanges_mean": float,
            "contests": list[ContestFields],
            "bots": list[ArenaBotFields],
        },
        "`arena`: the only object; not `complete` if it was stopped",
    ),
    EventType("rules", {"variant": VariantName, "lang": str, "text": str}, "`rules`: the only object"),
    EventType(
        "game",
        {
            "file": str,
            "written": str,
            "verdict": Verdict,
            "game": Hash | None,
            "variant": VariantName | None,
            "names": list[str],
            "own": MaybeSeat,
            "result": ResultKind,
            "winners": list[SeatNumber],
            "turns": Count,
            "forfeit": list[SeatNumber],
            "resumable": bool,
        },
        "`games`: once per replay, last written first; `own` is the seat of this player, null for one who watched;"
        " `resumable`: `seqp2p resume` can go on with it",
    ),
    EventType(
        "setting",
        {
            "name": str,
            "value": str | bool | float | None,
            "source": Literal["default", "file", "environment"],
            "default": str | bool | float | None,
            "values": list[str],
        },
        "`config`: once per setting",
    ),
    EventType(
        "id",
        {"name": str, "key": Hash, "fingerprint": str, "known": list[MetFields]},
        "`id`: the only object; `known` are the players met",
    ),
)
"""The events of the other commands."""

BOT_EVENTS: Final = (
    *("turn", "exchange", "draw", "end", "waive", "call", "give", "remark", "absent", "back", "vote"),
    *("skipped", "dropped", "redeal", "undone"),
)
"""The events that a program of ``--exec`` is told."""

EVENT_TYPES: Final = {each.name: each for each in (*GAME_EVENTS, *OTHER_EVENTS)}
