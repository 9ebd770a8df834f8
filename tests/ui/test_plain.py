"""The table as plain lines of text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqp2p.rules import CLASSIC, KIDS, Options, Variant, format_action, parse_action, parse_card, view
from seqp2p.ui import language
from seqp2p.ui.cards import face_code, face_name
from seqp2p.ui.plain import (
    CELL_WIDTH,
    board_lines,
    hand_line,
    help_lines,
    legal_lines,
    legend_lines,
    score_line,
    seats_lines,
    where_lines,
)
from seqp2p.ui.words import Company
from tests.rules.playing import TABLES, make, random_position

CLASSIC_TEXT = """\
     a   b   c   d   e   f   g   h   i   j
  1  **  2S  3S  4S  5S  6S  7S  8S  9S  **
  2  6C [B] [B] [B] [B] [B]  KH  QH  TH  TS
  3  7C  AS  2D  3D  4D  5D  6D  7D  9H  QS
  4  8C  KS  6C  5C  4C  3C  2C  8D  8H  KS
  5  9C  QS  7C  6H (G)  4H  AH  9D  7H  AS
  6  TC  TS  8C  7H  2H (G)  KH  TD  6H  2D
  7  QC  9S  9C  8H  9H  TH (G)  QD  5H  3D
  8  KC  8S  TC  QC  KC  AC  AD  KD  4H  4D
  9  AC  7S  6S  5S  4S  3S  2S  2H  3H  5D
 10  **  AD  KD  QD  TD  9D  8D  7D  6D  **"""

KIDS_TEXT = """\
     a   b   c   d   e   f   g
  1  **  AL  BE  CA  DU  EL  **
  2  FR  GI  HO  KA  LI  MO  OW
  3  PE  RA (R)  TU  WH  YA  ZE
  4  LI  MO  OW (Y)  RA  SH  TU
  5  WH  YA  ZE  AL  BE  CA  DU
  6  **  EL  FR  GI  HO  KA  **"""


def test_the_classic_board() -> None:
    position = make(
        {"a": "b2 c2 d2 e2 f2", "b": "e5 f6 g7"},
        ["QH,JC,JS,2C,2C,9S,9S", "?,?,?,?,?,?,?"],
        sequences="a:b2-f2",
        discards=["4C,TD", "-"],
    )
    seen = view(position, 1)
    assert "\n".join(board_lines(seen, ("blue", "green"))) == CLASSIC_TEXT
    assert hand_line(seen) == "your hand: 2C 2C JC QH 9S 9S JS"
    assert (
        score_line(seen, ("blue", "green")) == "sequences: blue 1, green 0   pile: 88   discards by seat: TD, nothing"
    )
    assert legal_lines(seen) == [
        "  2C g4",
        "  JC on any of 88 free squares, like: JC b1",
        "  QH h2",
        "  9S i1, 9S b7",
        "  JS xe5, JS xf6, JS xg7",
    ]


def test_the_board_of_the_kids_game() -> None:
    position = make({"a": "c3", "b": "d4"}, ["cat,unicorn,dragon", "?,?,?"], variant=KIDS)
    seen = view(position, 1)
    assert "\n".join(board_lines(seen, ("red", "yellow"))) == KIDS_TEXT
    assert hand_line(seen) == "your hand: cat dragon unicorn"
    assert (
        score_line(seen, ("red", "yellow"))
        == "sequences: red 0, yellow 0   pile: 36   discards by seat: nothing, nothing"
    )
    assert legal_lines(seen) == [
        "  cat d1, cat f5",
        "  dragon xd4",
        "  unicorn on any of 36 free squares, like: unicorn b1",
    ]


def test_the_last_move_is_marked_whether_a_chip_was_placed_or_taken() -> None:
    position = make({"a": "b2 c2", "b": "e5"}, ["QH,JC,JS,2C,2C,9S,9S", "?,?,?,?,?,?,?"])
    seen = view(position, 1)
    plain = board_lines(seen, ("blue", "green"))
    for text, row, mark in (("5C b2", 2, "<B>"), ("5H e5", 5, "<G>"), ("JS xd2", 2, "<3C>"), ("pass", 2, "")):
        marked = board_lines(seen, ("blue", "green"), parse_action(CLASSIC, text))
        assert [at for at, line in enumerate(marked) if line != plain[at]] == ([row] if mark else [])
        assert mark in marked[row]


def test_the_legend_says_how_to_read_the_board() -> None:
    classic = " ".join(legend_lines(CLASSIC, ("blue", "green", "red")))
    for text in ("(B) blue, (G) green, (R) red chips", "[B] in a completed", "<B> the last move", "** a free corner"):
        assert text in classic
    assert "T ten, J jack" in classic
    assert "S spades" in classic
    kids = legend_lines(KIDS, ("red", "yellow"))
    on_board = {KIDS.faces[card] for card in KIDS.board.grid if card >= 0}
    assert all(f"{face[:2].upper()} {face}" in " ".join(kids) for face in on_board)
    # They fit a narrow terminal.
    assert max(map(len, kids)) <= 80


def test_the_help_names_cards_of_the_game() -> None:
    for variant, examples in (
        (CLASSIC, ["2S b1  a card", "JS xb1  take", "2S dead  exchange", "where 2S"]),
        (KIDS, ["alligator b1  a card", "dragon xb1  take", "alligator dead  exchange", "where alligator"]),
    ):
        text = "\n".join(help_lines(view(random_position(variant, 2, 2, seed=1).position, 1)))
        assert all(example in text for example in examples)
        assert "draw" not in text
        assert "call" not in text


def test_the_help_has_the_options_that_the_table_has_chosen() -> None:
    options = Options(manual_draw=True, table_talk=False)
    for players, called in ((2, False), (4, True)):
        text = "\n".join(help_lines(view(random_position(CLASSIC, players, 2, 1, options).position, 1)))
        assert "after your card: draw" in text
        assert max(map(len, text.splitlines())) <= 80
        # Who plays alone has nobody to talk to.
        assert ("call 2" in text) == called


def test_where_a_card_goes() -> None:
    position = make({"a": "i1 b7", "b": "h8"}, ["9S,2S,5S,6S,JS,JD,4D", "?,?,?,?,?,?,?"])

    def where(name: str) -> list[str]:
        return where_lines(view(position, 1), parse_card(CLASSIC, name), ("blue", "green"))

    assert where("9S") == ["9S (nine of spades): i1 blue, b7 blue; it is dead, and 9S dead exchanges it"]
    assert where("KD") == ["KD (king of diamonds): h8 green, c10 free"]
    assert where("JD") == ["JD (jack of diamonds) puts a chip on any free square"]
    assert where("JS") == ["JS (jack of spades) takes an opponent's chip off its square, which is free again"]


def test_the_seats() -> None:
    hands = ["cat,unicorn,dragon", "?,?,?", "?"]
    position = make({"a": "c3"}, hands, variant=KIDS, discards=["-", "bear,yak", "-"], possible=False)
    company = Company(("ann", "bob", "cat"), ("red", "yellow", "green"), own=2)
    assert seats_lines(view(position, 1), company) == [
        "seat 1  ann  red  3 cards  discarded nothing   to play",
        "seat 2  bob (you)  yellow  3 cards  discarded yak",
        "seat 3  cat  green  1 card  discarded nothing",
    ]


def test_seats_that_are_away_or_out() -> None:
    hands = ["cat,unicorn,dragon", "?,?,?", "-"]
    position = make({"a": "c3"}, hands, variant=KIDS, possible=False)._replace(out=(3,))
    company = Company(("ann", "bob", "cat"), ("red", "yellow", "green"), own=1)
    lines = seats_lines(view(position, 1), company, {2, 3}, {2: 1})
    assert [line.endswith("   away") for line in lines] == [False, True, False]
    lines = seats_lines(view(position, 1), company, {3}, {2: 1, 3: 1})
    assert [line.endswith("   reached through ann alone") for line in lines] == [False, True, False]
    assert lines[2].endswith("   out of the game")


def test_seats_that_are_linked_by_a_relay() -> None:
    position = make({"a": "c3"}, ["cat,unicorn,dragon", "?,?,?", "?,?,?"], variant=KIDS, possible=False)
    company = Company(("ann", "bob", "cat"), ("red", "yellow", "green"), own=1)
    _, bob, cat = seats_lines(view(position, 1), company, (), {2: "", 3: "relay.example.org:4001"})
    assert bob.endswith("   linked directly")
    assert cat.endswith("   linked by the relay relay.example.org:4001 alone, which can cut it off")


def test_a_hand_with_a_card_on_its_way_and_one_without_any() -> None:
    position = make({"a": "e5"}, ["?,QH,JC", "?,?,?,?,?,?,?"], possible=False)
    assert hand_line(view(position, 1)) == "your hand: JC QH"
    position = make({"a": "e5"}, ["-", "?,?,?,?,?,?,?"], possible=False)
    assert hand_line(view(position, 1)) == "your hand: no card"


def test_a_dead_card_and_a_pass() -> None:
    dead = view(make({"a": "i1 b7", "b": "h8"}, ["9S,2S,5S,6S,TS,9H,4D", "?,?,?,?,?,?,?"]), 1)
    assert "  9S dead" in legal_lines(dead)
    stuck = make({"a": "e3"}, ["dragon,dragon,dragon", "?,?,?"], variant=KIDS, pile=0, possible=False)
    assert legal_lines(view(stuck, 1)) == ["  pass"]


@given(table=st.sampled_from(TABLES), seed=st.integers(0, 2**32))
def test_the_lines_of_any_position(table: tuple[Variant, int, int], seed: int) -> None:
    variant, players, teams = table
    position = random_position(variant, players, teams, seed).position
    seen, colours = view(position, position.to_move), variant.colours[:teams]
    lines = board_lines(seen, colours)
    assert len(lines) == 1 + variant.board.rows
    # Narrow enough for any terminal, and nothing that hangs over on the right.
    assert all(line == line.rstrip() and len(line) <= 4 + CELL_WIDTH * variant.board.cols for line in lines)
    chips = sum(mask.bit_count() for mask in position.chips)
    assert "\n".join(lines).count("[") + "\n".join(lines).count("(") == chips
    assert len(hand_line(seen).split()) == 2 + len(seen.hand)
    assert all(colour in score_line(seen, colours) for colour in colours)


@given(table=st.sampled_from(TABLES), seed=st.integers(0, 2**32))
def test_what_is_listed_as_possible_can_be_typed_as_it_stands(table: tuple[Variant, int, int], seed: int) -> None:
    variant, players, teams = table
    position = random_position(variant, players, teams, seed).position
    seen = view(position, position.to_move)
    listed = [text for line in legal_lines(seen) for text in line.rpartition("like: ")[2].strip().split(", ")]
    legal = {format_action(variant, action) for action in seen.legal}
    assert set(listed) <= legal
    assert {parse_action(variant, text).card for text in listed} == {action.card for action in seen.legal}
    assert legal - set(listed) <= {format_action(variant, a) for a in seen.legal if a.card in variant.wild}


@pytest.mark.parametrize("lang", language.LANGUAGES)
def test_every_animal_has_a_code_of_its_own_and_two_letters(lang: str, french: None) -> None:
    language.use(lang)
    cards = range(len(KIDS.faces))
    codes = [face_code(KIDS, card) for card in cards]
    assert len(set(codes)) == len({face_name(KIDS, card) for card in cards}) == len(cards)
    assert all(len(code) == 2 and code.isalpha() and code.isupper() for code in codes)
    assert all(len(CLASSIC.faces[card]) == 2 for card in CLASSIC.board.grid if card >= 0)
