r"""The output of a command: JSON lines for scripts, sentences or a screen for people, errors, and files.

A player is called to a terminal, and text is copied, by the sequences of xterm and its followers.

Text from a peer or a file can move no cursor, and no terminal's encoding can end a game: unprintable characters become
escapes like ``\x1b``.
"""

import contextlib
import errno
import io
import os
import re
import sys
import weakref
from collections import deque
from collections.abc import AsyncGenerator, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TextIO

from seqp2p.cli import log_file, progress
from seqp2p.cli.errors import ERROR, HINT, NOTE, line_of, resume_command, sentence
from seqp2p.cli.preferences import Preferences, kept
from seqp2p.errors import ABANDONED, FAILED, UserError
from seqp2p.i18n import message, of_system
from seqp2p.ui.language import bound, t, translate, unbound

if TYPE_CHECKING:  # What --help need not wait for.
    from seqp2p.cli.json_events import JsonObject
    from seqp2p.ui.frame import Fragment, Frame
    from seqp2p.ui.question import Question
    from seqp2p.ui.screen import Screen
    from seqp2p.ui.styles import Taste

# What a line has in it that is there to be copied: a command, a path.
_COPIED: Final = ("seqp2p ", " /", "\\")
# Windows has another one for a pipe without a reader.
_NOBODY_THERE = frozenset({errno.EPIPE, errno.EIO, *([errno.EINVAL] if sys.platform == "win32" else [])})
_unread = weakref.WeakSet[TextIO]()
_begun = weakref.WeakSet[TextIO]()  # A stream of events has begun there.
# Terminals that cannot be painted on.
_DUMB: Final = frozenset({"", "dumb", "unknown"})
_FEW_COLOURS: Final = r"linux|eterm-color|ansi|cons25|.*-16color"
_TRUE_COLOUR: Final = frozenset({"truecolor", "24bit"})
STDOUT: Final = "-"
KEEP_TITLE: Final = "\x1b[22;2t"
OLD_TITLE: Final = "\x1b[23;2t"
TITLE_LENGTH_MAX: Final = 80


