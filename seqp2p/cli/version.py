"""The version of this program, with the commit that it was installed or is run from, where that is known."""

import functools
import hashlib
import json
import os
import subprocess
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Final

from seqp2p import __version__

SOURCES: Final = Path(__file__).parents[2]
PACKAGE: Final = Path(__file__).parents[1]
_GIT: Final = ("git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*")
_LIMIT_S: Final = 5


def full_version() -> str:
    """Return ``0.1.0``, or ``0.1.0 (commit 0123456789ab)``; ``-dirty`` after it if files were changed since."""
    commit = _of_sources(SOURCES) if (SOURCES / ".git").exists() else _of_install("seqp2p")
    return f"{__version__} (commit {commit})" if commit else __version__


@functools.cache
def code_state() -> str:
    """Return the version and a digest of the package's modules, as ``0.1.0+0123456789abcdef``."""
    digest = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        name, data = path.relative_to(PACKAGE).as_posix().encode(), path.read_bytes()
        digest.update(b"%d %s %d " % (len(name), name, len(data)) + data)
    return f"{__version__}+{digest.hexdigest()[:16]}"


def _of_sources(folder: Path) -> str | None:
    """Ask git, as of an editable install."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        asked = subprocess.run(  # noqa: S603  # all of it is said here
            _GIT,
            cwd=folder,
            env=environment | {"GIT_OPTIONAL_LOCKS": "0"},
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return asked.stdout.strip()


def _of_install(name: str) -> str | None:
    """Read the note of the installer (PEP 610): it has the commit of an install from a repository."""
    try:
        noted = json.loads(distribution(name).read_text("direct_url.json") or "{}")
        return str(noted["vcs_info"]["commit_id"])[:12]
    except (PackageNotFoundError, ValueError, KeyError, TypeError):
        return None
