"""A player's own files: identity keys that only this account can read, a name, replays, and their faults."""

import getpass
import json
import os
import stat
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from seqp2p.api.config_file import BYTES_MAX, ConfigFileError, change_config
from seqp2p.api.home import IDENTITIES_MAX, HomeError, first_identity, locked_identity, replay_path, usual_name
from seqp2p.cli import options
from seqp2p.cli.config import ACTIONS
from seqp2p.cli.preferences import BY_NAME, PALETTES, SETTINGS, Preferences, Setting, kept
from seqp2p.crypto.identity import Identity, fingerprint
from seqp2p.errors import UserError
from seqp2p.match.table import NAME_LENGTH_MAX, name_fault
from seqp2p.ui.language import translate
from seqp2p.ui.styles import AUTO, COLUMNS
from tests.cli import documented
from tests.cli.conftest import Cli, names_in, refused, said
from tests.cli.processes import Household
from tests.cli.test_usage import completed


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_an_identity_is_made_once_and_kept(cli: Cli, own_home: Path) -> None:
    first, second = (cli("id", "--json") for _ in range(2))
    assert (first, first[0]) == (second, 0)
    (event,) = documented.stream(first[1])
    key = bytes.fromhex(event["key"])
    assert event["fingerprint"] == fingerprint(key)
    path = own_home / "identity.key"
    assert (mode(path), mode(own_home)) == (0o600, 0o700)
    assert Identity(path.read_bytes()).public == key
    assert names_in(own_home) == ["identity.key"]


def test_a_key_is_private_under_any_umask_and_made_so_again(cli: Cli, people: Household, own_home: Path) -> None:
    path, before = own_home / "identity.key", os.umask(0)
    try:
        first = cli("id")
    finally:
        os.umask(before)
    assert mode(path) == 0o600
    path.chmod(0o644)
    again = people.call("id", env={"SEQP2P_HOME": str(own_home)})
    assert again.out == first[1].splitlines()
    assert again.err == [f"seqp2p: others could read the identity key {path}; now only you can"]
    assert mode(path) == 0o600


def test_a_name_is_kept(cli: Cli, own_home: Path) -> None:
    assert said(cli("id", "--name", "Zoé ♠")).startswith("Zoé ♠  ")
    assert (own_home / "config.toml").read_text("utf-8") == 'version = 1\nname = "Zoé ♠"\n'
    assert json.loads(cli("id", "--json")[1])["name"] == "Zoé ♠"
    assert cli("id", "--name", "Anna")[1].startswith("Anna  ")
    assert cli("id")[1].startswith("Anna  ")


SPOILT: dict[str, Callable[[Path], object]] = {
    "short": lambda key: key.write_bytes(b"short"),
    "long": lambda key: key.write_bytes(bytes(200)),
    "empty": Path.touch,
    "folder": Path.mkdir,
    "fifo": os.mkfifo,
    "link": lambda key: key.symlink_to("/nowhere/at/all"),
}


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT)
@pytest.mark.parametrize("command", [("id",), ("host", "--bot", "random")])
def test_a_key_that_is_none(cli: Cli, own_home: Path, command: tuple[str, ...], spoil: Callable[[Path], None]) -> None:
    own_home.mkdir()
    spoil(own_home / "identity.key")
    before = sorted(own_home.iterdir())
    exit_code, error, hint = refused(cli(*command))
    assert exit_code == 1
    assert f"the identity key {own_home / 'identity.key'}" in error
    assert hint
    # Never replaced by a new one unasked: others would see a stranger. (The replay folder may be there now.)
    assert [path for path in sorted(own_home.iterdir()) if path.name != "replays"] == before


# In /proc there is a folder that takes no files, not even root's.
@pytest.mark.parametrize(
    ("where", "command", "told"),
    [
        ("/dev/null/home", ("id",), "cannot use /dev/null/home: "),
        ("/proc/home", ("id", "--name", "Anna"), "cannot use /proc/home: "),
        ("/proc/self", ("id",), "cannot use the identity key /proc/self/identity.key: "),
        ("/dev/null", ("host", "--bot", "random"), "cannot use /dev/null: "),
        ("/dev/null", ("games",), "cannot use /dev/null: "),
        ("/dev/null", ("stats",), "cannot use /dev/null: "),
        ("/proc/self", ("config", "set", "name", "Anna"), "cannot write /proc/self/config.toml: "),
    ],
)
def test_a_home_that_cannot_be(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, where: str, command: tuple[str, ...], told: str
) -> None:
    monkeypatch.setenv("SEQP2P_HOME", where)
    exit_code, error, _ = refused(cli(*command))
    assert exit_code == 1
    assert error.startswith(told)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b'name = "a\\u001bb"', b"name = 5", b"x" * 10_000])
