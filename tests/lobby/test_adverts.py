"""Advertisements of tables and seats, honest and false."""

import hashlib

import pytest

from seqp2p.lobby.adverts import SeatAdvert, TableAdvert, game_mark, read_seat, read_table
from seqp2p.match.table import NAME_LENGTH_MAX

TABLE = TableAdvert(7, "änn ♠", "classic", 4, 3)
SEAT = SeatAdvert(game_mark(b"g" * 32), 12)


def on_the_wire(properties: dict[str, str]) -> dict[bytes, bytes | None]:
    return {key.encode(): value.encode() for key, value in properties.items()}


AT_A_PLACE = TableAdvert(7, "ann", "classic", 4, 3, place="0123456789abcdef")


@pytest.mark.parametrize("table", [TABLE, TableAdvert(99, "x" * 24, "kids", 2, 0, "playing", 2), AT_A_PLACE])
def test_a_table_is_read_as_it_was_advertised(table: TableAdvert) -> None:
    assert read_table(on_the_wire(table.properties())) == table
    assert read_seat(on_the_wire(table.properties())) is None


def test_a_seat_is_read_as_it_was_advertised() -> None:
    assert read_seat(on_the_wire(SEAT.properties())) == SEAT
    assert read_table(on_the_wire(SEAT.properties())) is None
    # The game's id itself is not told to those who do not know it.
    assert SEAT.game == hashlib.sha256(b"g" * 32).hexdigest()[:16]


def test_nothing_of_the_code_is_in_it() -> None:
    assert set(TABLE.properties()) == {"v", "table", "host", "variant", "players", "free", "state"}
    longest = TableAdvert(99, "♠" * NAME_LENGTH_MAX, "classic", 12, 11, "playing")
    assert sum(len(key) + len(value.encode()) + 2 for key, value in longest.properties().items()) < 200


FALSE = {
    "v": ["", "1.0"],
    "table": ["0", "100", "-7", "٧", "7" * 5000],
    "players": ["0", "13"],
    "free": ["4"],
    "host": ["", "\x1b\u202e"],
    "variant": ["", "a\nb", "c" * 17],
    "state": ["full of eels"],
    "place": ["0123456789ABCDEF", "48219375526041"],
}


@pytest.mark.parametrize(("key", "value"), [(key, value) for key, values in FALSE.items() for value in values])
def test_a_table_that_cannot_be_is_none(key: str, value: str) -> None:
    assert read_table(on_the_wire({**TABLE.properties(), key: value})) is None


@pytest.mark.parametrize("key", list(TABLE.properties()))
def test_a_table_of_which_something_is_missing_is_none(key: str) -> None:
    properties = on_the_wire(TABLE.properties())
    assert read_table({**properties, key.encode(): None}) is None
    del properties[key.encode()]
    assert read_table(properties) is None


@pytest.mark.parametrize(
    ("key", "value"), [("seat", "0"), ("seat", "13"), ("seat", "x"), ("game", "0" * 15), ("game", "G" * 16)]
)
def test_a_seat_that_cannot_be_is_none(key: str, value: str) -> None:
    assert read_seat(on_the_wire({**SEAT.properties(), key: value})) is None


def test_a_name_that_moves_the_cursor_does_not() -> None:
    table = read_table(on_the_wire({**TABLE.properties(), "host": "\x1b[2Jann\u202e\n" + "x" * 500}))
    assert table is not None
    assert table.host == "[2Jann " + "x" * 17
