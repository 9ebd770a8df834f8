"""What the table screen shows, as data."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from seqp2p.rules import CLASSIC, KIDS, UNKNOWN, Position, parse_action, parse_square, view
from seqp2p.ui.board_model import HIDDEN, Face, Marks, board_model, face_of
from seqp2p.ui.explain import prompt, whose_turn
from seqp2p.ui.frame import Box, Canvas
from seqp2p.ui.styles import UNICODE
from seqp2p.ui.table_model import TableModel, TableState, table_model
from seqp2p.ui.table_paint import leader_line, paint_panel
from seqp2p.ui.words import Company
from tests.rules.playing import OPTION_TABLES, Table, full_board
from tests.ui.positions import classic

COMPANY = Company(("ann", "bob"), ("blue", "green"), 1)


def state(position: Position, own: int = 1, *, asked: bool = True) -> TableState:
    return TableState(position.variant.name, replace(COMPANY, own=own), view(position, own), asked)


def model(position: Position, own: int = 1, *, asked: bool = True) -> TableModel:
    return table_model(state(position, own, asked=asked))


def sq(name: str) -> int:
    return parse_square(CLASSIC, name)


def test_the_board_says_chips_sequences_and_the_last_move() -> None:
    position = classic({"a": "b2 c2 d2 e2 f2", "b": "e5"}, sequences="a:b2-f2")
    last = parse_action(CLASSIC, "5H e5")
    board = board_model(
        view(position, 1), ("blue", "green"), [last], Marks(frozenset({3}), 4, parse_action(CLASSIC, "QH h2"))
    )
    cells = board.cells
    assert (cells[0].face, cells[0].chip) == (None, "")
    assert (cells[sq("b2")].chip, cells[sq("b2")].made, cells[sq("b2")].last) == ("blue", True, False)
    assert (cells[sq("e5")].chip, cells[sq("e5")].made, cells[sq("e5")].last) == ("green", False, True)
    assert (cells[3].lit, cells[4].cursor, cells[4].lit) == (True, True, False)
    assert (cells[sq("h2")].staged, cells[sq("h2")].coming, cells[sq("h2")].chip) == (True, "blue", "")
    assert not board.has_names
    taken = board_model(view(position, 1), ("blue", "green"), (), Marks(staged=parse_action(CLASSIC, "JS xe5")))
    assert (taken.cells[sq("e5")].staged, taken.cells[sq("e5")].coming) == (True, "")


def test_a_team_can_win_with_more_sequences_than_it_needs() -> None:
    lines = [" ".join(f"{column}{row}" for column in "bcdef") for row in (2, 4, 6)]
    position = classic({"a": " ".join(lines)}, sequences="a:b2-f2,a:b4-f4,a:b6-f6")
    assert leader_line(model(position).teams) == "blue has won"


def test_people_are_told_that_no_line_is_open() -> None:
    assert leader_line(model(classic(full_board())).teams) == "no line is open"
    assert leader_line(model(classic({"a": "b2"})).teams) == "no team leads"


def test_faces() -> None:
    assert face_of(CLASSIC, CLASSIC.faces.index("TH")) == Face("TH", "TH", "H")
    assert face_of(KIDS, KIDS.faces.index("cat")) == Face("CA", "cat", "", "🐱")
    assert face_of(KIDS, UNKNOWN) == HIDDEN
    assert face_of(CLASSIC, CLASSIC.faces.index("TD")).is_red
    assert not face_of(CLASSIC, CLASSIC.faces.index("TS")).is_red


def test_animals_have_the_readers_names_and_codes(french: None) -> None:
    assert face_of(KIDS, KIDS.faces.index("cat")) == Face("CH", "chat", "", "🐱")
    assert face_of(KIDS, KIDS.wild[0]) == Face("LC", "licorne", "", "🦄")


def test_the_hand_says_what_is_dead_wild_and_of_use() -> None:
    shown = model(classic({"a": "h2", "b": "g7"}, exchanged=1))
    assert {card.face.name: (card.dead, card.playable, card.wild, card.removing) for card in shown.hand} == {
        "2C": (False, True, False, False),
        "JC": (False, True, True, False),
        "QH": (True, False, False, False),
        "9S": (False, True, False, False),
        "JS": (False, True, False, True),
    }
    assert not any(card.chosen for card in shown.hand)
    # Who is not asked is not told that a card is of no use.
    assert all(card.playable for card in model(classic({"a": "h2"}, to_move=2), asked=False).hand)


def test_whose_turn_it_is() -> None:
    def whose(position: Position, own: int = 1) -> str:
        return whose_turn(state(position, own))

    mine = classic({"a": "b2"})
    assert (whose(mine), whose(mine, 2), whose(mine, 0)) == ("your turn", "ann's turn", "ann's turn")
    drawing = classic({"a": "b2"}, "QH,JC", options="manual-draw", pending="draw/1/-/-/-")
    assert (whose(drawing), whose(drawing, 2)) == ("you draw", "ann draws")
    misnamed = replace(state(mine, 0), company=Company(("you", "bob"), ("blue", "green")))
    assert whose_turn(misnamed) == "seat 1 (you)'s turn"
    late = classic({"a": "b2"}, "QH,JC", options="manual-draw", to_move=2, pending="late/1/2/-/-")
    assert (whose(late), whose(late, 2)) == ("bob may still draw", "you may still draw")


@given(st.sampled_from(OPTION_TABLES), st.integers(0, 10_000), st.booleans())
def test_every_position_can_be_shown_to_every_seat(table: Table, seed: int, asked: bool) -> None:
    position = table.stopped(seed).position
    colours = ("blue", "green", "red", "yellow")[: position.teams]
    company = Company(tuple(f"p{seat}" for seat in range(1, position.players + 1)), colours)
    for own in range(position.players + 1):
        seen = view(position, own)
        shown = table_model(
            TableState(position.variant.name, replace(company, own=own), seen, asked and own == position.to_move)
        )
        assert shown.board is not None
        assert len(shown.board.cells) == len(seen.board)
        assert len(shown.hand) == len(seen.hand)
        panel = Canvas(40, position.players + position.teams + 2)
        paint_panel(panel, Box(0, 0, panel.width, panel.height), shown)
        rows = panel.frame().lines[-position.players :]
        assert [row[0] for row in rows].count(UNICODE.turn) == 1
        assert sum("(you)" in row for row in rows) == min(own, 1)
        assert prompt(shown.state)
