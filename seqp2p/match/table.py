"""The agreement of a table before the first card: settings, seats, identity keys, and a fresh nonce from every seat.

The agreement's bytes are the header of the replay, and their hash is the id of the game: see docs/protocol.md,
"The table agreement".
"""

from typing import Annotated, Final, Literal, TypeAlias, TypedDict

import msgspec

from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.hashing import TABLE, tagged_hash
from seqp2p.crypto.identity import check_public
from seqp2p.i18n import listed, message, message_of
from seqp2p.match.encoding import Record, decode, encode
from seqp2p.match.text import MARKS, text_fault
from seqp2p.rules import KNOWN_VARIANTS, RULE_OPTIONS, VARIANTS, Options, RulesError, TableOption, Variant, check_table

PROTOCOL_VERSION = 1
AGREEMENT_SIZE_MAX = 8192
NAME_LENGTH_MAX = 24
NAME_MARKS_MAX = 4
"""Marks in a row, one above the other. Names in Burmese, Tibetan or Hebrew have up to four."""
# Words that choose nothing yet but are part of every agreement, so that a later version of a table cannot be
# mistaken for this one: the turn clock and the absence grace, in whole seconds.
TURN_TIME_S_MAX = 86_400
GRACE_S_MAX = 86_400

Bytes32: TypeAlias = Annotated[bytes, msgspec.Meta(min_length=32, max_length=32)]
SeatNumber: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=12)]


class Settings(Record, frozen=True):
    """The settings of a table. ``turn_time_s`` 0 means no clock. ``colours`` has one colour per team, in team order."""

    variant: Annotated[str, msgspec.Meta(max_length=16)]
    players: SeatNumber
    teams: SeatNumber
    colours: tuple[Annotated[str, msgspec.Meta(max_length=8)], ...]
    advanced: bool
    table_talk: bool
    manual_draw: bool
    open_hands: bool
    turn_time_s: Annotated[int, msgspec.Meta(ge=0, le=TURN_TIME_S_MAX)]
    grace_s: Annotated[int, msgspec.Meta(ge=1, le=GRACE_S_MAX)]

    @property
    def options(self) -> Options:
        """The part of the settings that the rules engine reads."""
        return Options(**{row.field: getattr(self, row.field) for row in RULE_OPTIONS})

    @property
    def rules(self) -> Variant:
        """The variant that these settings name; only after ``check_settings``."""
        return KNOWN_VARIANTS[self.variant]

    @property
    def offered_colours(self) -> tuple[str, ...]:
        """The colours among which the teams choose."""
        return self.rules.colours if self.rules.any_colours else self.rules.colours[: self.teams]


class TableChoices(TypedDict, total=False):
    """The settings with a usual value, which a table may leave out."""

    variant: str  # ``classic`` or ``kids``
    teams: int | None  # None for the usual number of teams
    advanced: bool  # one-eyed jacks may break a completed sequence
    table_talk: bool  # False: a remark may be called
    manual_draw: bool  # players draw by an action of their own, and can forget to
    open_hands: bool  # the replay shows all hands at the end
    turn_time_s: int  # seconds for a turn, 0 for no clock
    grace_s: int  # seconds to wait for a seat that cannot be reached


TABLE_OPTIONS: Final = (
    *RULE_OPTIONS,
    TableOption(
        field="open_hands",
        usual=True,
        word="closed-hands",
        name=message("open hands"),
        short=message("closed hands"),
        help=message("Keep the hands closed at the end, in the replay too."),
        sentence=message("hands stay closed at the end"),
        usual_sentence=message("hands are opened for the replay at the end"),
    ),
)
"""The options of the rules, and those of the match."""
USUAL_OPTIONS: Final = {row.field: row.usual for row in TABLE_OPTIONS}


def other_options(settings: Settings) -> tuple[TableOption, ...]:
    """Return the options of a table that differ from the usual value and have an effect."""
    plays_alone = settings.teams == settings.players
    changed = (row for row in TABLE_OPTIONS if getattr(settings, row.field) != row.usual)
    return tuple(row for row in changed if not (row.in_teams and plays_alone))


