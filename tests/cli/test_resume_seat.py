"""Resuming a seat: the game that a name means, the player who may have it, and the parts to play on with."""

import os
import resource
import shlex
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from seqp2p.api.endpoint import closing
from seqp2p.api.game import seat_secrets
from seqp2p.api.home import HomeError, key_name, locked_identity, locked_key, replay_path
from seqp2p.api.resume import StoredGame, addresses_towards, listen_again, open_stored, resumed_game
from seqp2p.cli import errors, options
from seqp2p.cli.options import Choices, make_program
from seqp2p.cli.playing import resume_options
from seqp2p.cli.replays import verify_file
from seqp2p.cli.resume import find_stored
from seqp2p.crypto.identity import ExchangeKey
from seqp2p.errors import FAILED, USAGE, UserError
from seqp2p.live.game import LiveGame
from seqp2p.lobby.address_statement import NUMBER_MAX, AddressBook, make_statement, read_statement
from seqp2p.lobby.table import AgreedTable, OwnRelay
from seqp2p.match.contribution import Contribution
from seqp2p.match.seat import SeatKeys
from seqp2p.match.table import decode_agreement
from seqp2p.net.addresses import Address, open_listeners
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import AddressStatement
from seqp2p.net.tls import make_credentials
from seqp2p.replay import sidecar as sidecar_module
from seqp2p.replay.resume import ResumeError
from seqp2p.replay.sidecar import LoggedKind, OlderCopy, Sidecar, SidecarSecrets, sidecar_path
from seqp2p.ui import language
from tests.cli import documented
from tests.cli.conftest import Cli, names_in
from tests.cli.processes import EXAMPLES, Household, Process
from tests.helpful import HELPFUL
from tests.replay.tools import assemble, sealed, steps
from tests.table import Played, played, randomness, replay_bytes

LOOPBACK = Address("127.0.0.1", 0)
ELSEWHERE = Address("10.0.0.9", 5009)


@pytest.fixture
def games(own_home: Path, tmp_path: Path) -> Path:
    """A folder for replays, and the key of seat 2 of the tests' games at home."""
    own_home.mkdir(exist_ok=True)
    key = own_home / key_name(1)
    key.write_bytes(played(2, "kids", 3).identity(2).secret_bytes())
    key.chmod(0o600)
    folder = tmp_path / "games"
    folder.mkdir()
    return folder


def secrets_at(game: Played, seat: int = 2, **changes: Any) -> SidecarSecrets:
    kept = game.seat(seat).secrets
    secrets = SidecarSecrets(
        game=game.match.game.id,
        agreement=game.agreement,
        seat=seat,
        identity="identity.key",
        secret=kept.secret.to_bytes(32, "big"),
        nonce=kept.nonce,
        listen="127.0.0.1:0",
        addresses=tuple((f"127.0.0.1:{4700 + number}",) for number in range(1, game.players + 1)),
    )
    return msgspec.structs.replace(secrets, **changes)


def crash(
    folder: Path, game: Played, closed: int, *, seat: int = 2, name: str | None = None, age_s: int = 0, **changes: Any
) -> Path:
    """Write the files of a seat that was killed after so many steps, with one more contribution of its own signed."""
    replay = folder / (name or replay_path(folder, game.match.game.id, seat).name)
    replay.write_bytes(assemble(steps(game, closed)))
    with Sidecar.create(sidecar_path(replay), secrets_at(game, seat, **changes)) as sidecar:
        for step in game.steps[: closed + 1]:
            for author, held in step.contributions:
                if step.number <= closed or author == seat:
                    sidecar.log("contribution", held.payload, held.signature)
        sidecar.sync()
    then = sidecar_path(replay).stat().st_mtime - age_s
    os.utime(sidecar_path(replay), (then, then))
    return replay


