"""A file of results, with which a command that was stopped goes on: a line of JSON for each, after a head."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from seqp2p.errors import FAILED, UserError
from seqp2p.i18n import of_system
from seqp2p.replay.disk import lock
from seqp2p.ui.language import t

LINE_SIZE_MAX: Final = 8_000_000
"""The bytes of a line: the evidence on all seats of a table has 2 MB."""


@contextmanager
def open_results(
    path: Path, head: msgspec.Struct, take: Callable[[bytes], None]
) -> Generator[Callable[[msgspec.Struct], None]]:
    """Open a results file, or make a new one, let ``take`` have each line after the head, and yield what writes one.

    ``take`` raises ValueError for a line that is none of its own. Raises UserError, and changes nothing, if it is no
    file of this command, has another head, or is in use; what writes raises UserError if the disk does not take it.
    """
    try:
        file = path.open("r+b" if path.exists() else "x+b")
    except OSError as error:
        raise UserError(t("cannot open {path}: {reason}", path=path, reason=of_system(error))) from None

    def write(line: msgspec.Struct) -> None:
        try:
            file.write(msgspec.json.encode(line, enc_hook=str) + b"\n")
            file.flush()
        except OSError as error:
            reason = of_system(error)
            raise UserError(t("cannot write {path}: {reason}", path=path, reason=reason), exit_code=FAILED) from None

    with file:
        if not lock(file.fileno()):
            raise UserError(t("another process writes {path}", path=path), t("name another file"))
        if first := file.readline(LINE_SIZE_MAX):
            _check_head(first, head, path)
            _take_lines(file, take, path)
        else:
            write(head)
        yield write


def _check_head(line: bytes, head: msgspec.Struct, path: Path) -> None:
    hint = t("name another file")
    try:
        found = msgspec.json.decode(line, type=type(head))
    except (msgspec.DecodeError, UnicodeDecodeError):
        command = str(head.__struct_config__.tag).rpartition(" ")[0]
        text = t("{path} is not a results file of {command}", path=path, command=command)
        raise UserError(text, hint) from None
    other = [name for name in head.__struct_fields__ if getattr(found, name) != getattr(head, name)]
    if other:
        raise UserError(
            t("{path} has the results of other settings ({names})", path=path, names=", ".join(other)), hint
        )


def _take_lines(file: BinaryIO, take: Callable[[bytes], None], path: Path) -> None:
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
            take(line)
        except ValueError:
            raise UserError(
                t("line {number} of {path} is damaged", number=number, path=path), t("name another file")
            ) from None
