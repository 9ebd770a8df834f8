"""What people type, read kindly."""

import pytest

from seqp2p.rules import CLASSIC, KIDS, VARIANTS, NotationError, Variant, format_action, view
from seqp2p.ui import language
from seqp2p.ui.cards import face_code
from seqp2p.ui.person.input_parser import card_text, one_line, read_action, read_card, tidied
from tests.rules.playing import Table, make
from tests.third_board import SPACE
from tests.ui.kept import Talk, talks

SEEN = view(Table(CLASSIC, 2, 2).stopped(1).position, 1)


@talks(__file__, "typed.txt")
def test_actions_as_people_type_them(talk: Talk, french: None) -> None:
    variant, lang = talk.place.split()
    language.use(lang)
    talk.check([tidied(VARIANTS[variant], line[2:])] for line in talk.lines)


@pytest.mark.parametrize("lang", language.LANGUAGES)
def test_the_board_s_codes_are_cards(lang: str, french: None) -> None:
    language.use(lang)
    codes = [face_code(KIDS, card) for card in range(len(KIDS.faces))]
    assert [card_text(KIDS, code.lower()) for code in codes] == list(KIDS.faces)
    assert [card_text(KIDS, face.upper()) for face in KIDS.faces] == list(KIDS.faces)
    assert card_text(KIDS, "unicorn") == card_text(KIDS, "UNICORN") == "unicorn"


@pytest.mark.parametrize(
    ("variant", "cards", "others"), [(CLASSIC, ["qh", "10S"], ["cat", "", "1C"]), (KIDS, ["CA", "Dragon"], ["QH"])]
)
def test_a_card_alone(variant: Variant, cards: list[str], others: list[str]) -> None:
    assert None not in [read_card(variant, text) for text in cards]
    assert {read_card(variant, text) for text in others} == {None}


def test_one_line_has_single_spaces() -> None:
    assert one_line("  QH \t  e5 ") == "QH e5"
    assert one_line(" \t ") == ""


@pytest.mark.parametrize("variant", [CLASSIC, KIDS, SPACE], ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_every_legal_action_is_read_in_any_case_joined_and_turned_round(variant: Variant, seed: int) -> None:
    seen = Table(variant, 2, 2).seen(seed)
    for action in seen.legal:
        text = format_action(variant, action)
        card, _, where = text.partition(" ")
        typed = [text, text.upper(), f"{face_code(variant, action.card)} {where}".lower() if where else text]
        if action.kind in ("place", "remove") and " " not in where:
            typed += [f"{card}{where}", f"{where} {card}", f"{where}{card}".upper(), f"{text}."]
        assert {read_action(seen, each) for each in typed} == {action}, text


def test_a_card_alone_is_given_only_when_one_must_be() -> None:
    hands = ["QH,JC,JS,2C,3C,4C", "?,?,?,?,?,?", "?,?,?,?,?,?", "?,?,?,?,?,?"]
    seen = view(make({"a": "e5", "b": "d4"}, hands), 1)
    with pytest.raises(NotationError):
        read_action(seen, "4c")


@pytest.mark.parametrize("typed", ["qhe5", "QH-e5", "e5 QH", "e5qh", "Qh E5.", "qh, e5!", "qh/e5", "QH:e5", "qh–e5"])
def test_an_action_may_be_written_carelessly(typed: str) -> None:
    assert format_action(CLASSIC, read_action(SEEN, typed)) == "QH e5"


def test_what_is_wrong_is_said_of_what_was_typed() -> None:
    with pytest.raises(NotationError, match="'qx' is not a card"):
        read_action(SEEN, "qx e5")
    with pytest.raises(NotationError, match="'z9' is not a square"):
        read_action(SEEN, "QH z9")
