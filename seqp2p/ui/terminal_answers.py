r"""The terminal's answers among the keys: its background is asked, and no answer is ever taken for typed text.

Theory of operation. Two questions are sent together: for the background (OSC 11), which not every terminal knows, and
for the kind of terminal (DA1), which nearly all answer. The terminal answers in order, so nothing more comes after the
second answer. Keys and answers arrive as one stream of characters, in pieces of any size. ``AnswerFilter`` holds a
control sequence back until it is whole. A known key goes on to prompt_toolkit in one piece; any other sequence is
dropped.

A sequence may break off, and then characters that cannot belong to it are typed text again. The rest of a colour is
waited for without a limit, as that of DA1; of any other string (OSC, DCS, APC …) all parts arrive at once.

    ESC [ … @-~            CSI: a key, a click, DA1 (ESC [ ? … c)
    ESC O …                SS3: a key
    ESC ] … BEL or ESC \   OSC: the background; ESC P, ESC X, ESC ^ and ESC _ begin other strings
"""

import re
import time
from collections.abc import Callable, Iterator
from typing import Final, Protocol, TypeAlias, runtime_checkable

from prompt_toolkit.input.ansi_escape_sequences import ANSI_SEQUENCES
from prompt_toolkit.input.vt100_parser import Vt100Parser
from prompt_toolkit.key_binding.key_processor import KeyPress

from seqp2p.ui.styles import Rgb

QUESTIONS: Final = "\x1b]11;?\x1b\\\x1b[c"
BURST_S: Final = 0.1
"""The characters of one answer follow each other so closely, but for a pause of the network."""
HELD_MAX: Final = 256
"""Characters of an unfinished sequence."""
_ESC: Final = "\x1b"
_BELL: Final = "\x07"
_STRINGS: Final = "]PX^_"
_CSI: Final = "\x1b["
_CLICK: Final = re.compile(r"\x1b\[(<?[\d;]+[mM]|M.{3})", re.DOTALL)
_KIND: Final = re.compile(r"\x1b\[\?[\d;]*c")
_KIND_BEGUN: Final = re.compile(r"\x1b\[\?[\d;]*")
_COLOUR_BEGUN: Final = re.compile(
    r"\x1b\](1(1(;(#?[\da-f]{0,12}|r(g(b(a?(:[\da-f/]{0,19})?)?)?)?)?)?)?)?", re.IGNORECASE
)
_BACKGROUND: Final = re.compile(
    r"11;(?:rgba?:([\da-f]{1,4})/([\da-f]{1,4})/([\da-f]{1,4})(?:/[\da-f]{1,4})?|#([\da-f]{2})([\da-f]{2})([\da-f]{2}))",
    re.IGNORECASE,
)
Answer: TypeAlias = Rgb | None
"""The background; None for the end of the answers."""


def background_of(text: str) -> Rgb | None:
    """Return the background in the text of an OSC answer, None if it has none.

    >>> background_of("11;rgb:ffff/8080/0000"), background_of("11;#1e1e1e"), background_of("11;what")
    ((255, 128, 0), (30, 30, 30), None)
    """
    if (found := _BACKGROUND.fullmatch(text)) is None:
        return None
    red, green, blue = (int(part, 16) * 255 // (16 ** len(part) - 1) for part in found.groups() if part)
    return red, green, blue


class AnswerFilter:
    """Characters in, whole keys and typed characters out; ``answered`` is told of the terminal's answers."""

    def __init__(self, answered: Callable[[Answer], None]) -> None:
        self._answered = answered
        self._held = ""  # the beginning of a sequence
        self._is_told = False  # the held Escape has gone on as a key: no more of its sequence had come

    def take(self, character: str, *, late: bool) -> Iterator[str]:
        """Take a character; yield what can go on. ``late``: it does not belong to the burst of the one before."""
        held, whole = self._held, self._held + character
        if not held:
            yield from self._begin(character)
        elif held == _ESC:
            introduces = character in ("[]" if self._is_told else "[O" + _STRINGS)
            yield from self._hold(whole) if introduces else self._release(character, late=late)
        elif held.startswith(_CSI):
            yield from self._in_csi(whole, late=late)
        elif held[1] == "O":
            self._held = ""
            yield whole
        else:
            yield from self._in_string(whole, late=late)

    def rest(self) -> Iterator[str]:
        """Yield the held characters that are a key if nothing more follows."""
        if self._held == _ESC and not self._is_told:
            self._is_told = True
            yield _ESC
        elif len(self._held) == len("\x1bO") and self._held[1] not in "[]":
            yield self._held
            self._held = ""

    def _begin(self, character: str) -> Iterator[str]:
        if character == _ESC:
            self._is_told = False
            yield from self._hold(_ESC)
        else:
            yield character

    def _hold(self, held: str) -> Iterator[str]:
        self._held = held if len(held) <= HELD_MAX else ""
        return iter(())

    def _release(self, character: str, *, late: bool) -> Iterator[str]:
        """Let the held characters go on, as they are no sequence, and take the next one."""
        yield self._held[1:] if self._is_told else self._held
        yield from self._drop(character, late=late)

    def _drop(self, character: str, *, late: bool) -> Iterator[str]:
        self._held = ""
        yield from self.take(character, late=late)

    def _in_csi(self, whole: str, *, late: bool) -> Iterator[str]:
        last = whole[-1]
        if _KIND.fullmatch(whole):
            self._held = ""
            self._answered(None)
        elif _CLICK.fullmatch(whole) or whole in ANSI_SEQUENCES:
            self._held = ""
            yield whole
        elif late and whole.startswith("\x1b[?") and not _KIND_BEGUN.fullmatch(whole):
            yield from self._drop(last, late=late)
        elif " " <= last <= "?" or whole.startswith("\x1b[M") or whole == "\x1b[[":
            yield from self._hold(whole)
        elif "@" <= last <= "~":
            self._held = ""
        else:
            yield from self._drop(last, late=late)

    def _in_string(self, whole: str, *, late: bool) -> Iterator[str]:
        held, last = whole[:-1], whole[-1]
        if last == _BELL or whole.endswith("\x1b\\"):
            self._held = ""
            if (background := background_of(whole[2:].rstrip("\x07\x1b\\"))) is not None:
                self._answered(background)
        elif held.endswith(_ESC):
            # An Escape in the middle of a string begins something else.
            self._held, self._is_told = _ESC, False
            yield from self.take(last, late=late)
        elif last == _ESC or (last >= " " and (not late or _COLOUR_BEGUN.fullmatch(whole))):
            yield from self._hold(whole)
        elif len(held) == len("\x1b]"):
            yield from self._release(last, late=late)
        else:
            yield from self._drop(last, late=late)


@runtime_checkable
class ParsedInput(Protocol):
    """The input of prompt_toolkit on a terminal, but for those of Windows."""

    vt100_parser: Vt100Parser


class AnsweringParser(Vt100Parser):
    """prompt_toolkit's parser of a terminal's input, without the terminal's answers."""

    def __init__(
        self,
        press: Callable[[KeyPress], None],
        answered: Callable[[Answer], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(press)
        self._filter = AnswerFilter(answered)
        self._clock = clock
        self._last_s = clock()

    def feed(self, data: str) -> None:
        now_s = self._clock()
        late, self._last_s = now_s - self._last_s > BURST_S, now_s
        for at, character in enumerate(data):
            if self._in_bracketed_paste:
                super().feed(data[at:])
                return
            for piece in self._filter.take(character, late=late and at == 0):
                super().feed(piece)

    def flush(self) -> None:
        for piece in self._filter.rest():
            super().feed(piece)
        super().flush()
