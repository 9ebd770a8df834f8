"""Tables as they are set, and who may sit down."""

from pathlib import Path
from typing import Any

import pytest

import seqp2p
from seqp2p.lobby.discovery import advertising
from tests.api.tools import guest_of, table_of


def test_what_is_not_said_is_as_usual() -> None:
    settings = seqp2p.table_settings(4)
    assert (settings.variant, settings.teams, settings.colours) == ("classic", 2, ("blue", "green"))
    assert (settings.grace_s, settings.turn_time_s, settings.open_hands) == (120, 0, True)
    assert seqp2p.table_settings(6, teams=3).teams == 3


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({"players": 5}, "5"),
        ({"players": 4, "teams": 3}, "teams"),
        ({"variant": "chess"}, "no such game: 'chess'"),
        ({"variant": "kids", "advanced": True}, "advanced"),
        ({"turn_time_s": -1}, "turn_time_s"),
        ({"turn_time_s": 1.5}, "turn_time_s"),
        ({"grace_s": 0}, "grace_s"),
        ({"open_hands": "yes"}, "open_hands"),
    ],
)
async def test_what_cannot_be_played_is_said(how: dict[str, Any], why: str) -> None:
    with pytest.raises(seqp2p.TableError, match=why):
        seqp2p.table_settings(**how)
    with pytest.raises(seqp2p.TableError, match=why):
        async with seqp2p.host(**how, listen="127.0.0.1:0"):
            raise AssertionError("no such table")


async def test_an_open_table_says_what_it_is(tmp_path: Path) -> None:
    async with table_of(tmp_path, advertise=False, spectators=0) as table:
        assert repr(table) == f"OpenTable({table.address})"
        assert table.addresses == (table.address,)
        assert table.settings == seqp2p.table_settings(2, variant="kids")
        with pytest.raises(seqp2p.PeerRefused) as refused:
            async with seqp2p.watch(table.address, code=table.code):
                raise AssertionError("nobody may watch")
        assert refused.value.code == "no_spectators"
        with pytest.raises(seqp2p.PeerRefused) as refused:
            async with seqp2p.join(table.address, code="1-acorn-acorn"):
                raise AssertionError("another code")
        assert refused.value.code == "wrong_code"


async def test_names_that_cannot_be_shown() -> None:
    with pytest.raises(ValueError, match="name"):
        async with seqp2p.host(name="\x1b", listen="127.0.0.1:0"):
            raise AssertionError("no such name")


async def test_where_nothing_can_be_advertised_the_host_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def warning(advert: Any, listeners: Any, likeliest: Any, warn: Any) -> Any:
        warn("others cannot find this")
        return advertising(advert, listeners, likeliest, warn)

    monkeypatch.setattr("seqp2p.api.table.advertising", warning)
    async with table_of(tmp_path) as table:
        assert table.events.so_far[0] == seqp2p.Hidden("others cannot find this")


async def test_who_is_alone_with_a_key_has_one_seat(tmp_path: Path) -> None:
    async with table_of(tmp_path) as table:
        with pytest.raises(seqp2p.PeerRefused) as refused:
            async with guest_of(table, tmp_path, name="ann"):
                raise AssertionError("ann hosts already")
        assert refused.value.code == "same_key"
