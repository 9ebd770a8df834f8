"""Known players: new ones, the same ones, those whose key has changed, and the faults of their file."""

import json
import os
import stat
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio

from seqp2p.api.home import KNOWN_PLAYERS, data_dir, locked_identity
from seqp2p.cli import known
from seqp2p.cli.known import Known, check_known, forget, load, meet, remember
from seqp2p.cli.output import Output
from seqp2p.crypto.identity import Identity, fingerprint
from seqp2p.errors import UserError
from seqp2p.live.game import LiveGame
from seqp2p.lobby.table import OTHER_REFUSED, REFUSED, AgreedTable, leave_table
from seqp2p.net.errors import LinkLost
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import LinkStage, bye, decode_message
from tests.cli import documented
from tests.cli.conftest import Cli, names_in, refused, unanswered


def key(number: int) -> bytes:
    return Identity(number.to_bytes(32, "big")).public


ANN, BOB, EVE = (Known(name, key(number).hex(), "2025-01-31") for number, name in enumerate(("ann", "bob", "eve"), 1))

NINTH = Known("eve 9", key(9).hex(), "2025-01-31")


def seat(name: str, public: bytes) -> SimpleNamespace:
    return SimpleNamespace(name=name, key=public)


class Wire:
    """A connection, whose other end is there or ``lost``."""

    def __init__(self, *, lost: bool = False) -> None:
        self.sent: list[bytes] = []
        self.lost = lost
        self.aborted = False

    async def send(self, data: bytes) -> None:
        await trio.lowlevel.checkpoint()
        if self.lost:
            raise LinkLost("It is gone.")
        self.sent.append(data)

    async def receive(self, _: int) -> bytes:
        await trio.lowlevel.checkpoint()
        raise LinkLost("It has read the farewell, and closes.")

    async def abort(self) -> None:
        await trio.lowlevel.checkpoint()
        self.aborted = True


@dataclass
class Agreed:
    """The used parts of a game and its agreed table: this seat is seat 1."""

    agreement: SimpleNamespace
    links: dict[int, Wire]
    seat: int = 1

    @property
    def table(self) -> "Agreed":
        return self

    async def decline(self, refused: int) -> None:
        await leave_table(cast("AgreedTable", self), refused)


def table(*others: tuple[str, int], links: dict[int, Wire] | None = None) -> LiveGame:
    seats = (seat("me", key(99)), *(seat(name, key(number)) for name, number in others))
    return cast("LiveGame", Agreed(SimpleNamespace(seats=seats), links or {}))


def names() -> list[tuple[str, int]]:
    numbers = {key(number).hex(): number for number in range(1, 10)}
    return [(player.name, numbers[player.key]) for player in load()]


# Who is it?


@pytest.mark.parametrize(
    ("name", "number", "kind"),
    [
        ("dan", 7, "new"),
        ("ann", 1, "same"),
        ("ANN", 1, "same"),
        ("ann", 7, "changed"),
        ("ａｎｎ", 7, "changed"),
        ("ann", 2, "changed"),
        ("anna", 1, "renamed"),
        ("\u0430nn", 7, "changed"),
        ("ann 2", 1, "renamed"),
        ("ann 2", 7, "new"),
        ("eve 9", 7, "changed"),
    ],
)
def test_who_this_is(name: str, number: int, kind: str) -> None:
    assert meet(2, name, key(number), (ANN, BOB, EVE, NINTH)).kind == kind


def test_a_number_that_the_lobby_of_this_table_may_have_added() -> None:
    others = ["ann", "bob"]
    for name, number, kind in (("ann 2", 1, "same"), ("ann 2", 7, "unnamed"), ("eve 9", 7, "changed")):
        assert meet(2, name, key(number), (ANN, BOB, EVE, NINTH), others).kind == kind


def test_one_player_may_have_several_keys() -> None:
    second = Known("ann", key(8).hex(), "2025-02-01")
    for number in (1, 8):
        assert meet(2, "ann", key(number), (ANN, second)).kind == "same"
    assert meet(2, "ann", key(7), (ANN, second)).known == second