@dataclass(slots=True)
class Output:
    """The output of a command and the input of a person.

    With ``json`` standard output has one object per line, and nothing else; the first begins with the version of the
    events. With a ``screen`` people read and type there; else on the standard streams.
    """

    json: bool
    screen: "Screen | None" = None
    _title: str = field(default="", init=False, repr=False, compare=False)

    def event(self, event: "JsonObject") -> None:
        """Print an event for scripts, if there is ``--json``, and write it to the log file, if there is one."""
        if not self.json and not log_file.path():
            return
        fields = _fields(event)
        log_file.event(fields)
        if self.json:
            _emit(fields)

    def say(self, text: str = "", kind: str = "log", colour: str = "") -> None:
        """A line for people, in their language: standard output, or standard error where that is a script's.

        Its ``kind`` and ``colour`` are for a screen (``ui.scene.LogLine``).
        """
        shown = printable(translate(text))
        if self.screen is None:
            put_line(_broken(shown, self._people), self._people)
        else:
            self.screen.say(shown, kind, colour)

    def say_painted(self, line: Sequence["Fragment"], wish: "ScreenWish") -> None:
        """Say a line of styled pieces: with colours where there is a terminal that has them, and a wish for them."""
        text = "".join(printable(part) for _, part in line)
        if not can_show(self, wish) or not (taste := taste_of(self, wish)).is_coloured:
            self.say(text)
            return
        from seqp2p.ui.terminal_app import print_line  # prompt_toolkit takes its time

        print_line(restyled(line, _broken(text, self._people)), taste)

    def warn(self, text: str) -> None:
        """Write a line for people to standard error, also where standard output is theirs."""
        put_line(translate(NOTE) + printable(translate(text)), sys.stderr)

    def say_last(self, text: str) -> None:
        """A line that a person still reads when the screen is gone."""
        self.say(text)
        if self.screen is not None:
            self.screen.remains.append(printable(translate(text)))

    def leave(self, *lines: str) -> None:
        """Lines that a person reads when the screen is gone, and that are in another form on it until then."""
        if self.screen is not None:
            self.screen.remains += [printable(translate(line)) for line in lines]
            return
        for line in lines:
            self.say(line)

    def ask(self, about: str, question: "Question | None") -> None:
        """Ask a person something until it is None: in its place on a screen, else in a line."""
        if self.screen is not None:
            self.screen.ask(about, question)
        elif question is not None:
            import trio  # what --help need not wait for

            self.say(question.at(trio.current_time()).spoken())

    def ring(self, news: str) -> None:
        """Call the person who reads here: by a bell and a notification (OSC 9), if the settings have them."""
        chosen = self.preferences
        told = f"\x1b]9;{printable(translate(news))[:TITLE_LENGTH_MAX]}\x07" if chosen.notify else ""
        self._signal(told + ("\a" if chosen.bell else ""))

    def title(self, text: str) -> None:
        """Show a text in the title of a person's terminal, if the settings have it; its old title for an empty text."""
        shown = printable(text)
        if shown != self._title and (not shown or self.preferences.title):
            keep = "" if self._title else KEEP_TITLE
            self._signal(f"{keep}\x1b]2;{shown[:TITLE_LENGTH_MAX]}\x07" if shown else OLD_TITLE)
            self._title = shown

    def copy(self, text: str) -> bool:
        """Ask the terminal to copy a text (OSC 52). Return False where there is no terminal to ask."""
        import base64  # Only where a text is copied: --help is quick.

        return self._signal(f"\x1b]52;c;{base64.b64encode(text.encode()).decode()}\x07")

    def _signal(self, sequences: str) -> bool:
        """Send sequences that show nothing to a person's terminal. Return True if there is one that knows them."""
        if self.screen is not None:
            self.screen.signal(sequences)
            return True
        knows = self._people.isatty() and os.environ.get("TERM") != "dumb"
        if knows and sequences:
            _write_at_once(sequences, self._people)
        return knows

    async def read_line(self) -> str | None:
        """The next line that a person types, or None at the end of the input."""
        if self.screen is not None:
            return await self.screen.read_line()
        from seqp2p.cli.running import read_line

        return await read_line()

    @property
    def is_unread(self) -> bool:
        """True if the reader of standard output has gone, as `head` does."""
        return sys.stdout in _unread

    @property
    def preferences(self) -> Preferences:
        """The settings that last; the defaults where the output is a script's."""
        return Preferences() if self.json else kept().values

    @property
    def asks(self) -> bool:
        return self.screen is not None or (sys.stdin is not None and sys.stdin.isatty())

    @property
    def _people(self) -> TextIO:
        return sys.stderr if self.json else sys.stdout


def _fields(event: "JsonObject") -> dict[str, Any]:
    import msgspec

    fields: dict[str, Any] = msgspec.to_builtins(event, enc_hook=str)  # A Message is a kind of str.
    return fields


def _emit(fields: dict[str, Any]) -> None:
    """Print an event for scripts; the first one on standard output says the version of the stream."""
    import json

    from seqp2p.cli.json_events import STREAM_VERSION

    begins = {} if sys.stdout in _begun else {"stream": STREAM_VERSION}
    _begun.add(sys.stdout)
    put_line(json.dumps(begins | fields))


def show_error(error: UserError, *, as_json: bool = False) -> None:
    """Print an error with its hint, and as an event ``as_json``. What somebody has stopped is no error."""
    if as_json and error.code != "stopped":
        from seqp2p.api.error_codes import code_of  # what --help need not wait for
        from seqp2p.cli.json_events import ErrorEvent

        # A text that quotes a join code is for the screen alone.
        quoted = sentence(message("This is not a join code.")), translate(type(error).hint)
        text, hint = quoted if error.quotes_code else (line_of(error), translate(error.hint))
        try:
            _emit(_fields(ErrorEvent(code_of(error), text, hint, error.exit_code)))
        except UserError as unwritten:
            show_error(unwritten)
    before = translate(NOTE if error.exit_code == ABANDONED else ERROR)
    with contextlib.suppress(UserError):  # Nobody reads why standard error takes nothing.
        put_line(before + printable(line_of(error)), sys.stderr)
        if hint := translate(error.hint):
            put_line(translate(HINT) + printable(hint), sys.stderr)