def test_a_kept_name_that_is_damaged_is_passed_over(own_home: Path, content: bytes) -> None:
    own_home.mkdir()
    (own_home / "config.toml").write_bytes(content)
    assert usual_name() == getpass.getuser()[:NAME_LENGTH_MAX]


def test_an_account_whose_name_cannot_be_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    for strange in ("\x1b", ""):
        monkeypatch.setattr(getpass, "getuser", lambda strange=strange: strange)
        assert usual_name() == "player"
        assert usual_name(2) == "player 2"

    def nobody() -> str:
        raise KeyError("no such uid")

    monkeypatch.setattr(getpass, "getuser", nobody)
    assert usual_name() == "player"


def test_a_long_account_name_leaves_room_for_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(getpass, "getuser", lambda: "ab cdefghijklmnopqrs tuvwxyz")
    names = {usual_name(number) for number in range(1, IDENTITIES_MAX + 1)}
    assert len(names) == IDENTITIES_MAX
    assert not any(map(name_fault, names))


def test_every_game_at_once_has_an_identity_of_its_own(own_home: Path) -> None:
    with locked_identity() as first, locked_identity() as second, locked_identity() as third:
        held = [first, second, third]
        assert [each.number for each in held] == [1, 2, 3]
        assert len({each.identity.public for each in held}) == 3
    with locked_identity() as again:
        assert (again.number, again.identity.public) == (1, first.identity.public)
    assert [mode(path) for path in own_home.iterdir()] == [0o600] * 3
    assert first_identity().public == first.identity.public


def test_asking_who_one_is_takes_no_identity_from_a_game(cli: Cli) -> None:
    with locked_identity() as held:
        assert json.loads(cli("id", "--json")[1])["key"] == held.identity.public.hex()


def test_more_games_than_a_person_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seqp2p.api.home.IDENTITIES_MAX", 2)
    with (
        locked_identity(),
        locked_identity(),
        pytest.raises(HomeError, match="2 games of this account are already in progress"),
        locked_identity(),
    ):
        pass