# At the table.


async def test_who_is_new_is_remembered_and_known_the_next_time(
    capsys: pytest.CaptureFixture[str], own_home: Path
) -> None:
    await check_known(table(("ann", 1), ("bob", 2)), Output(json=False), ask=True)
    assert names() == [("ann", 1), ("bob", 2)]
    assert capsys.readouterr().out.splitlines() == [
        "seat 2: ann is new here; this key is remembered",
        "seat 3: bob is new here; this key is remembered",
    ]
    await check_known(table(("anna", 1), ("eve", 3), ("eve 2", 4)), Output(json=False), ask=True)
    today = load()[0].first_seen
    assert capsys.readouterr().out.splitlines() == [
        f"seat 2: anna is known as ann, since {today}",
        "seat 3: eve is new here; this key is remembered",
    ]
    # The player who was met last comes last; the first name stays.
    assert names() == [("bob", 2), ("ann", 1), ("eve", 3)]
    await check_known(table(("ann", 1)), Output(json=False), ask=True)
    assert capsys.readouterr().out == f"seat 2: ann is known since {today}\n"
    assert stat.S_IMODE((own_home / KNOWN_PLAYERS).stat().st_mode) == 0o600


async def test_ones_own_other_identities_are_nobody(capsys: pytest.CaptureFixture[str], own_home: Path) -> None:
    with locked_identity() as first, locked_identity() as second:
        (own_home / "identity-3.key").write_bytes(b"damaged")
        seats = SimpleNamespace(seats=(seat("me", first.identity.public), seat("me 2", second.identity.public)))
        await check_known(cast("LiveGame", Agreed(seats, {})), Output(json=False), ask=True)
    assert load() == ()
    assert capsys.readouterr().out == ""


async def test_a_script_is_told_of_a_changed_key_and_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    await check_known(table(("ann", 1)), Output(json=True), ask=False)
    capsys.readouterr()
    for _ in range(2):  # It is not remembered, so it is said again.
        await check_known(table(("ann", 7)), Output(json=True), ask=False)
        said = capsys.readouterr()
        (event,) = documented.stream(said.out)
        assert (event["seat"], event["name"]) == (2, "ann")
        assert (event["key"], event["known_key"]) == (key(7).hex(), key(1).hex())
        assert "THE KEY OF ann HAS CHANGED (seat 2)" in said.err
        assert fingerprint(key(1)) in said.err
        assert fingerprint(key(7)) in said.err
    assert names() == [("ann", 1)]


async def test_a_person_who_says_yes_plays_and_both_keys_are_known(typed: list[str]) -> None:
    await check_known(table(("ann", 1), ("bob", 2)), Output(json=False), ask=True)
    typed += ["what?", " YES "]
    await check_known(table(("ann", 7)), Output(json=False), ask=True)
    assert names() == [("ann", 1), ("bob", 2), ("ann", 7)]
    # bob's key under ann's name: the person knows better.
    typed += ["yes"]
    await check_known(table(("ann", 2)), Output(json=False), ask=True)
    assert names() == [("ann", 1), ("ann", 7), ("ann", 2)]


@pytest.mark.parametrize("answer", [["no"], ["perhaps", "no"], []])
async def test_a_person_who_does_not_say_yes_leaves(
    typed: list[str], answer: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    await check_known(table(("ann", 1)), Output(json=False), ask=True)
    typed += answer
    refused, near, gone = Wire(), Wire(), Wire(lost=True)
    links = {2: refused, 3: near, 4: gone}
    with pytest.raises(UserError, match="left the table: ann has another key than before") as error:
        await check_known(table(("ann", 7), ("dan", 8), ("eve", 9), links=links), Output(json=False), ask=True)
    assert error.value.exit_code == 4
    assert "seqp2p id --forget 'ann'" in error.value.hint
    for wire, reason in ((refused, REFUSED), (near, OTHER_REFUSED)):
        (farewell,) = wire.sent
        assert decode_message(farewell[4:], LinkStage.GAME) == bye(reason)
    assert all(wire.aborted for wire in links.values())
    assert names() == [("ann", 1)]
    assert "play with this ann? Type yes, or no" in capsys.readouterr().err


async def test_a_person_who_is_not_there_leaves(autojump_clock: object, monkeypatch: pytest.MonkeyPatch) -> None:
    await check_known(table(("ann", 1)), Output(json=False), ask=True)
    monkeypatch.setattr(Output, "read_line", unanswered)
    with pytest.raises(UserError, match="left the table"):
        await check_known(table(("ann", 7)), Output(json=False), ask=True)
    assert trio.current_time() == pytest.approx(known.ANSWER_S)


async def test_a_file_that_cannot_be_written_is_said_and_the_game_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], own_home: Path
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    await check_known(table(("ann", 1)), Output(json=False), ask=True)
    assert "those at the table are not remembered: cannot write" in capsys.readouterr().out
    assert names_in(own_home) == [f"{KNOWN_PLAYERS}.lock"]


