"""The terminal's answers among the keys, in any pieces, broken off, or wrong: no character of them is typed."""

import pytest
from prompt_toolkit.key_binding.key_processor import KeyPress
from prompt_toolkit.keys import Keys

from seqp2p.ui.styles import Rgb, background_hint, styles_of, styles_on
from seqp2p.ui.terminal_answers import BURST_S, Answer, AnsweringParser

WHITE: Rgb = (255, 255, 255)
BACKGROUND, KIND = "\x1b]11;rgb:ffff/ffff/ffff\x1b\\", "\x1b[?62;22c"
CLICK = "\x1b[M !!"
FLUSH_S = 0.05


class Typist:
    """A parser with a clock of its own, and the keys and answers that came out of it."""

    def __init__(self, *pieces: str, apart_s: float = 1.0) -> None:
        self.now_s = 0.0
        self.presses: list[str] = []
        self.answers: list[Answer] = []
        self.parser = AnsweringParser(self._press, self.answers.append, lambda: self.now_s)
        self.feed(*pieces, apart_s=apart_s)

    def _press(self, press: KeyPress) -> None:
        self.presses.append(
            press.data if press.key == Keys.BracketedPaste else str(getattr(press.key, "value", press.key))
        )

    def feed(self, *pieces: str, apart_s: float = 1.0) -> None:
        for piece in pieces:
            self.parser.feed(piece)
            if apart_s > FLUSH_S:
                self.parser.flush()
            self.now_s += apart_s


@pytest.mark.parametrize("apart_s", [0.01, 1.0, 60.0])
def test_an_answer_in_any_two_pieces_types_nothing(apart_s: float) -> None:
    whole = BACKGROUND + KIND
    for at in range(1, len(whole)):
        typist = Typist(whole[:at], whole[at:], "Q", apart_s=apart_s)
        assert [key for key in typist.presses if key != "escape"] == ["Q"], whole[:at]
        assert typist.answers == [WHITE, None], whole[:at]


def test_an_answer_character_by_character_types_nothing() -> None:
    typist = Typist(*BACKGROUND, *KIND, *"QH", apart_s=0.04)
    assert typist.presses == ["Q", "H"]
    assert typist.answers == [WHITE, None]


@pytest.mark.parametrize(
    "wrong",
    [
        *("\x1b]11;rgb:ffff/ffff/ffff\x07", "\x1b]11;#ffffff\x07", "\x1b]11;what is that?\x07", "\x1b]11;?\x1b\\"),
        *("\x1b]4;1;rgb:0/0/0\x1b\\", "\x1bP1$r0m\x1b\\", "\x1b_Gi=31;OK\x1b\\", "\x1b[?1;2c\x1b[?62c"),
        *("\x1b[>0;276;0c", "\x1b[=1;2;3c", "\x1b[12;40R", "\x1b[I\x1b[O", "\x1b[57441;1:3u"),
        "\x1b]" + "x" * 200 + "\x07",
    ],
)
def test_a_strange_answer_types_nothing(wrong: str) -> None:
    typist = Typist(wrong, "QH e5\r")
    assert "".join(typist.presses).removesuffix("c-m") == "QH e5"


@pytest.mark.parametrize(
    "half", [*(BACKGROUND[:at] for at in range(2, len(BACKGROUND))), *(KIND[:at] for at in range(3, len(KIND)))]
)
def test_what_is_typed_after_half_an_answer_is_typed(half: str) -> None:
    typist = Typist(half, "Q", "H", " ", "e", "5", "\r")
    expected = [*"QH e5", "c-m"]
    # An Escape that was pressed, and not the end of an answer, cannot be told apart.
    assert typist.presses[-len(expected) :] == expected
    assert set(typist.presses[: -len(expected)]) <= {"escape", "]"}
    assert not typist.answers


@pytest.mark.parametrize("half", ["\x1b]11;rgb:ff", "\x1b]11;", "\x1bPq", "\x1b[?62", "\x1b[", "\x1b]"])
@pytest.mark.parametrize("key", ["\r", "\x03", "\x1b[A", "\x1b[<0;3;4M"])
def test_a_key_after_half_an_answer_is_that_key(half: str, key: str) -> None:
    typist = Typist(half, key)
    alone = Typist(key)
    assert typist.presses[-1] == alone.presses[-1]


@pytest.mark.parametrize(
    "key", ["\x1b[A", "\x1b[5~", "\x1b[24~", "\x1b[Z", "\x1b[<0;13;4M", "\x1b[<0;13;4m", "\x1b[M !!"]
)
def test_a_key_in_two_pieces_is_that_key(key: str) -> None:
    alone = Typist(key)
    for at in range(2, len(key)):
        typist = Typist(key[:at], key[at:])
        assert typist.presses == alone.presses, key[:at]
    torn = Typist(key[0], key[1:])
    assert torn.presses == ["escape", *alone.presses]


def test_what_is_no_answer_passes() -> None:
    typist = Typist("é安\udcff", "\x1b", "\x1b", "x", "\x1bx", "\x1bO", "\x1bOP", "\x1b[200~a\x1b]11;b\x1b[201~", "z")
    assert typist.presses == [
        *"é安\udcff",
        *("escape", "escape", "x", "escape", "x", "escape", "O", "f1", "a\x1b]11;b", "z"),
    ]


def test_the_rest_of_a_burst_belongs_to_its_string() -> None:
    typist = Typist("\x1bPabc", "def", "\x1b\\", apart_s=BURST_S / 2)
    assert typist.presses == []
    typist.feed("\x1bPabc", "d")
    assert typist.presses == ["d"]


def test_the_palette_fits_the_background() -> None:
    dark, light = styles_of("dark"), styles_of("light")
    assert styles_on("auto", None) == {"": dark["page"], **dark}
    assert styles_on("auto", (200, 200, 200)) == {"": light["page"], **light}
    assert styles_on("auto", (100, 100, 100)) == {"": dark["page"], **dark}
    assert styles_on("dark", WHITE) == {"": dark["page"], **dark}
    assert styles_on("light", WHITE) == light
    assert styles_on("mono", None) == {"": "", **styles_of("mono")}
    assert background_hint("0;7") == (229, 229, 229)
    assert background_hint("0;99") is background_hint("²") is background_hint("0;") is None