def log(replay: Path, kind: LoggedKind, *things: AddressStatement | Contribution) -> list[LoggedKind]:
    """Write what a seat has signed, or was sent, into its own file; return the kinds of what was there."""
    sidecar, _, logged, _ = Sidecar.open(sidecar_path(replay))
    with sidecar:
        for each in things:
            sidecar.log(kind, each.payload, each.signature)
    return [each.kind for each in logged]


@contextmanager
def taken(folder: Path, game: str | None = None) -> Iterator[StoredGame]:
    stored = find_stored(folder, game)
    with stored.sidecar:
        yield stored


def refusal(folder: Path, game: str | None = None) -> UserError:
    """Return the error of a seat that is not taken."""
    with pytest.raises(UserError) as error:
        find_stored(folder, game)
    assert error.value.hint
    assert "\n" not in str(error.value)
    return error.value


def test_the_newest_unfinished_game_is_taken(games: Path, brief: Played) -> None:
    crash(games, brief, 3, name="old.seqp2p", age_s=100)
    newest = crash(games, brief, 5, name="new.seqp2p")
    crash(games, brief, 4, name="older.seqp2p", age_s=200)
    with taken(games) as stored:
        assert stored.replay == newest
        assert stored.loaded.match.number == 6
        assert stored.secrets == secrets_at(brief)
        assert not stored.torn