# The file.


def test_only_so_many_are_kept() -> None:
    most = DEFAULT_LIMITS.known_players_max
    players = [Known(f"p{number}", key(number).hex(), "2025-01-31") for number in range(1, most + 1)]
    data_dir().mkdir()
    known._write(players)
    remember([meet(2, "last", key(most + 1), players)])
    kept = load()
    assert len(kept) == most
    assert (kept[0].name, kept[-1].name) == ("p2", "last")
    assert (data_dir() / KNOWN_PLAYERS).stat().st_size < known.SIZE_MAX


def entry(**changes: Any) -> dict[str, Any]:
    return {"name": "ann", "key": key(1).hex(), "first_seen": "2025-01-31"} | changes


DAMAGED = [
    b"",
    b"[]",
    b"\xff",
    b'{"version": 1, "more": ' + b"[" * 100_000,
    b'{"version": 2, "players": []}',
    b'{"version": 1, "players": ' + b" " * known.SIZE_MAX + b"[]}",
    *(
        json.dumps({"version": 1, "players": [changed]}).encode()
        for changed in (
            entry(name="a\x1b[2J"),
            entry(key="00" * 32),
            entry(key=key(1).hex().upper()),
            entry(first_seen="yesterday\n"),
            {},
        )
    ),
]


@pytest.mark.parametrize("data", DAMAGED, ids=count())
def test_a_damaged_file_is_said_and_left_alone(cli: Cli, own_home: Path, data: bytes) -> None:
    own_home.mkdir()
    path = own_home / KNOWN_PLAYERS
    path.write_bytes(data)
    told = (1, f"the file of known players {path} is damaged", "move it away; everybody is new again then")
    assert refused(cli("id")) == refused(cli("id", "--forget", "ann")) == told
    assert path.read_bytes() == data


def test_a_file_and_a_lock_that_cannot_be_used(cli: Cli, own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known, "LOCK_PATIENCE_S", 0.03)
    with known.locked(f"{KNOWN_PLAYERS}.lock"), pytest.raises(UserError, match="another seqp2p process holds"):
        forget("ann")
    (own_home / f"{KNOWN_PLAYERS}.lock").unlink()
    (own_home / f"{KNOWN_PLAYERS}.lock").mkdir()
    with pytest.raises(UserError, match="cannot use"):
        forget("ann")
    (own_home / KNOWN_PLAYERS).mkdir()
    assert cli("id")[0] == 1


# id


def test_id_shows_and_forgets_them(cli: Cli) -> None:
    remember([meet(2, "ann", key(1), ()), meet(3, "bob", key(2), ())])
    (event,) = documented.stream(cli("id", "--json")[1])
    assert [set(player) for player in event["known"]] == [{"name", "key", "fingerprint", "first_seen"}] * 2
    assert event["known"][0]["fingerprint"] == fingerprint(key(1))
    assert f"known: bob  {fingerprint(key(2))}  since " in cli("id")[1]
    assert cli("id", "--forget", "ANN")[0] == 0
    assert names() == [("bob", 2)]
    assert refused(cli("id", "--forget", "ann"))[:2] == (1, "nobody is known as ann")
