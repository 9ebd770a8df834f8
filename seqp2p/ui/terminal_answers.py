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
from collections.abc import Callable
from typing import Final, Literal, Protocol, TypeAlias, runtime_checkable

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
_STRINGS: Final = "]PX^_"
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


Fate: TypeAlias = Literal["begun", "key", "dropped", "broken"]
"""Of a sequence with its latest character: it may go on, goes on whole, does not, or cannot have this character."""


class AnswerFilter:
    """Characters in, whole keys and typed characters out; ``answered`` is told of the terminal's answers."""

    def __init__(self, answered: Callable[[Answer], None]) -> None:
        self._answered = answered
        self._held = ""  # the beginning of a sequence
        self._is_told = False  # the held Escape has gone on as a key: no more of its sequence had come

    def take(self, character: str, *, late: bool) -> str:
        """Take a character; return what can go on. ``late``: it does not belong to the burst of the one before."""
        held = self._held
        if held[2:].endswith(_ESC) and held[1] in _STRINGS and character not in "\\\a":
            # An Escape in the middle of a string begins something else.
            held, self._is_told = _ESC, False
        whole, self._held = held + character, ""
        fate = self._fate(whole, late=late)
        if fate == "begun":
            self._held = whole if len(whole) <= HELD_MAX else ""
            self._is_told &= whole != _ESC
        if fate == "broken":
            return self._typed(held) + self.take(character, late=late)
        return whole if fate == "key" else ""

    def rest(self) -> str:
        """Return the held characters that are a key if nothing more follows."""
        if self._held == _ESC and not self._is_told:
            self._is_told = True
            return _ESC
        if len(self._held) == len("\x1bO") and self._held[1] not in "[]":
            held, self._held = self._held, ""
            return held
        return ""

    def _typed(self, held: str) -> str:
        """Return what was typed by the beginning of a sequence that was none: nothing once it can be no keys."""
        if held == _ESC or (len(held) == len("\x1b]") and held[1] in _STRINGS):
            return held[1:] if self._is_told else held
        return ""

    def _fate(self, whole: str, *, late: bool) -> Fate:
        if len(whole) == 1:
            return "begun" if whole == _ESC else "key"
        if len(whole) == len("\x1b["):
            return "begun" if whole[1] in ("[]" if self._is_told else "[O" + _STRINGS) else "broken"
        if whole.startswith("\x1b["):
            return self._fate_of_csi(whole, late=late)
        return "key" if whole[1] == "O" else self._fate_of_string(whole, late=late)

    def _fate_of_csi(self, whole: str, *, late: bool) -> Fate:
        last = whole[-1]
        if _KIND.fullmatch(whole):
            self._answered(None)
            return "dropped"
        if _CLICK.fullmatch(whole) or whole in ANSI_SEQUENCES:
            return "key"
        if late and whole.startswith("\x1b[?") and not _KIND_BEGUN.fullmatch(whole):
            return "broken"
        if " " <= last <= "?" or whole.startswith("\x1b[M") or whole == "\x1b[[":
            return "begun"
        return "dropped" if "@" <= last <= "~" else "broken"

    def _fate_of_string(self, whole: str, *, late: bool) -> Fate:
        last = whole[-1]
        if last == "\a" or whole.endswith("\x1b\\"):
            if (background := background_of(whole[2:].rstrip("\x07\x1b\\"))) is not None:
                self._answered(background)
            return "dropped"
        goes_on = last == _ESC or (last >= " " and (not late or _COLOUR_BEGUN.fullmatch(whole)))
        return "begun" if goes_on else "broken"


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
            super().feed(self._filter.take(character, late=late and at == 0))

    def flush(self) -> None:
        super().feed(self._filter.rest())
        super().flush()
