"""``seqp2p config``: values are kept; faults of the file are reported and passed over."""

import os
import tomllib
from pathlib import Path

import pytest

from seqp2p.api.config_file import BYTES_MAX, ConfigFileError, change_config
from seqp2p.cli.config import ACTIONS
from seqp2p.cli.preferences import BY_NAME, PALETTES, SETTINGS, Preferences, Setting, kept
from seqp2p.ui.language import translate
from seqp2p.ui.styles import AUTO, COLUMNS
from tests.cli import documented
from tests.cli.conftest import Cli
from tests.cli.test_completion import completed


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
