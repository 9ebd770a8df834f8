"""Tables as they are set, and who may sit down."""

import re
from collections.abc import Callable
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

import seqp2p
from seqp2p.lobby.discovery import advertising
from seqp2p.rules import deal
from tests.api.tools import guest_of, refused, table_of


def test_what_is_not_said_is_as_usual() -> None:
    settings = seqp2p.table_settings(4)
    assert (settings.variant, settings.teams, settings.colours) == ("classic", 2, ("blue", "green"))
    assert (settings.grace_s, settings.turn_time_s, settings.open_hands) == (120, 0, True)
    assert seqp2p.table_settings(6, teams=3).teams == 3


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({"players": 5}, "5"),
        ({"variant": "chess"}, "no such game: 'chess'"),
        ({"variant": "kids", "advanced": True}, "advanced"),
        *(({"grace_s": wrong}, "is waited for 1 to 86400 s") for wrong in (0, 86_401)),
        *(({"turn_time_s": wrong}, "a turn has 5 to 86400 s, or 0 for no clock") for wrong in (-1, 3, 86_401)),
    ],
)
async def test_what_cannot_be_played_is_said(how: dict[str, Any], why: str) -> None:
    with pytest.raises(seqp2p.TableError, match=why):
        seqp2p.table_settings(**how)
    await refused(seqp2p.TableError, seqp2p.host(**how, listen="127.0.0.1:0"), why)


@pytest.mark.parametrize(
    ("call", "arguments", "why"),
    [
        (seqp2p.host, {"players": "2"}, "players must be int, not str"),
        (seqp2p.host, {"players": True}, "players must be int, not bool"),
        (seqp2p.host, {"teams": "2"}, "teams must be int or None, not str"),
        (seqp2p.host, {"identity": b"secret"}, "identity must be Identity or None, not bytes"),
        (seqp2p.host, {"replay_dir": 5}, "replay_dir must be str or PathLike or None, not int"),
        (seqp2p.join, {"address": 5, "code": "7-amber-falcon"}, "address must be str or None, not int"),
        (seqp2p.watch, {"address": None, "code": b"7"}, "code must be str, not bytes"),
        (seqp2p.resume, {"replay": 5}, "replay must be str or PathLike, not int"),
        (seqp2p.verify, {"source": 5}, "source must be str or PathLike or bytes, not int"),
        (seqp2p.read, {"source": None}, "source must be str or PathLike or bytes, not NoneType"),
        (seqp2p.parse_action, {"variant": "classic", "text": "QH e5"}, "variant must be Variant, not str"),
        (seqp2p.parse_game, {"text": b""}, "text must be str, not bytes"),
        (seqp2p.TakeSeat, {"seat": "x"}, "seat must be int, not str"),
        (seqp2p.ChooseColour, {"colour": 3}, "colour must be str, not int"),
        (seqp2p.SayLine, {"text": b"hi"}, "text must be str, not bytes"),
        (seqp2p.MovePlayer, {"key": "k", "seat": 2}, "key must be bytes, not str"),
        (seqp2p.RemovePlayer, {"key": None}, "key must be bytes, not NoneType"),
        (seqp2p.SeatChoice, {"seat": True}, "seat must be int or None, not bool"),
        (seqp2p.fingerprint, {"public": "zz"}, "public must be bytes, not str"),
        (seqp2p.Identity, {"seed": "x" * 32}, "seed must be bytes, not str"),
        (seqp2p.remember, {"meetings": 3}, "meetings must be Iterable, not int"),
    ],
)
def test_a_wrong_type_is_said_by_its_argument(call: Callable[..., object], arguments: dict[str, Any], why: str) -> None:
    with pytest.raises(TypeError, match=f"{call.__name__}: {why}"):
        call(**arguments)


def test_what_takes_the_arguments_of_another_says_what_itself_returns_and_lacks() -> None:
    assert re.search(
        r"on_port: .* = ignore, .*-> .*AsyncGenerator\[seqp2p.api.seat.Seat\]", str(signature(seqp2p.join))
    )
    assert signature(deal).return_annotation is seqp2p.Position
    for use, missing in ((seqp2p.join, "code"), (deal, "variant")):
        with pytest.raises(TypeError, match=f"^{use.__name__}: missing a required argument: '{missing}'"):
            use()  # type: ignore[call-arg]


def test_an_argument_that_does_not_exist_is_said_by_its_name() -> None:
    for name in ("varient", "choices"):  # the second is that of the function's own ``**choices``
        with pytest.raises(TypeError, match=f"^host: got an unexpected keyword argument '{name}'"):
            seqp2p.host(2, **{name: "kids"})  # type: ignore[arg-type]


@pytest.mark.parametrize("below", [".", "below"])
async def test_a_replay_dir_that_is_a_file_is_refused_at_once(tmp_path: Path, below: str) -> None:
    (tmp_path / "file").write_text("")
    folder, code = tmp_path / "file" / below, "7-amber-falcon"
    for opening in (
        seqp2p.host(2, listen="127.0.0.1:0", replay_dir=folder),
        seqp2p.join("127.0.0.1:9", code=code, replay_dir=folder),
        seqp2p.watch("127.0.0.1:9", code=code, replay_dir=folder),
    ):
        await refused(NotADirectoryError, opening, "file")


async def test_an_open_table_says_what_it_is_and_refuses_who_may_not_come_in(tmp_path: Path) -> None:
    async with table_of(tmp_path, advertise=False, spectators=0) as table:
        assert repr(table) == f"OpenTable({table.address})"
        assert table.addresses == (table.address,)
        assert table.settings == seqp2p.table_settings(2, variant="kids")
        for wrong in (None, "hello", seqp2p.TakeSeat):
            with pytest.raises(TypeError, match=r"ask: request must be TakeSeat or .* or AcceptGame, not"):
                table.ask(wrong)  # type: ignore[arg-type]
        for opening, code in (
            (seqp2p.watch(table.address, code=table.code), "no_spectators"),
            (seqp2p.join(table.address, code="1-acorn-acorn"), "wrong_code"),
            (guest_of(table, tmp_path, "ann"), "same_key"),
        ):
            assert (await refused(seqp2p.PeerRefused, opening)).code == code


async def test_what_is_not_there_is_not_resumed(tmp_path: Path) -> None:
    error = await refused(FileNotFoundError, seqp2p.resume(tmp_path / "none"))
    assert error.filename == str(tmp_path / "none")


async def test_a_name_that_cannot_be_shown_is_refused() -> None:
    await refused(ValueError, seqp2p.host(name="\x1b", listen="127.0.0.1:0"), "name")


@pytest.mark.parametrize("wrong", [-1, 201])
async def test_so_many_spectators_are_refused(wrong: int) -> None:
    await refused(ValueError, seqp2p.host(spectators=wrong, listen="127.0.0.1:0"), f"0 to 200, not {wrong}")


async def test_where_nothing_can_be_advertised_the_host_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def warning(advert: Any, listeners: Any, likeliest: Any, warn: Any) -> Any:
        warn("others cannot find this")
        return advertising(advert, listeners, likeliest, warn)

    monkeypatch.setattr("seqp2p.api.table.advertising", warning)
    async with table_of(tmp_path) as table:
        assert table.events.so_far[0] == seqp2p.Hidden("others cannot find this")
