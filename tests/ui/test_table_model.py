"""What the table screen shows, as data."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqp2p.rules import CLASSIC, KIDS, UNKNOWN, Options, Position, Variant, drop, parse_action, parse_square, view
from seqp2p.ui.board_model import HIDDEN, Face, Marks, board_model, face_of
from seqp2p.ui.choice import Choice
from seqp2p.ui.explain import whose_turn
from seqp2p.ui.table_model import Progress, TableModel, TableState, table_model
from seqp2p.ui.words import Company
from tests.rules.playing import OPTION_TABLES, make, random_position

HAND = "QH,JC,JS,2C,2C,9S,9S"
ANY = "?,?,?,?,?,?,?"
COMPANY = Company(("ann", "bob"), ("blue", "green"), 1)


def state(position: Position, own: int = 1, *, asked: bool = True) -> TableState:
    return TableState(position.variant.name, replace(COMPANY, own=own), view(position, own), asked)


def model(position: Position, own: int = 1, *, asked: bool = True) -> TableModel:
    return table_model(state(position, own, asked=asked))


def sq(name: str) -> int:
    return parse_square(CLASSIC, name)


def test_before_the_deal_there_is_no_board() -> None:
    shown = table_model(TableState("classic", COMPANY, progress=Progress("the deck is shuffled", 1, 2)))
    assert (shown.board, shown.hand, shown.teams, shown.pile, shown.turn, shown.has_hand) == (
        None,
        (),
        (),
        "",
        "",
        False,
    )
    assert shown.whose == "the cards are not dealt yet"
    assert [(seat.name, seat.cards, seat.turn, seat.own) for seat in shown.seats] == [
        ("ann", None, False, True),
        ("bob", None, False, False),
    ]


def test_the_board_says_chips_sequences_and_the_last_move() -> None:
    position = make({"a": "b2 c2 d2 e2 f2", "b": "e5"}, [HAND, ANY], sequences="a:b2-f2")
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


def test_faces() -> None:
    assert face_of(CLASSIC, CLASSIC.faces.index("TH")) == Face("TH", "TH", "H")
    assert face_of(KIDS, KIDS.faces.index("cat")) == Face("CA", "cat", "", "🐱")
    assert face_of(KIDS, UNKNOWN) == HIDDEN
    assert face_of(CLASSIC, CLASSIC.faces.index("TD")).is_red
    assert not face_of(CLASSIC, CLASSIC.faces.index("TS")).is_red


@pytest.mark.usefixtures("french")
def test_animals_have_their_own_names_and_codes() -> None:
    assert face_of(KIDS, KIDS.faces.index("cat")) == Face("CH", "chat", "", "🐱")
    assert face_of(KIDS, KIDS.wild[0]) == Face("LC", "licorne", "", "🦄")


def test_the_hand_says_what_is_dead_wild_and_of_use() -> None:
    shown = model(make({"a": "h2", "b": "g7"}, [HAND, ANY], exchanged=1))
    by_name = {card.face.name: card for card in shown.hand}
    assert by_name["QH"].dead
    assert not by_name["QH"].playable
    assert by_name["JC"].wild
    assert by_name["JC"].playable
    assert by_name["JS"].removing
    assert by_name["JS"].playable
    assert not by_name["2C"].dead
    assert not any(card.chosen for card in shown.hand)
    # Who is not asked is not told that a card is of no use.
    assert all(card.playable for card in model(make({"a": "h2"}, [HAND, ANY], to_move=2), asked=False).hand)


def test_what_is_chosen_is_on_the_board_and_in_the_hand() -> None:
    position = make({"a": "b2"}, [HAND, ANY])
    card = CLASSIC.faces.index("QH")
    slot = position.hands[0].index(card)
    shown = table_model(replace(state(position), choice=Choice(sq("g7"), slot, card)))
    assert [card.chosen for card in shown.hand].index(True) == slot
    assert shown.board is not None
    assert [square for square, cell in enumerate(shown.board.cells) if cell.lit] == [sq("h2"), sq("g7")]
    assert shown.board.cells[sq("g7")].cursor


def test_teams_and_seats() -> None:
    position = make(
        {"a": "b2 c2 d2 e2 f2", "b": "e5"}, [HAND, ANY], sequences="a:b2-f2", discards=["-", "TD"], to_move=2
    )
    shown = table_model(replace(state(position, asked=False), away_s={1: 63.4}, clock_s=5.0))
    assert [(team.colour, team.made, team.needed, team.own) for team in shown.teams] == [
        ("blue", 1, 2, True),
        ("green", 0, 2, False),
    ]
    ann, bob = shown.seats
    assert (ann.move, ann.discards, ann.cards, ann.away, ann.turn) == (None, (), 7, "1:03", False)
    assert (bob.move, bob.discards, bob.cards, bob.turn) == (None, (Face("TD", "TD", "D"),), 7, True)
    assert (shown.clock, shown.clock_low, shown.turn, shown.pile) == ("0:05", True, "turn 151", "pile 89")


def test_a_seat_that_has_left() -> None:
    game = random_position(CLASSIC, 4, 2, 3)
    position = drop(game.position, (2,))
    company = Company(("ann", "bob", "eve", "leo"), ("blue", "green"), 1)
    shown = table_model(TableState("classic", company, view(position, 1)))
    assert [seat.out for seat in shown.seats] == [False, True, False, False]


def test_whose_turn_it_is() -> None:
    def whose(position: Position, own: int = 1) -> str:
        return whose_turn(view(position, own), replace(COMPANY, own=own))

    mine = make({"a": "b2"}, [HAND, ANY])
    assert (whose(mine), whose(mine, 2), whose(mine, 0)) == ("your turn", "ann's turn", "ann's turn")
    drawing = make({"a": "b2"}, ["QH,JC", "?,?"], options="manual-draw", pending="draw/1/-/-/-", possible=False)
    assert (whose(drawing), whose(drawing, 2)) == ("you draw", "ann draws")
    late = make({"a": "b2"}, ["QH,JC", "?,?"], options="manual-draw", to_move=2, pending="late/1/2/-/-", possible=False)
    assert (whose(late), whose(late, 2)) == ("bob may still draw", "you may still draw")


def test_a_game_that_is_over_asks_nothing() -> None:
    position = next(
        game.position for game in [random_position(KIDS, 2, 2, 1)] for _ in game.play_random() if game.position.over
    )
    shown = table_model(TableState("kids", replace(COMPANY, colours=("red", "blue")), view(position, 1)))
    assert (shown.whose, shown.turn, shown.prompt) == ("the game is over", "", "")
    assert not any(seat.turn for seat in shown.seats)


@given(st.sampled_from(OPTION_TABLES), st.integers(0, 10_000), st.booleans())
def test_every_position_can_be_shown_to_every_seat(
    options: tuple[Variant, int, int, Options], seed: int, asked: bool
) -> None:
    variant, players, teams, rules = options
    position = random_position(variant, players, teams, seed, rules).position
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
        assert sum(seat.turn for seat in shown.seats) == 1
        assert sum(seat.own for seat in shown.seats) == min(own, 1)
        assert shown.prompt