def test_a_game_is_named_in_several_ways(games: Path, brief: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    replay = crash(games, brief, 3, age_s=100)
    crash(games, played(2, "kids", 5), 2, name="other.seqp2p")
    digits = brief.match.game.id.hex()
    names = [str(replay), replay.name, f"{replay.name}.seat", "2", digits[:4], digits[:12].upper(), digits]
    for name in names:
        with taken(games, name) as stored:
            assert stored.replay == replay
    monkeypatch.chdir(games)
    with taken(games.parent, replay.name) as stored:
        assert stored.replay.name == replay.name


@pytest.mark.parametrize("name", ["0" * 64, "nothing.seqp2p", "../../etc/passwd~", "", "é", "/"])
def test_a_name_of_nothing(games: Path, brief: Played, name: str) -> None:
    crash(games, brief, 3)
    assert refusal(games, name).exit_code == USAGE


def test_a_game_that_is_over_is_not_resumed(games: Path, brief: Played) -> None:
    error = refusal(games)
    assert (error.exit_code, str(error)) == (FAILED, f"there is no unfinished game in {games}")
    (games / "done.seqp2p").write_bytes(replay_bytes(brief, 2))
    assert "there is no unfinished game in" in str(refusal(games))
    error = refusal(games, "done.seqp2p")
    assert (error.exit_code, "this game has ended" in str(error)) == (FAILED, True)
    # The seat has stopped before the cards were dealt.
    (games / "undealt.seqp2p").write_bytes(sealed(steps(brief, 2), brief.identity(2)))
    assert str(refusal(games, "undealt.seqp2p")).startswith("this game has ended: ")
    with pytest.raises(ResumeError, match=r"^\. is not a file$"):
        open_stored(Path())
    # A crash came after the end of the replay was written: the secrets are deleted.
    over = crash(games, brief, 3, name="over.seqp2p")
    over.write_bytes(replay_bytes(brief, 2))
    assert "this game has ended" in str(refusal(games, "over.seqp2p"))
    assert not sidecar_path(over).exists()


def test_another_players_seat_is_left_alone(games: Path, brief: Played) -> None:
    own = crash(games, brief, 3, name="own.seqp2p", age_s=50)
    other = crash(games, brief, 4, seat=1, name="other.seqp2p")
    with taken(games) as stored:
        assert stored.replay == own
    error = refusal(games, "other.seqp2p")
    assert (error.exit_code, str(error)) == (FAILED, f"the seat of {other} is not yours, or you have left it")
    sidecar_path(own).unlink()
    assert "there is no unfinished game" in str(refusal(games))
    sidecar_path(other).unlink()
    assert str(refusal(games, "other.seqp2p")) == str(error)
    other.write_bytes(b"notes")
    assert str(refusal(games, "other.seqp2p")) == f"the replay {other} is damaged: not a seqp2p replay"


def test_a_seat_that_is_held_is_refused(games: Path, brief: Played) -> None:
    crash(games, brief, 3)
    with taken(games):
        for name in (None, brief.match.game.id.hex()[:8]):
            error = refusal(games, name)
            assert error.exit_code == FAILED
            assert "another seqp2p process holds this seat" in str(error)
        assert refusal(games, "0" * 64).exit_code == USAGE  # It is another game's trouble.
        # The newest that no process plays is taken.
        older = crash(games, brief, 3, name="older.seqp2p", age_s=10)
        with taken(games) as second:
            assert second.replay == older
    with taken(games):
        pass


def test_damaged_files(games: Path, brief: Played) -> None:
    replay = crash(games, brief, 3, agreement=b"rubbish")
    assert "damaged" in str(refusal(games))
    sidecar_path(replay).unlink()
    replay = crash(games, brief, 3)
    replay.write_bytes(b"nothing of the kind")
    error = refusal(games)
    assert error.exit_code == FAILED
    assert f"the replay {replay} is damaged" in str(error)
    replay.unlink()
    assert "the game cannot be resumed: No such file" in str(refusal(games))


async def test_an_older_copy_is_refused_and_another_game_is_taken(games: Path, brief: Played) -> None:
    other = crash(games, brief, 2, name="other.seqp2p", age_s=100)
    log(copy := crash(games, brief, 3), "older", Contribution(b"", bytes(64)))
    assert isinstance(refusal(games, copy.name), OlderCopy)
    with taken(games) as stored:
        assert stored.replay == other
    other.unlink()
    sidecar_path(other).unlink()
    assert isinstance(refusal(games), OlderCopy)
    marked = open_stored(copy)
    with marked.sidecar, locked_key(marked.secrets.identity) as locked, pytest.raises(OlderCopy):
        async with resumed_game(marked, locked, None):
            pass


def test_scripts_are_told_of_an_older_copy(games: Path, brief: Played, cli: Cli) -> None:
    log(crash(games, brief, 3), "older", Contribution(b"", bytes(64)))
    exit_code, out, _ = cli("resume", "--replay-dir", games, "--bot", "random", "--json")
    (event,) = documented.stream(out)
    assert (exit_code, event["code"], bool(event["hint"])) == (1, "older_copy", True)
    assert "a copy of this game's files was put back" in event["reason"]


@asynccontextmanager
async def resumed_at(games: Path, listen: Address | None = None) -> AsyncGenerator[LiveGame]:
    stored = find_stored(games, None)
    with stored.sidecar, locked_key(stored.secrets.identity) as locked:
        async with resumed_game(stored, locked, listen) as game:
            yield game


async def resumed_once(games: Path, listen: Address | None = None) -> LiveGame:
    async with resumed_at(games, listen) as game:
        return game


def addresses_of(game: LiveGame) -> list[Address]:
    """Return the addresses that the others are told."""
    return list(read_statement(game.table.statements[-1]).addresses)


async def refused(games: Path, match: str) -> UserError:
    with pytest.raises(UserError) as error:
        await resumed_once(games)
    assert match in str(error.value)
    assert error.value.hint
    return error.value


async def test_a_seat_is_taken_again(games: Path, brief: Played) -> None:
    replay = crash(games, brief, 1)
    before = replay.read_bytes()
    async with resumed_at(games) as resumed:
        match, seat, table = resumed.match, resumed.own, resumed.table
        assert match.number == 2
        assert match.own_seat == seat.number == table.seat == 2
        assert match.record == list(brief.steps[:1])
        assert resumed.resumption is not None
        assert not resumed.resumption.torn
        assert dict(match.held) == {2: brief.contribution(2, 2)}
        assert seat.secrets == brief.seat(2).secrets
        assert table.agreement == decode_agreement(brief.agreement)
        assert table.addresses == {1: (Address("127.0.0.1", 4701),)}
        assert {each.host for each in addresses_of(resumed)} == {"127.0.0.1"}
        said = read_statement(table.statements[-1]).payload
        assert (said.key, said.number) == (table.key(2), 1)
        # The seat and its key are held meanwhile.
        assert "another seqp2p process holds this seat" in str(refusal(games))
        with locked_identity() as held:
            assert held.number == 2
    assert replay.read_bytes() == before
    with taken(games):
        pass


async def test_a_home_that_was_moved_with_its_games_plays_on(
    games: Path, brief: Played, own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = crash(games, brief, 3).name
    for old in (own_home, games):
        shutil.move(old, tmp_path / f"new {old.name}")
    monkeypatch.setenv("SEQP2P_HOME", str(tmp_path / f"new {own_home.name}"))
    assert (await resumed_once(tmp_path / "new games")).replay == tmp_path / "new games" / name


async def test_every_coming_back_has_a_number_of_its_own(games: Path, brief: Played) -> None:
    """It is written first, so that no number is said twice."""
    replay = crash(games, brief, 3)
    for number in (1, 2, 3):
        resumed = await resumed_once(games)
        assert [read_statement(each).payload.number for each in resumed.table.statements] == [*range(1, number + 1)]
    nonce = decode_agreement(brief.agreement).seats[1].nonce
    assert log(replay, "here", make_statement(brief.identity(2), nonce, NUMBER_MAX, ())).count("here") == 3
    statements = (await resumed_once(games)).table.statements
    assert read_statement(statements[-1]).payload.number == NUMBER_MAX


async def test_the_addresses_that_others_have_signed_are_kept(games: Path, brief: Played) -> None:
    replay = crash(games, brief, 3)
    seats = decode_agreement(brief.agreement).seats
    told = [make_statement(brief.identity(1), seats[0].nonce, number, [ELSEWHERE]) for number in (1, 2)]
    log(replay, "here", *told)
    async with resumed_at(games) as resumed:
        assert list(resumed.table.statements[:2]) == told
        assert AddressBook(resumed.table, DEFAULT_LIMITS).of(1)[0] == ELSEWHERE


async def test_it_listens_where_it_did_if_it_can(games: Path, brief: Played) -> None:
    async with closing(await open_listeners(LOOPBACK)) as listeners:
        port = listeners[0].socket.getsockname()[1]
        crash(games, brief, 3, listen=f"127.0.0.1:{port}")
        assert addresses_of(await resumed_once(games))[0].port != port
    assert addresses_of(await resumed_once(games)) == [Address("127.0.0.1", port)]
    with pytest.RaisesGroup(Exception, allow_unwrapped=True, flatten_subgroups=True):
        await resumed_once(games, listen=Address("192.0.2.1", 1))
    elsewhere = await resumed_once(games, listen=LOOPBACK)
    assert addresses_of(elsewhere)[0].port != port


async def test_an_address_that_this_machine_has_no_more(games: Path, brief: Played) -> None:
    crash(games, brief, 3, listen="192.0.2.7:4610")
    hosts = {each.host for each in addresses_of(await resumed_once(games))}
    assert hosts
    assert "192.0.2.7" not in hosts


@pytest.mark.parametrize("host", ["0.0.0.0", "[::]"])
async def test_all_interfaces_are_all_of_them_again(host: str) -> None:
    async with closing(await listen_again(Address(host.strip("[]"), 0))) as listeners:
        hosts = {listener.socket.getsockname()[0] for listener in listeners}
        assert "0.0.0.0" in hosts
        found = await addresses_towards(listeners, [Address("127.0.0.1", 1)])
        assert found[0].host == "127.0.0.1"
        assert await addresses_towards(listeners, [])


async def test_texts_that_are_no_addresses_are_passed_over(games: Path, brief: Played) -> None:
    crash(games, brief, 3, listen="nonsense\n", addresses=(("table.lan:4610", "\x1b[2J", "127.0.0.1:1"), ()))
    resumed = await resumed_once(games)
    assert resumed.table.addresses == {1: (Address("table.lan", 4610), Address("127.0.0.1", 1))}


async def test_a_key_that_is_not_there_or_plays_elsewhere(games: Path, brief: Played, own_home: Path) -> None:
    replay = crash(games, brief, 3)
    with locked_identity():
        await refused(games, "another seqp2p process plays with the key of this seat")
    await resumed_once(games)
    sidecar_path(replay).unlink()
    crash(games, brief, 3, identity="identity-2.key")
    await refused(games, "the identity key of this seat is not in this player's folder")
    for name in ("identity-65.key", "..", "name", "identity-02.key"):
        with pytest.raises(HomeError), locked_key(name):
            pass
    assert names_in(own_home) == ["identity.key"]


STRANGE = "does not hold the secrets of this seat"


async def test_a_file_of_another_seat_or_game_is_refused(games: Path, trio: Played, brief: Played) -> None:
    changes: list[dict[str, Any]] = [{"nonce": bytes(32)}, {"secret": bytes(32)}]
    for change in changes:
        replay = crash(games, brief, 3, **change)
        assert str(sidecar_path(replay)) in str(await refused(games, STRANGE))
        sidecar_path(replay).unlink()
    foreign = trio.contribution(1, 1)
    entries: list[tuple[LoggedKind, str]] = [("contribution", "does not fit its replay"), ("here", STRANGE)]
    for kind, text in entries:
        replay = crash(games, brief, 3)
        log(replay, kind, foreign)
        await refused(games, text)
        sidecar_path(replay).unlink()


async def test_a_file_that_is_full(games: Path, brief: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    replay = crash(games, brief, 3)
    monkeypatch.setattr(sidecar_module, "REPLAY_SIZE_MAX", sidecar_path(replay).stat().st_size + 10)
    await refused(games, "is full")


async def test_what_a_seat_keeps_is_what_it_comes_back_with(games: Path, brief: Played) -> None:
    seat = SeatKeys(2, brief.identity(2), randomness("new"))
    host = Address("a" * 70 + ".example", 4610)
    places = {1: (host, *(Address("127.0.0.1", port) for port in range(1, 20)))}
    relay = OwnRelay(Address("relay.example.org", 4001), ExchangeKey(bytes(range(32))))
    agreement = decode_agreement(brief.agreement)
    async with closing(await open_listeners(LOOPBACK)) as listeners:
        table = AgreedTable(make_credentials(brief.identity(2)), agreement, 2, places, listeners, relay=relay)
        kept = seat_secrets(table, seat, "identity.key", listeners)
    replay = games / "new.seqp2p"
    replay.write_bytes(assemble(steps(brief, 0)))
    with Sidecar.create(sidecar_path(replay), kept) as sidecar:
        assert stat.S_IMODE(sidecar.path.stat().st_mode) == 0o600
    resumed = await resumed_once(games)
    assert resumed.own.secrets == seat.secrets
    assert [each.port for each in resumed.table.addresses[1]] == list(range(1, 9))
    assert addresses_of(resumed) == [Address("127.0.0.1", int(kept.listen.rpartition(":")[2]))]
    assert resumed.table.relay is not None
    assert resumed.table.relay.entry == relay.entry
    assert read_statement(resumed.table.statements[-1]).relay == relay.entry


# Seats that stop or fail in mid-game, and ``seqp2p resume``, as processes; and the way back that an error names.


def sidecars(people: Household, who: str) -> list[Path]:
    return sorted(people.replays(who).glob("*.seat"))


def resume(people: Household, who: str, *arguments: object, bot: str | None = HELPFUL, **more: Any) -> Process:
    chosen = () if bot is None else ("--bot", bot)
    return people.start("resume", *arguments, "--replay-dir", people.replays(who), "--json", *chosen, who=who, **more)


def test_a_seat_that_is_played_is_refused_and_plays_on(people: Household) -> None:
    host = people.host("--variant", "kids")
    guest = people.join(host, "--pace", "3600")
    guest.event("dealt")
    second = resume(people, "guest")
    assert second.end() == 1
    assert [(event["event"], event["code"]) for event in second.events] == [("error", "held")]
    error, hint = second.error()
    assert "another seqp2p process holds this seat" in error
    assert hint
    # Asked to end, again and again, it signs nothing: the others wait for it.
    for _ in range(3):
        guest.signal(signal.SIGINT)
    assert guest.end() == 5
    assert "come back with: seqp2p resume " in guest.err[-1]
    stopped = guest.events[-1]
    assert (stopped["event"], stopped["result"], stopped["reason"]) == ("over", "unfinished", "stopped for now")
    assert (stopped["forfeit"], stopped["resumable"]) == ([], True)
    assert host.event("absent")["later"]
    back = resume(people, "guest")
    assert (back.end(), host.end()) == (0, 0)
    assert sidecars(people, "guest") == sidecars(people, "host") == []
    over = resume(people, "guest", Path(back.events[-1]["replay"]).name)
    assert over.end() == 1
    assert "this game has ended" in over.error()[0]


def test_a_person_who_comes_back_is_shown_the_seat_the_hand_and_what_had_happened(people: Household) -> None:
    host = people.host("--variant", "kids", "--pace", "3600")
    guest = people.join(host, bot=None, stdin=subprocess.PIPE)
    guest.line("^(host's turn|type an action)")
    guest.type("say hello")
    guest.line("^you say: hello")
    killed(guest)
    back = resume(people, "guest", bot=None, stdin=subprocess.PIPE)
    for said in (
        r"you are seat 2 \(guest\) and play yellow",
        "you say: hello",
        "your hand: ",
        "host's turn|type an action",
    ):
        back.line(f"^({said})")
    back.type("leave", "leave")
    assert (back.end(), host.end()) == (5, 5)
    assert back.events[-1]["reason"] == "left the table"
    assert "you left the game unfinished: host won by forfeit, unless they left too" in back.err


def test_a_disk_that_is_full_is_said_and_what_was_recorded_is_kept(people: Household) -> None:
    full = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (8_000, 8_000))
    host = people.host("--variant", "kids", "--grace", "1")
    guest = people.join(host, preexec_fn=full)
    assert guest.end() == 1
    (replay,) = people.replays("guest").glob("*.seqp2p")
    game = replay.name.split("-seat")[0].rpartition("-")[2]
    assert guest.error() == (
        f"cannot write the replay {replay}: the disk took only part of a record",
        f"come back with: seqp2p resume {game} --replay-dir {replay.parent} --bot {HELPFUL}",
    )
    assert verify_file(replay).verdict == "unfinished"
    assert len(sidecars(people, "guest")) == 1
    # The cards were not dealt: the table is open again, until its host is told to go.
    assert host.event("listening", 2)["code"]
    host.signal(signal.SIGTERM)
    assert host.end() == 5


def test_a_peer_ends_with_the_process_that_started_it_or_when_it_is_asked_to(people: Household) -> None:
    host = people.host("--variant", "kids", "--until-stdin-closes", stdin=subprocess.PIPE)
    guest = people.join(host, "--pace", "3600", "--until-stdin-closes", stdin=subprocess.PIPE)
    guest.event("dealt")
    assert host.process.stdin is not None
    host.process.stdin.close()
    guest.signal(signal.SIGINT)
    assert (host.end(), guest.end()) == (5, 5)
    # No reader of the host is there to be told, but the replays are complete.
    assert not any("error" in line for line in [*host.err, *guest.err])
    last = guest.events[-1]
    assert (last["event"], last["reason"], last["resumable"]) == ("over", "stopped for now", False)
    replays = [path for who in ("host", "guest") for path in people.replays(who).iterdir()]
    assert [verify_file(path).verdict for path in replays] == ["unfinished"] * 2


def killed(process: Process) -> None:
    process.signal(signal.SIGKILL)
    process.end()


# The program of a seat fails: it is told the exact command, and the command takes the seat again.

# The first turn that is told is one too many.
FAULTY = """
import sys
from seqp2p.cli import main, reporter
def fail(*_): raise ZeroDivisionError("QH")
assert reporter.Reporter._sequences_told
reporter.Reporter._sequences_told = fail
main.main()
"""


@pytest.fixture
def no_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process plays nothing, before and after."""
    for name, value in (("replay", None), ("command", None), ("is_child", False)):
        monkeypatch.setattr(errors._Played, name, value)


def test_the_command_that_is_told_takes_the_seat_again(people: Household, tmp_path: Path) -> None:
    log, folder = tmp_path / "the log", people.replays("somebody's own")
    host = people.host("--variant", "kids", "--grace", "60")
    shown = host.event("listening")
    plays = ["--exec", f"{sys.executable} {EXAMPLES / 'bot.py'}"]
    arguments = ["join", shown["address"], "--code", shown["code"], *plays, "--replay-dir", str(folder)]
    guest = people.run([sys.executable, "-c", FAULTY, *arguments, "--log-file", str(log)], SEQP2P_DEBUG="")
    assert guest.end() == 1
    error, hint = guest.error()
    assert error == "a fault in seqp2p itself (ExceptionGroup)"
    assert hint is not None
    told, _, report = hint.removeprefix("come back with: ").partition("; ")
    assert report == f"{log} has the trace; please report it"
    text = log.read_text("utf-8")
    assert "ZeroDivisionError" in text
    assert "QH" not in text
    assert shown["code"] not in text
    # The command is run, word for word.
    program, *words = shlex.split(told)
    assert (program, words[0], words[2:]) == ("seqp2p", "resume", ["--replay-dir", str(folder), *plays])
    again = people.start(*words)
    assert (again.end(), host.end()) == (0, 0)
    assert verify_file(next(folder.glob("*.seqp2p"))).verdict == "verified"


@pytest.mark.usefixtures("no_seat")
def test_no_way_back_where_there_is_no_seat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEQP2P_HOME", str(tmp_path))
    replay = options.usable_replay_dir(None) / "a-seat1.seqp2p"
    assert errors.resume_command() is None
    errors.remember_seat(replay, bytes.fromhex("3fb159ae39a8" + "0" * 52), [])
    assert errors.resume_command() is None
    seat = replay.with_name(f"{replay.name}.seat")
    seat.touch()
    assert errors.resume_command() == "seqp2p resume 3fb159ae39a8"
    errors.note_child()
    assert errors.resume_command() is None


def test_what_resume_has_to_be_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEQP2P_HOME", str(tmp_path))
    usual, other = options.usable_replay_dir(None), tmp_path / "other place"
    assert resume_options(usual / "a", Choices(None, 0, usual)) == []
    language.use("fr", usual="en")
    assert resume_options(usual / "a", Choices("greedy", 0, usual)) == ["--bot", "greedy", "--lang", "fr"]
    language.use("en")
    assert resume_options(other / "a", Choices(None, 0, other)) == ["--replay-dir", str(other)]
    program = make_program("python3 'my bot.py'", 5, verbose=True)
    expected = ["--exec", "python3 'my bot.py'", "--exec-time", "5", "--verbose-bot"]
    assert resume_options(usual / "a", Choices(None, 0, usual, program)) == expected
