"""A file of results, with which a command that was stopped goes on: a line of JSON for each, after a head."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from os import SEEK_END
from pathlib import Path
from typing import BinaryIO, Final, TypeAlias

import msgspec

from seqp2p.errors import FAILED, UserError
from seqp2p.i18n import of_system
from seqp2p.replay.disk import lock
from seqp2p.ui.language import t

LINE_SIZE_MAX: Final = 8_000_000
"""The bytes of a line: the evidence on all seats of a table has 2 MB."""
Take: TypeAlias = Callable[[int, bytes], None]
"""Takes the place of a line and the line. It raises ValueError for one that is none of its command."""


class Results:
    """An open results file."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self._file = file
        self._path = path

    def write(self, line: msgspec.Struct) -> int:
        """Write one more line and return its place. Raises UserError if the disk does not take it."""
        try:
            at = self._file.tell()
            self._file.write(_encoded(line))
            self._file.flush()
        except OSError as error:
            values = {"path": self._path, "reason": of_system(error)}
            raise UserError(t("cannot write {path}: {reason}", **values), exit_code=FAILED) from None
        return at

    def read(self, at: int) -> bytes:
        self._file.seek(at)
        line = self._file.readline(LINE_SIZE_MAX)
        self._file.seek(0, SEEK_END)
        return line


@contextmanager
def open_results(path: Path, head: msgspec.Struct, take: Take) -> Generator[Results]:
    """Open a results file, or make a new one, and let ``take`` have each line after the head.

    Raises UserError, and changes nothing, if it is no file of this command, has another head, or is in use. A head
    that was cut off is written again.
    """
    try:
        file = path.open("r+b" if path.exists() else "x+b")
    except OSError as error:
        text = t("cannot open {path}: {reason}", path=path, reason=of_system(error))
        raise UserError(text, t("name another file")) from None
    with file:
        if not lock(file.fileno()):
            raise UserError(t("another process writes {path}", path=path), t("name another file"))
        results = Results(file, path)
        first = file.readline(LINE_SIZE_MAX)
        if not first.endswith(b"\n") and _encoded(head).startswith(first):  # Empty, or its writer was killed at once.
            file.seek(0)
            results.write(head)
        else:
            _check_head(first, head, path)
            _take_lines(file, take, path)
        yield results


def _encoded(line: msgspec.Struct) -> bytes:
    return msgspec.json.encode(line, enc_hook=str) + b"\n"


def _check_head(line: bytes, head: msgspec.Struct, path: Path) -> None:
    hint, config = t("name another file"), head.__struct_config__
    try:
        fields = msgspec.json.decode(line)
        found = msgspec.convert(fields, type(head))
    except (msgspec.MsgspecError, UnicodeDecodeError):
        fields, found = {}, head
    if config.tag_field not in fields:  # msgspec takes its absence for the right one.
        command = str(config.tag).rpartition(" ")[0]
        raise UserError(t("{path} is not a results file of {command}", path=path, command=command), hint)
    if other := [name for name in head.__struct_fields__ if getattr(found, name) != getattr(head, name)]:
        text = t("{path} has the results of other settings ({names})", path=path, names=", ".join(other))
        raise UserError(text, hint)


def _take_lines(file: BinaryIO, take: Take, path: Path) -> None:
    """Let ``take`` have the lines that follow, and leave the file at their end.

    A last line without an end was cut off when its writer was killed: it is deleted.
    """
    number = 1
    while line := file.readline(LINE_SIZE_MAX):
        number += 1
        if not line.endswith(b"\n") and len(line) < LINE_SIZE_MAX:
            file.seek(-len(line), 1)
            file.truncate()
            break
        try:
            take(file.tell() - len(line), line)
        except ValueError:
            raise UserError(
                t("line {number} of {path} is damaged", number=number, path=path), t("name another file")
            ) from None