class SeatEntry(Record, frozen=True):
    """One seat: its name, its Ed25519 identity key, and its own fresh 32 bytes."""

    name: str
    key: Bytes32
    nonce: Bytes32


class Agreement(Record, frozen=True):
    """The whole agreement; ``seats`` in seat order: seat 1 is ``seats[0]``."""

    v: Literal[1]
    settings: Settings
    seats: tuple[SeatEntry, ...]


class TableError(ValueError):
    """The table cannot be played: settings against the rules, or seats against the settings."""


def name_fault(name: str) -> str | None:
    """Return the reason not to show this name to others, or None: 1 to 24 visible code points (match/text.py).

    The first is no mark, and no more than ``NAME_MARKS_MAX`` marks follow each other.
    """
    marks = "".join("m" if ord(character) in MARKS else " " for character in name)
    if marks.startswith("m") or "m" * (NAME_MARKS_MAX + 1) in marks:
        return message(
            "a name does not begin with a combining mark, and has at most {most} in a row", most=NAME_MARKS_MAX
        )
    return text_fault(message("a name"), name, NAME_LENGTH_MAX)


def numbered_name(name: str, number: int) -> str:
    """Return the name of the second, third, … player with one name; the first keeps it unchanged.

    >>> numbered_name("ann", 1), numbered_name("ann", 2)
    ('ann', 'ann 2')
    """
    return name if number == 1 else f"{name[: NAME_LENGTH_MAX - 3].rstrip()} {number}"


def check_settings(settings: Settings) -> None:
    """Raise TableError unless these settings can be played."""
    variant = KNOWN_VARIANTS.get(settings.variant)
    if variant is None:
        raise TableError(
            message("no such game: {name!r}; there are {variants}", name=settings.variant, variants=listed(VARIANTS))
        )
    try:
        check_table(variant, settings.players, settings.teams, settings.options)
    except RulesError as error:
        raise TableError(message_of(error)) from None
    if len(settings.colours) != settings.teams or len(set(settings.colours)) != settings.teams:
        raise TableError(message("{teams} teams need as many different colours", teams=settings.teams))
    if not set(settings.colours) <= set(settings.offered_colours):
        values = {"teams": settings.teams, "game": variant.title, "colours": listed(settings.offered_colours)}
        raise TableError(message("the colours of {teams} teams of {game} are {colours}", **values))


def check_agreement(agreement: Agreement) -> None:
    """Raise TableError unless the seats fit the settings and every name, key and nonce may be used."""
    check_settings(agreement.settings)
    seats = agreement.seats
    if len(seats) != agreement.settings.players:
        raise TableError(
            message("{count} seats for {players} players", count=len(seats), players=agreement.settings.players)
        )
    for number, seat in enumerate(seats, 1):
        if fault := name_fault(seat.name):
            raise TableError(message("seat {number}: {fault}", number=number, fault=fault))
        try:
            check_public(seat.key)
        except CryptoError as error:
            raise TableError(message("seat {number}: {reason}", number=number, reason=message_of(error))) from None
    if len({seat.key for seat in seats}) != len(seats):
        raise TableError(message("two seats have the same identity key"))
    if len({seat.nonce for seat in seats}) != len(seats):
        raise TableError(message("two seats have the same nonce"))


def encode_agreement(agreement: Agreement) -> bytes:
    """Return the agreement's canonical bytes."""
    return encode(agreement)


def decode_agreement(data: bytes) -> Agreement:
    """Decode and check an agreement. Raises DecodeError (the bytes) or TableError (their content)."""
    agreement = decode(Agreement, data, AGREEMENT_SIZE_MAX)
    check_agreement(agreement)
    return agreement


def game_id(agreement_bytes: bytes) -> bytes:
    """Return the 32-byte id of the game, which is head(0): H("seqp2p/1 table" ‖ agreement)."""
    return tagged_hash(TABLE, agreement_bytes)
