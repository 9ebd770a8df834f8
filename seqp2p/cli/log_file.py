"""The file that ``--log-file`` names: events, errors, and where a fault in seqp2p itself has come from.

Mode 0600, in English but for the errors of commands, which are in the reader's language. It has no secrets: they are
never handed to it, and text that still looks like one (a join code, a key or scalar in digits, bytes, a card in the
text of a fault) is written as ``[redacted]``. Nothing is written anywhere unless a file was named.
"""

import os
import re
import sys
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

from seqp2p import __version__

if TYPE_CHECKING:
    import logging

REDACTED: Final = "[redacted]"
# A join code; digits of 16 bytes and more, hexadecimal or decimal; the text of bytes. Not compiled: --help is quick.
_SECRETS: Final = (
    r"\b(?:\d{1,2}(?:-\d{7}){0,2}(?:-[a-z]+){2,}|[0-9a-f]{32,}|\d{30,})\b"
    r"|\bb'(?:[^'\\\n]|\\.)*'"
    r'|\bb"(?:[^"\\\n]|\\.)*"'
)
_CODE_COMMANDS: Final = frozenset({"join", "watch"})
_logger: "logging.Logger | None" = None
_path = ""


def start(path: str) -> None:
    """Append to this file from now on. Raises OSError."""
    import logging
    import platform
    import time

    global _logger, _path  # noqa: PLW0603  # as in ``stop``
    stop()
    os.close(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600))
    os.chmod(path, 0o600)  # noqa: PTH101  # what --help need not wait for
    logging.raiseExceptions = False  # A full disk is no reason to print a trace.
    handler = logging.FileHandler(path, encoding="utf-8", errors="backslashreplace")
    form = logging.Formatter("%(asctime)s.%(msecs)03dZ %(process)d %(levelname)s %(message)s", "%Y-%m-%dT%H:%M:%S")
    form.converter = time.gmtime
    handler.setFormatter(form)
    _logger = logging.getLogger("seqp2p")
    _logger.setLevel(logging.INFO)
    _logger.propagate = False
    _logger.addHandler(handler)
    _path = path
    arguments = " ".join(_arguments(sys.argv[1:]))
    _logger.info("seqp2p %s, Python %s, %s: %s", __version__, platform.python_version(), sys.platform, arguments)


def stop() -> None:
    """Write nothing more."""
    global _logger, _path  # one process, one file
    if _logger is not None:
        for handler in tuple(_logger.handlers):
            _logger.removeHandler(handler)
            handler.close()
    _logger, _path = None, ""


def _arguments(words: Sequence[str]) -> list[str]:
    """Return the command line. A join code can be typed in many ways, so where one may be, only options are shown.

    >>> _arguments(["join", "7", "amber", "falcon", "--lang=fr"]), _arguments(["play", "--bots", "3"])
    (['join', '[redacted]', '[redacted]', '[redacted]', '--lang'], ['play', '--bots', '3'])
    """
    if _CODE_COMMANDS.isdisjoint(words):
        return [redacted(word) for word in words]
    shown = [word.partition("=")[0] for word in words]
    return [word if word in _CODE_COMMANDS or word.startswith("--") else REDACTED for word in shown]


def path() -> str:
    """Return the path of the file, or an empty text."""
    return _path


def event(fields: Mapping[str, Any]) -> None:
    """Write an event as ``--json`` has it."""
    if _logger is not None:
        import json

        # The code is for a host's own screen or script alone.
        shown = {name: REDACTED if name == "code" else value for name, value in fields.items() if name != "event"}
        _logger.info("%s %s", fields["event"], json.dumps(shown))


def error(text: str, hint: str, exit_code: int) -> None:
    """Write the error that ends this process, if it is no fault of the program."""
    if _logger is not None:
        _logger.error("exit code %d: %s%s", exit_code, redacted(text), f"; hint: {redacted(hint)}" if hint else "")


def fault(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Write a fault of the program: its traceback, without cards and secrets, which the texts of errors may quote."""
    if _logger is not None:
        import traceback

        from seqp2p.rules import VARIANTS

        cards = "|".join(sorted({face for each in VARIANTS.values() for face in each.faces}))
        text = redacted("".join(traceback.format_exception(kind, error, trace)))
        _logger.critical("a fault in seqp2p itself\n%s", re.sub(rf"\b(?:{cards})\b", REDACTED, text))


def redacted(text: str) -> str:
    """Return the text without parts that could be secrets.

    >>> redacted("7-4821937-5526041-amber-falcon is wrong"), redacted("--code 7-amber-falcon-acorn-agent")
    ('[redacted] is wrong', '--code [redacted]')
    >>> redacted("nonce " + "ab" * 32), redacted("left b'x'")
    ('nonce [redacted]', 'left [redacted]')
    """
    return re.sub(_SECRETS, REDACTED, text, flags=re.IGNORECASE)
