"""Advertisements of tables and seats on the LAN: keys and values of a DNS-SD TXT record (RFC 6763).

They never hold the join code. Any machine on the LAN can advertise anything: adverts are checked and cut here, and no
check relies on them. A false table gets one try at the code (pake.py); a false seat costs a failed dial, for its key
is pinned.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Generic, Literal, TypeAlias, TypeVar, cast, get_args

from seqp2p.lobby.code import TABLE_NUMBER_MAX
from seqp2p.match.table import NAME_LENGTH_MAX, PROTOCOL_VERSION
from seqp2p.match.text import clean
from seqp2p.net.addresses import Address

SERVICE: Final = "_seqp2p._tcp.local."
AdvertState: TypeAlias = Literal["open", "playing"]
Properties: TypeAlias = Mapping[bytes, bytes | None]

SEATS_MAX: Final = 12
_VARIANT_LENGTH_MAX: Final = 16
_NUMBER_LENGTH_MAX: Final = 6


@dataclass(frozen=True, slots=True)
class TableAdvert:
    """A table: the number that its code begins with, its host's name, the variant, and the free seats.

    ``place`` is the mark of its meeting place (place.py), or empty.
    """

    number: int
    host: str
    variant: str
    players: int
    free: int
    state: AdvertState = "open"
    version: int = PROTOCOL_VERSION
    place: str = ""

    def properties(self) -> dict[str, str]:
        place = {"place": self.place} if self.place else {}
        return {
            "v": str(self.version),
            "table": str(self.number),
            "host": self.host,
            "variant": self.variant,
            "players": str(self.players),
            "free": str(self.free),
            "state": self.state,
            **place,
        }


@dataclass(frozen=True, slots=True)
class SeatAdvert:
    """A seat of a running game, for the others that look for it.

    ``game`` is ``game_mark`` of the game's id, ``number`` the seat's.
    """

    game: str
    number: int

    def properties(self) -> dict[str, str]:
        return {"v": str(PROTOCOL_VERSION), "game": self.game, "seat": str(self.number)}


A = TypeVar("A", TableAdvert, SeatAdvert)


@dataclass(frozen=True)
class Found(Generic[A]):
    """An advertised table or seat and its IP addresses, likeliest first, at least one."""

    advert: A
    addresses: tuple[Address, ...]


FoundTable: TypeAlias = Found[TableAdvert]


def game_mark(game: bytes) -> str:
    """Return the first 16 hexadecimal digits of SHA-256 of the game's id: only those who know the game can find it.

    >>> game_mark(bytes(32))
    '66687aadf862bd77'
    """
    return hashlib.sha256(game).hexdigest()[:16]


def read_table(properties: Properties) -> TableAdvert | None:
    texts = _texts(properties)
    host = clean(texts.get("host", ""), NAME_LENGTH_MAX)
    variant, state = texts.get("variant", ""), texts.get("state", "")
    numbers = [_number(texts.get(key, "")) for key in ("v", "table", "players", "free")]
    if None in numbers or not host or state not in get_args(AdvertState):
        return None
    version, number, players, free = cast("list[int]", numbers)
    known = 1 <= number <= TABLE_NUMBER_MAX and 1 <= players <= SEATS_MAX and free < players
    if not known or not (variant.isascii() and variant.isalpha() and len(variant) <= _VARIANT_LENGTH_MAX):
        return None
    place = texts.get("place", "")
    if place and not _is_mark(place):
        return None
    return TableAdvert(number, host, variant, players, free, cast("AdvertState", state), version, place)


def read_seat(properties: Properties) -> SeatAdvert | None:
    texts = _texts(properties)
    seat = _number(texts.get("seat", ""))
    game = texts.get("game", "")
    if seat is None or not 1 <= seat <= SEATS_MAX or not _is_mark(game):
        return None
    return SeatAdvert(game, seat)


def _is_mark(text: str) -> bool:
    return len(text) == 16 and set(text) <= set("0123456789abcdef")


def _texts(properties: Properties) -> dict[str, str]:
    return {
        key.decode("ascii", "replace"): value.decode("utf-8", "replace")
        for key, value in properties.items()
        if value is not None
    }


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _NUMBER_LENGTH_MAX else None