def test_two_that_make_the_first_key_at_once_agree_on_one(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_home.mkdir()
    made = os.link

    def late(new: Path, path: Path) -> None:
        # The other process is a moment earlier.
        path.touch(0o600)
        path.write_bytes(b"o" * 32)
        made(new, path)

    monkeypatch.setattr(os, "link", late)
    assert first_identity().public == Identity(b"o" * 32).public
    assert names_in(own_home) == ["identity.key"]


def test_replays_go_where_they_should(own_home: Path, tmp_path: Path) -> None:
    assert options.usable_replay_dir(None) == own_home / "replays"
    assert options.usable_replay_dir(str(tmp_path / "a" / "b")) == tmp_path / "a" / "b"
    assert (tmp_path / "a" / "b").is_dir()


def test_a_folder_for_replays_must_take_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(os, "access", lambda path, _: path != tmp_path)
    with pytest.raises(UserError, match="it is not writable") as error:
        options.usable_replay_dir(str(tmp_path))
    assert error.value.hint == "choose another folder with --replay-dir"


def test_nothing_of_a_path_comes_from_a_peer(tmp_path: Path) -> None:
    path = replay_path(tmp_path, bytes(range(32)), 12)
    assert path.parent == tmp_path
    assert path.name.endswith("-000102030405-seat12.seqp2p")


# ``seqp2p config``: values are kept; faults of the file are reported and passed over.


@pytest.fixture
def file(own_home: Path) -> Path:
    own_home.mkdir()
    return own_home / "config.toml"


def test_every_setting_has_a_field_and_no_field_is_without_one() -> None:
    assert [setting.field for setting in SETTINGS] == list(Preferences.__dataclass_fields__)
    assert kept().values == Preferences()
    assert (AUTO, *COLUMNS) == PALETTES


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_a_value_is_kept_listed_and_unset(cli: Cli, file: Path, setting: Setting) -> None:
    typed = setting.choices[-1] if setting.choices else "2.5" if setting.form == "TEXT" else "relay.example.org:4001"
    value = setting.read(typed)
    assert cli("config", "set", setting.name, typed)[0] == 0
    assert tomllib.loads(file.read_text("utf-8")) == {"version": 1, setting.name: value}
    assert cli("config", "get", setting.name)[1:] == (f"{typed}\n", "")
    told = documented.stream(cli("config", "--json")[1])
    assert {(each["name"], each["value"]) for each in told if each["source"] == "file"} == {(setting.name, value)}
    assert cli("config", "unset", setting.name)[0] == 0
    assert kept().values == Preferences()


def test_the_environment_is_stronger_than_the_file(cli: Cli, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text('palette = "contrast"\nname = "ann"\n')
    monkeypatch.setenv("SEQP2P_PALETTE", "mono")
    assert kept().values == Preferences(palette="mono", name="ann")
    assert kept().sources == {"palette": "environment", "name": "file"}
    monkeypatch.setenv("SEQP2P_NAME", "bob")
    assert cli("id")[1].startswith("bob ")
    assert "palette       mono        the colours of the screen (environment)\n" in cli("config")[1]
    file.write_text('language = "fr"\n')
    assert "Réglages" in cli("config", "--help")[1]
    assert "Settings" in cli("config", "--help", "--lang", "en")[1]


def test_comments_and_a_link_stay(cli: Cli, file: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.toml"
    real.write_text('# mine\npalette = "mono"  # dark\n')
    file.symlink_to(real)
    assert cli("config", "set", "ascii", "on")[0] == 0
    assert file.is_symlink()
    assert real.read_text() == '# mine\npalette = "mono"  # dark\nversion = 1\nascii = true\n'


BROKEN = {
    "no TOML": b"palette = ",
    "no UTF-8": b"\xff\xfe",
    "newer": b"version = 2\n",
    "strange version": b'version = "x"\n',
    "too long": b"#" * (BYTES_MAX + 1),
    "nested": b"a = " + b"[" * 9_000,
    "a huge number": b"a = " + b"9" * 9_000,
}


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN)
def test_a_broken_or_newer_file_is_reported_and_left_alone(cli: Cli, file: Path, data: bytes) -> None:
    file.write_bytes(data)
    exit_code, out, err = cli("config", "get", "palette")
    assert (exit_code, out) == (0, "auto\n")
    assert err.startswith(f"seqp2p: the settings file {file} cannot be used: ")
    assert len(err.splitlines()) == 1
    exit_code, out, err = cli("config", "set", "palette", "mono")
    assert (exit_code, out) == (1, "")
    assert "hint: fix it by hand" in err
    assert file.read_bytes() == data


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in folders")
def test_a_pipe_in_its_place_is_not_waited_for(cli: Cli, file: Path) -> None:
    os.mkfifo(file)
    assert "not a regular file" in cli("config")[2]


@pytest.mark.parametrize(
    "line", ['palette = "pink"', "palette = 5", "ascii = 1", "pace = nan", "pace = -1", "[name]", "hue = 1"]
)
def test_a_wrong_entry_is_reported_and_the_others_hold(cli: Cli, file: Path, line: str) -> None:
    file.write_text(f'language = "en"\nbell = false\n{line}\n')
    assert cli("config", "get", "bell")[1] == "off\n"
    assert len(kept().problems) == 1
    assert kept().values == Preferences(language="en", bell=False)


def test_a_file_that_cannot_be_written(file: Path) -> None:
    file.mkdir()
    with pytest.raises(ConfigFileError):
        change_config("palette", "mono")


def test_a_folder_that_cannot_be_read_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEQP2P_HOME", "/" + "x" * 300)
    (problem,) = kept().problems
    assert str(problem).endswith("cannot be used: File name too long")


def test_help_and_completion_come_from_the_table(cli: Cli) -> None:
    shown = " ".join(cli("config", "--help")[1].split())
    for setting in SETTINGS:
        assert f"{setting.name} {translate(setting.sentence)} [{setting.takes}" in shown
    assert completed("config", "")[: len(ACTIONS)] == list(ACTIONS)
    assert completed("config", "set", "") == list(BY_NAME)
    assert completed("config", "set", "palette", "") == list(BY_NAME["palette"].choices)
