"""``--version`` names the commit where it is known."""

import json
import subprocess
from pathlib import Path

import pytest

from seqp2p import __version__
from seqp2p.cli import main as version
from tests.cli.conftest import Cli

IDENTITY = ("-c", "user.name=ann", "-c", "user.email=ann@example.org", "-c", "init.defaultBranch=main")


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", *IDENTITY, *arguments], cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()


def installed(folder: Path, direct_url: str | None) -> None:
    """Write the files of an installer."""
    info = folder / "seqp2p-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: seqp2p\nVersion: 0.1.0\n")
    if direct_url is not None:
        (info / "direct_url.json").write_text(direct_url)


@pytest.mark.process
def test_sources_name_the_commit_that_is_checked_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli) -> None:
    monkeypatch.setattr(version, "SOURCES", tmp_path)
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    assert cli("--version") == (0, f"seqp2p, version {__version__}\n", "")
    monkeypatch.delenv("GIT_DIR")
    git(tmp_path, "init", "-q")
    assert version.full_version() == __version__, "there is no commit yet"
    (tmp_path / "file").write_text("one")
    git(tmp_path, "add", "file")
    git(tmp_path, "commit", "-qm", "one")
    commit = git(tmp_path, "rev-parse", "HEAD")[:12]
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    assert cli("--version") == (0, f"seqp2p, version {__version__} (commit {commit})\n", "")
    (tmp_path / "file").write_text("two")
    assert version.full_version() == f"{__version__} (commit {commit}-dirty)"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert version.full_version() == __version__, "there is no git"


KNOWN = {"url": "https://example.org", "vcs_info": {"vcs": "git", "commit_id": "0123456789abcdef" * 2}}
UNKNOWN = ('{"url": "file:///somewhere", "dir_info": {}}', '{"vcs_info": []}', "[]", "nonsense", None)


@pytest.mark.parametrize("direct_url", [json.dumps(KNOWN), *UNKNOWN])
def test_an_install_names_the_commit_of_its_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, direct_url: str | None
) -> None:
    monkeypatch.setattr(version, "SOURCES", tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    installed(tmp_path, direct_url)
    commit = "" if direct_url in UNKNOWN else " (commit 0123456789ab)"
    assert version.full_version() == __version__ + commit
