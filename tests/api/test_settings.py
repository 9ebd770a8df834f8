"""Tables as they are set, and who may sit down."""

from collections.abc import Callable
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
        ({"grace_s": 0}, "grace_s"),
    ],
)
async def test_what_cannot_be_played_is_said(how: dict[str, Any], why: str) -> None:
    with pytest.raises(seqp2p.TableError, match=why):
        seqp2p.table_settings(**how)
    with pytest.raises(seqp2p.TableError, match=why):
        async with seqp2p.host(**how, listen="127.0.0.1:0"):
            raise AssertionError("no such table")


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({"players": "2"}, "players must be int, not str"),
        ({"players": True}, "players must be int, not bool"),
        ({"turn_time_s": 1.5}, "turn_time_s must be int, not float"),
        ({"open_hands": "yes"}, "open_hands must be bool, not str"),
        ({"variant": []}, "variant must be str, not list"),
        ({"teams": "2"}, "teams must be int or None, not str"),
        ({"name": 5}, "name must be str or None, not int"),
        ({"identity": b"secret"}, "identity must be Identity or None, not bytes"),
        ({"replay_dir": 5}, "replay_dir must be str or PathLike or None, not int"),
        ({"listen": ("127.0.0.1", 0)}, "listen must be str or None, not tuple"),
        ({"spectators": "3"}, "spectators must be int, not str"),
        ({"advertise": "no"}, "advertise must be bool, not str"),
    ],
)
def test_a_wrong_type_is_said_by_its_argument(how: dict[str, Any], why: str) -> None:
    with pytest.raises(TypeError, match=f"host: {why}"):
        seqp2p.host(**how)


def test_so_is_one_of_the_other_functions() -> None:
    calls: list[tuple[Callable[[], object], str]] = [
        (lambda: seqp2p.join(5, code="7-amber-falcon"), "join: address must be str or None, not int"),  # type: ignore[arg-type]
        (lambda: seqp2p.watch(code=b"7"), "watch: code must be str, not bytes"),  # type: ignore[arg-type]
        (lambda: seqp2p.resume(5), "resume: replay must be str or PathLike, not int"),  # type: ignore[arg-type]
        (lambda: seqp2p.verify(5), "verify: source must be str or PathLike or bytes, not int"),  # type: ignore[arg-type]
        (lambda: seqp2p.read(None), "read: source must be str or PathLike or bytes, not NoneType"),  # type: ignore[arg-type]
        (lambda: seqp2p.parse_action("classic", "QH e5"), "parse_action: variant must be Variant, not str"),  # type: ignore[arg-type]
        (lambda: seqp2p.parse_game(b""), "parse_game: text must be str, not bytes"),  # type: ignore[arg-type]
        (lambda: seqp2p.start("classic", 2, 2, seqp2p.Options(), 1, []), "start: variant must be Variant, not str"),  # type: ignore[arg-type]
    ]
    for call, why in calls:
        with pytest.raises(TypeError, match=why):
            call()


async def test_a_replay_dir_that_is_a_file_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(NotADirectoryError, match="file"):
            async with seqp2p.host(2, listen="127.0.0.1:0", replay_dir=folder):
                raise AssertionError("no such table")
        with pytest.raises(NotADirectoryError, match="file"):
            async with seqp2p.join("127.0.0.1:9", code="7-amber-falcon", replay_dir=folder):
                raise AssertionError("no such table")
        with pytest.raises(NotADirectoryError, match="file"):
            async with seqp2p.watch("127.0.0.1:9", code="7-amber-falcon", replay_dir=folder):
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
