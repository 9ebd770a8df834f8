"""A player's lasting settings: TOML, where the platform keeps such files, or in ``SEQP2P_HOME``.

This module knows no setting by name. A broken or newer file is left as it is.
"""

import os
from pathlib import Path
from typing import Final, TypeAlias

from seqp2p.errors import UserError
from seqp2p.i18n import message, of_system

VERSION: Final = 1
BYTES_MAX: Final = 65_536
"""More than any settings have."""
Value: TypeAlias = str | bool | int | float


class ConfigFileError(UserError):
    """The file of settings cannot be read or written."""

    code = "settings"
    hint = message("fix it by hand, or move it away")


def config_path() -> Path:
    """Return the path of the file, which may be missing."""
    if home := os.environ.get("SEQP2P_HOME"):
        return Path(home) / "config.toml"
    import platformdirs  # Without SEQP2P_HOME alone: --help is quick.

    return Path(platformdirs.user_config_dir("seqp2p", appauthor=False)) / "config.toml"


def read_config() -> dict[str, object]:
    """Return the entries of the file without its version; none if there is no file. Raises ConfigFileError."""
    return _parsed(_text(config_path()))


def change_config(name: str, value: Value | None) -> None:
    """Write one setting, or remove it (None). The rest of the file stays, comments included. Raises ConfigFileError."""
    import tomlkit

    from seqp2p.replay.disk import write_beside

    path = config_path().resolve()  # A link stays a link.
    text = _text(path)
    entries = _parsed(text) | {name: value}
    try:
        document = tomlkit.parse(text)
        document.setdefault("version", VERSION)
        if value is not None:
            document[name] = value
        elif name in document:
            del document[name]
        new = document.as_string()
    except ValueError as error:
        raise _unreadable(path, str(error)) from None
    if _parsed(new) != {entry: kept for entry, kept in entries.items() if kept is not None}:
        raise _unreadable(path, message("{name} cannot be changed in it", name=name))
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_beside(path, new.encode(), synced=False).replace(path)
    except OSError as error:
        text = message("cannot write {path}: {reason}", path=config_path(), reason=of_system(error))
        raise ConfigFileError(text, message("set SEQP2P_HOME to a folder of yours")) from None


def _text(path: Path) -> str:
    try:
        if path.exists() and not path.is_file():  # A pipe would keep every command waiting.
            raise _unreadable(path, message("not a regular file"))
        with path.open("rb") as file:
            data = file.read(BYTES_MAX + 1)
        if len(data) > BYTES_MAX:
            raise _unreadable(path, message("it is too long"))
        return data.decode()
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        raise _unreadable(path, of_system(error)) from None
    except UnicodeDecodeError:
        raise _unreadable(path, message("it is not UTF-8")) from None


def _parsed(text: str) -> dict[str, object]:
    if not text:
        return {}
    import tomllib  # Only where there is a file: --help is quick.

    path = config_path()
    try:
        entries: dict[str, object] = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise _unreadable(path, str(error)) from None
    version = entries.pop("version", VERSION)
    if type(version) is not int or not 1 <= version <= VERSION:
        raise _unreadable(path, message("it is from another version ({version}) of seqp2p", version=repr(version)[:20]))
    return entries


def _unreadable(path: Path, reason: str) -> ConfigFileError:
    return ConfigFileError(message("the settings file {path} cannot be used: {reason}", path=path, reason=reason))


def kept_name() -> str:
    """Return the name in the environment or in the file; empty without one, or with a damaged file."""
    if name := os.environ.get("SEQP2P_NAME"):
        return name
    try:
        kept = read_config().get("name")
    except ConfigFileError:
        return ""
    return kept if isinstance(kept, str) else ""
