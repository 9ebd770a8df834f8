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

from seqp2p.api import known
from seqp2p.api.home import KNOWN_PLAYERS, data_dir, locked_identity
from seqp2p.api.known import Known, forget, known_players, meet, remember
from seqp2p.cli.known import ANSWER_S, check_known, note_finished
from seqp2p.cli.output import Output, prepare_streams
from seqp2p.crypto.identity import Identity, fingerprint
from seqp2p.errors import UserError
from seqp2p.live.game import LiveGame
from seqp2p.lobby.table import OTHER_REFUSED, REFUSED, AgreedTable, leave_table
from seqp2p.net.errors import LinkLost
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import LinkStage, bye, decode_message
from tests.cli import documented
from tests.cli.conftest import Cli, names_in, refused, unanswered
from tests.ui.kept import Talk, talks


def key(number: int) -> bytes:
    return Identity(number.to_bytes(32, "big")).public


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
    return [(player.name, numbers[player.key]) for player in known_players()]


KNOWN = [
    Known(name, key(number).hex(), "2025-01-31") for name, number in (("ann", 1), ("bob", 2), ("eve", 3), ("eve 9", 9))
]
OTHERS = {"ann, bob, eve and eve 9 are known": (), "they are known, and ann and bob are at the table": ("ann", "bob")}


def met(place: str, who: str) -> str:
    """Return what somebody is with a name and the number of a key."""
    name, _, number = who.rpartition(" ")
    found = meet(2, name, key(int(number)), KNOWN, OTHERS[place])
    return found.kind if found.known is None else f"{found.kind}: {found.known.name}"


@talks(__file__, "known_talks.txt")
def test_talk(talk: Talk) -> None:
    talk.check([met(talk.place, line[2:])] for line in talk.lines)


@talks(__file__, "known_table_talks.txt")
async def test_table_talk(talk: Talk, typed: list[str], capsys: pytest.CaptureFixture[str], own_home: Path) -> None:
    """Those who sit down, by their names and the numbers of their keys; what is typed to the question; who is known."""
    scripted = talk.place == "a script"

    async def sit_down(who: str) -> list[str]:
        prepare_streams()
        others = [(name, int(number)) for name, _, number in (each.rpartition(" ") for each in who.split(", "))]
        await check_known(table(*others), Output(json=scripted), ask=not scripted)
        out, err = capsys.readouterr()
        assert not (scripted and out) or documented.stream(out)
        assert stat.S_IMODE((own_home / KNOWN_PLAYERS).stat().st_mode) == 0o600
        today = known_players()[0].first_seen
        known = ", ".join(f"{name} {number}" for name, number in names())
        return [row.replace(today, "TODAY").rstrip() for row in (*(out + err).splitlines(), f"(known: {known})")]

    async def answer(line: str) -> list[str]:
        if line.startswith(">"):
            typed.append(line[2:])
            return []
        return await sit_down(line[2:])

    talk.check([await answer(line) for line in talk.lines])


async def test_ones_own_other_identities_are_nobody(capsys: pytest.CaptureFixture[str], own_home: Path) -> None:
    with locked_identity() as first, locked_identity() as second:
        (own_home / "identity-3.key").write_bytes(b"damaged")
        seats = SimpleNamespace(seats=(seat("me", first.identity.public), seat("me 2", second.identity.public)))
        await check_known(cast("LiveGame", Agreed(seats, {})), Output(json=False), ask=True)
    assert known_players() == ()
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("answer", [["no"], ["perhaps", "no"], []])
async def test_a_person_who_does_not_say_yes_leaves(
    typed: list[str], answer: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    await check_known(table(("ann", 1)), Output(json=False), ask=True)
    typed += answer
    refused, near, gone = Wire(), Wire(), Wire(lost=True)
    links = {2: refused, 3: near, 4: gone}
    with pytest.raises(UserError, match="left the table: the key of ann has changed") as error:
        await check_known(table(("ann", 7), ("dan", 8), ("eve", 9), links=links), Output(json=False), ask=True)
    assert error.value.exit_code == 4
    assert "seqp2p id --forget ann " in error.value.hint
    for wire, reason in ((refused, REFUSED), (near, OTHER_REFUSED)):
        (farewell,) = wire.sent
        assert decode_message(farewell[4:], LinkStage.GAME) == bye(reason)
    assert all(wire.aborted for wire in links.values())
    assert names() == [("ann", 1)]
    assert "play with this ann? no: leave the table (60 s)  yes · no" in capsys.readouterr().out


async def test_a_person_who_is_not_there_leaves(autojump_clock: object, monkeypatch: pytest.MonkeyPatch) -> None:
    await check_known(table(("ann", 1)), Output(json=False), ask=True)
    monkeypatch.setattr(Output, "read_line", unanswered)
    with pytest.raises(UserError, match="left the table"):
        await check_known(table(("ann", 7)), Output(json=False), ask=True)
    assert trio.current_time() == pytest.approx(ANSWER_S)


async def test_a_file_that_cannot_be_written_is_said_and_the_game_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], own_home: Path
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    await check_known(table(("ann", 1)), Output(json=False), ask=True)
    assert "the players at this table are not remembered: cannot write" in capsys.readouterr().out
    assert names_in(own_home) == [f"{KNOWN_PLAYERS}.lock"]


def test_only_so_many_are_kept() -> None:
    most = DEFAULT_LIMITS.known_players_max
    players = [Known(f"p{number}", key(number).hex(), "2025-01-31") for number in range(1, most + 1)]
    data_dir().mkdir()
    known._write(players)
    remember([meet(2, "last", key(most + 1), players)])
    kept = known_players()
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
    told = (1, f"the file of known players {path} is damaged", "move it away; then everybody is new again")
    assert refused(cli("id")) == refused(cli("id", "--forget", "ann")) == told
    assert path.read_bytes() == data


def test_a_file_and_a_lock_that_cannot_be_used(
    cli: Cli, own_home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(known, "LOCK_PATIENCE_S", 0.03)
    with known.locked(f"{KNOWN_PLAYERS}.lock"), pytest.raises(UserError, match="another seqp2p process holds"):
        forget("ann")
    (own_home / f"{KNOWN_PLAYERS}.lock").unlink()
    (own_home / f"{KNOWN_PLAYERS}.lock").mkdir()
    with pytest.raises(UserError, match="cannot use"):
        forget("ann")
    over = cast("LiveGame", SimpleNamespace(table=SimpleNamespace(others=()), out=()))
    note_finished(over, Output(json=False))
    assert capfd.readouterr().out.startswith("cannot use ")
    (own_home / KNOWN_PLAYERS).mkdir()
    assert cli("id")[0] == 1


def test_id_shows_and_forgets_them(cli: Cli) -> None:
    remember([meet(2, "ann", key(1), ()), meet(3, "bob", key(2), ())])
    (event,) = documented.stream(cli("id", "--json")[1])
    assert [set(player) for player in event["known"]] == [{"name", "key", "fingerprint", "first_seen"}] * 2
    assert event["known"][0]["fingerprint"] == fingerprint(key(1))
    assert f"known: bob  {fingerprint(key(2))}  since " in cli("id")[1]
    assert cli("id", "--forget", "ANN")[0] == 0
    assert names() == [("bob", 2)]
    assert refused(cli("id", "--forget", "ann"))[:2] == (1, "nobody is known as ann")