def report_bug(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Report an unexpected error as a fault of this program, without a traceback, which is of no use to a player."""
    log_file.fault(kind, error, trace)
    if os.environ.get("SEQP2P_DEBUG"):
        sys.__excepthook__(kind, error, trace)
        return
    hint = (
        t("{path} has the trace; please report it", path=log_file.path())
        if log_file.path()
        else t("SEQP2P_DEBUG=1 shows where; please report it")
    )
    if command := resume_command():
        hint = t("come back with: {command}; {report}", command=command, report=hint)
    bug = UserError(t("a fault in seqp2p itself ({kind})", kind=kind.__name__), hint, code="bug")
    show_error(bug, as_json="--json" in sys.argv)


def printable(text: str) -> str:
    r"""Return the text on one line, with escapes for characters that a terminal would obey or not show.

    >>> print(printable("a\x1b[31m\u202e é"))
    a\x1b[31m\u202e é
    """
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else ascii(character)[1:-1] for character in text)


def columns(*rows: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a table: the first column to the left, the others to the right."""
    from seqp2p.ui.frame import width_of  # what --help need not wait for

    widths = [max(map(width_of, column)) for column in zip(*rows, strict=True)]
    for first, *others in rows:
        cells = [f"{cell:>{width}}" for cell, width in zip(others, widths[1:], strict=True)]
        yield "  ".join([first + " " * (widths[0] - width_of(first)), *cells])


def prepare_streams() -> None:
    """Make the standard streams safe to use, with any of them missing.

    A closed one becomes the null device: otherwise the next opened file, an identity key perhaps, would take its number
    and be read as typed lines. Characters that the encoding of the output lacks are escaped.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115  # open to the end
    _begun.clear()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _broken(line: str, stream: TextIO) -> str:
    """A line for people, broken between words where a terminal would break it anywhere; what may be copied is whole."""
    if not stream.isatty() or any(sign in line for sign in _COPIED):
        return line
    try:
        columns = os.get_terminal_size(stream.fileno()).columns
    except OSError:
        return line
    if not 0 < columns < len(line):
        return line
    import textwrap

    indent = " " * (len(line) - len(line.lstrip()) + 2)
    rows = textwrap.wrap(bound(line), columns, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return unbound("\n".join(rows))


def restyled(line: Sequence["Fragment"], broken: str) -> Iterator["Fragment"]:
    """Yield the signs of a line that was broken between words, with the styles that they had before."""
    rest = deque((style, sign) for style, part in line for sign in printable(part))
    for sign in broken:
        while rest and rest[0][1] == " " != sign:
            rest.popleft()
        yield rest.popleft() if rest and rest[0][1] == sign else ("", sign)


def put_line(text: str, stream: TextIO | None = None) -> None:
    """Write a line in one piece: whatever interrupts this process, it is never half there. Raises UserError."""
    _write_at_once(f"{text}\n", stream or sys.stdout)


def _write_at_once(text: str, stream: TextIO) -> None:
    """Write and flush. A missing reader is no fault: a game goes on for the others at the table."""
    progress.wipe()
    try:
        stream.write(text)
        stream.flush()
    except OSError as error:
        # A pipe that nobody reads, a terminal that is gone. Python would fail once more at its end, flushing.
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)
        _unread.add(stream)
        if error.errno not in _NOBODY_THERE:
            raise UserError(t("cannot write the output: {reason}", reason=of_system(error))) from None


class ScreenWish(NamedTuple):
    """The screen options of the command line. None has the value of the settings."""

    plain: bool = False
    palette: str | None = None
    ascii_only: bool | None = None


def can_show(output: Output, wish: ScreenWish) -> bool:
    """Return True if there is a terminal to paint on, and a person who wants that."""
    if wish.plain or output.json or os.environ.get("ACCESSIBLE") or os.environ.get("TERM", "") in _DUMB:
        return False
    return sys.stdin.isatty() and sys.stdout.isatty()


@contextlib.asynccontextmanager
async def on_screen(output: Output, wish: ScreenWish | None) -> AsyncGenerator[Output]:
    """Yield the output with a screen until the block ends, if one is possible and wished for; else as it is.

    Lines that are to remain are printed once the terminal is restored.
    """
    if wish is None or not can_show(output, wish):
        try:
            yield output
        finally:
            output.title("")
        return
    # prompt_toolkit takes its time: lines, bots and --help do without it.
    from seqp2p.ui.screen import open_screen
    from seqp2p.ui.terminal_app import print_frame

    taste = taste_of(output, wish)
    remains: list[str | Frame] = []
    try:
        async with open_screen(taste) as screen:
            remains = screen.remains
            shown_on = replace(output, screen=screen)
            try:
                yield shown_on
            finally:
                shown_on.title("")
    finally:
        for part in remains:
            if isinstance(part, str):
                output.say(part)
            else:
                print_frame(part, taste)


def taste_of(output: Output, wish: ScreenWish) -> "Taste":
    """Return the look that the options, the settings and the environment ask for."""
    from seqp2p.ui.styles import ASCII, UNICODE, Taste, background_hint  # what --help need not wait for

    chosen = output.preferences
    is_unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    ascii_only = (chosen.ascii if wish.ascii_only is None else wish.ascii_only) or not is_unicode
    glyphs = ASCII if ascii_only else UNICODE if chosen.pictures else replace(UNICODE, pictures=False)
    return Taste(wish.palette or chosen.palette, glyphs, _depth(), background_hint(os.environ.get("COLORFGBG", "")))


def _depth() -> int:
    """Return the bits of a colour on this terminal, as far as the environment tells."""
    if os.environ.get("NO_COLOR"):
        return 1
    if os.environ.get("COLORTERM") in _TRUE_COLOUR:
        return 24
    return 4 if re.fullmatch(_FEW_COLOURS, os.environ.get("TERM", "")) else 8


def write_result(text: str, target: str, *, force: bool, as_json: bool = False) -> None:
    """Write a command's result to standard output, or to a file, whole or not at all. Raises UserError."""
    if target == STDOUT:
        _write_at_once(text, sys.stdout)
        return
    path = Path(target)
    with _telling_errors(path):
        if path.exists() and not path.is_file():
            path.write_text(text, "utf-8")  # A device, or a pipe; a folder says so itself.
        else:
            _write_file(path, text, force=force)
    Output(as_json).say(t("{path} is written", path=path))


def check_place(target: str, *, force: bool) -> None:
    """Raise what ``write_result`` would raise, as far as it is known before the work is done that is to be written."""
    import tempfile  # what --help need not wait for

    path = Path(target)
    with _telling_errors(path):
        with contextlib.suppress(FileNotFoundError):
            path.lstat()  # Since Python 3.14 the questions below raise nothing.
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if path.exists() and not path.is_file():
            return  # A device, or a pipe.
        if not force and (path.exists() or path.is_symlink()):  # A link that leads nowhere is there, too.
            raise FileExistsError
        tempfile.TemporaryFile(dir=path.parent).close()


@contextlib.contextmanager
def _telling_errors(path: Path) -> Generator[None]:
    """Raise UserError for an error of writing this file."""
    try:
        yield
    except FileExistsError:
        problem = t("{path} already exists, and is left as it is", path=path)
        raise UserError(problem, t("--force overwrites it"), FAILED) from None
    except OSError as error:
        problem = t("{path} cannot be written: {reason}", path=path, reason=of_system(error))
        raise UserError(problem, exit_code=FAILED) from None


def _write_file(path: Path, text: str, *, force: bool) -> None:
    """Write a file under another name first, so that no one ever finds half of it."""
    import tempfile  # what --help need not wait for

    mask = os.umask(0)
    os.umask(mask)
    with contextlib.ExitStack() as unless_written:
        if not force:
            path.open("x").close()  # Another program that takes the name meanwhile keeps it.
            unless_written.callback(path.unlink, missing_ok=True)
        descriptor, made = tempfile.mkstemp(prefix=f".{path.name[:100]}.", dir=path.parent)
        name = Path(made)
        unless_written.callback(name.unlink, missing_ok=True)
        with open(descriptor, "w", encoding="utf-8") as stream:  # noqa: PTH123  # a descriptor, not a path
            stream.write(text)
        name.chmod(0o666 & ~mask)
        name.replace(path)
        unless_written.pop_all()
