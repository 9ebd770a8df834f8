"""What a game seldom comes to: after every action the engine agrees with the rules written naively.

More such positions, with their counts, are in protocol/perft/positions.json.
"""

import random
from typing import Any

import pytest

from seqp2p.rules import Position, parse_action
from seqp2p.rules.status import status
from tests.rules.both import Both
from tests.rules.playing import Game, card, full_board, make

DEAD = {"a": "h2", "b": "g7"}
"""QH is dead."""
ALMOST = {"a": "b1 c1 d1 b3 b4 b5 b6 b7"}
"""With a3-a7 of team 1 counted, e1 wins."""
FIVE = {"a": "c3 d3 e3 f3 g3"}


def broken_run() -> Position:
    """Team 2 can take a chip out of six in a row, of which the first five count."""
    chips = {"a": "a5 b5 c5 d5 e5 f5"}
    return make(chips, ["JC,JC", "JS,JS"], options="advanced", sequences="a:a5-e5", to_move=2)


def by_hand(*hands: str, chips: dict[str, str] | None = None, **more: Any) -> Position:
    """A table at which draws are made by hand."""
    return make(chips or {}, hands, options="manual-draw", **more)


def owed(*hands: str, chips: dict[str, str] | None = None, **more: Any) -> Position:
    """Seat 1 has not drawn, and seat 2 is to play."""
    return by_hand(*hands, chips=chips, to_move=2, pending="play/2/1/-/-", **more)


def silent(*hands: str, chips: dict[str, str] | None = None, **more: Any) -> Position:
    """A table at which talk can be called."""
    return make(chips or {}, hands, options="no-table-talk", **more)


# The actions: after +, the card that is drawn.
SITUATIONS: dict[str, tuple[Position, str]] = {
    # Dead cards
    "a dead card is exchanged and the turn goes on": (make(DEAD, ["QH,2C", "3C"]), "QH dead +KD; KD h8"),
    "a dead card is exchanged before a pass": (make(DEAD, ["QH,QH", "3C"]), "QH dead +JS; JS xg7"),
    "one free square is enough for a card to live": (make({"a": "h2"}, ["QH", "3C"]), "QH g7"),
    "jacks that can take nothing are not dead": (make({}, ["JS,JH", "3C"]), "pass"),
    "nor are jacks with no free square": (make(full_board(), ["JC,JD", "3C"]), "pass"),
    # Sequences
    "of nine at once the middle five are named": (make({"a": "a5 b5 c5 d5 f5 g5 h5 i5"}, ["JC", "2C"]), "JC e5 c5-g5"),
    "a sequence with a chip gone counts no more, until the chip is back": (
        make(FIVE, ["JC", "JS"], options="advanced", sequences="a:c3-g3", to_move=2),
        "JS xe3; JC e3",
    ),
    "one elsewhere stays": (
        make(FIVE | {"b": "a5 b5 c5 d5 e5"}, ["2C", "JS"], options="advanced", sequences="a:c3-g3,b:a5-e5", to_move=2),
        "JS xc3",
    ),
    "what is left of a longer run counts with the next chip in its line": (broken_run(), "JS xa5; JC h5"),
    "but not with a chip elsewhere": (broken_run(), "JS xa5; JC h8"),
    "with the chip that is back it is the five in front": (broken_run(), "JS xa5; JC a5"),
    "or the five that are named": (broken_run(), "JS xa5; JC a5 b5-f5"),
    # Passes
    "an empty hand passes": (make({}, ["-", "2C"]), "pass"),
    "a play begins a new round": (make({}, ["JS", "2C"]), "pass; 2C e2; JS xe2"),
    "an exchange does too": (make(DEAD, ["JS,JH", "QH"], to_move=2, idle=1, quiet=1), "QH dead +QH; pass; JS xg7"),
    "a removal is not quiet": (make(full_board(), ["JS", "QD"], turn=300, quiet=207), "JS xd1"),
    # The end of the pile
    "not before a card is due": (make({}, ["2C,3C", "6C"], pile=1, discards=["4C,5C", "7C"], possible=False), "2C e2"),
    "a card that is the whole pile comes back": (make({}, ["2C", "3C"], pile=0, possible=False), "2C e2; 3C d2"),
    "a pass draws nothing": (make({}, ["JS", "2C"], pile=0, discards=["4C", "-"], possible=False), "pass"),
    # Drawing by hand
    "a placing waits for the draw": (by_hand("2C,3C", "4C", quiet=3), "2C e2; draw"),
    "a removal does too": (by_hand("JS,2C", "4C", chips={"b": "d7"}), "JS xd7; end"),
    "a win does not": (by_hand("JC", "4C", chips=ALMOST, sequences="a:b3-b7"), "JC e1"),
    "not even where a draw is owed": (owed("3C", "JC", chips={"b": ALMOST["a"]}, sequences="b:b3-b7"), "JC e1"),
    "an exchanged card is replaced at once": (by_hand("QH,2C", "4C", chips=DEAD), "QH dead +KD; 2C e2; draw"),
    "a turn later it is too late": (owed("3C", "4C", "QH", "6C"), "4C c2; waive; draw; QH h2; draw"),
    "a removal is as good as a placing": (by_hand("2C,3C", "JS,5C", "QH", "6C"), "2C e2; end; JS xe2; draw; draw"),
    "an exchange is not": (owed("3C", "QH,2C", chips=DEAD), "QH dead +KD; KD h8; draw; draw"),
    "a pass is as good as a placing, and ends the turn": (
        owed("3C", "JS", "4C", "5C", quiet=4, idle=1),
        "pass; waive; 4C c2",
    ),
    "an exchange before that pass still counts": (
        owed("3C", "QH", "4C", "5C", chips={"a": "h2 g7"}, idle=1, quiet=1),
        "QH dead +QH; pass; waive",
    ),
    "of two the seat that owes plays next": (by_hand("2C,3C", "4C,5C"), "2C e2; end; 4C c2; draw; draw; 3C d2"),
    # Talk called
    "a team without a card gives none": (silent("2C", "-", "3C", "-"), "call 4; 2C e2"),
    "the last card given up means passing": (silent("2C", "3C", "4C", "5C"), "call 4; 3C given; 5C given; 2C e2; pass"),
    "of three teams one gives up cards": (
        silent("2C", "3C", "4C", "5C", "6C", "7C", teams=3, to_move=4),
        "call 6; 4C given; 7C given; 5C b2",
    ),
    "a draw stays owed through a call": (
        make({}, ["2C", "3C,3D", "4C", "5C"], options="no-table-talk,manual-draw", to_move=2, pending="play/2/1/-/-"),
        "call 1; 2C given; 4C given; 3C d2; draw; draw",
    ),
}


def game_at(position: Position) -> Game:
    """A game that stands there, with a pile of the cards that are not seen."""
    variant = position.variant
    pile = list(variant.deck)
    for cards in (*position.hands, *position.discards):
        for seen in cards:
            pile.remove(seen)
    return Game(position, pile[: position.pile], random.Random(1))


@pytest.mark.parametrize("claim", SITUATIONS)
def test_the_engine_agrees_with_the_rules_written_naively(claim: str) -> None:
    position, moves = SITUATIONS[claim]
    both, possible = Both(game_at(position)), status(position) == ()
    for move in moves.split("; "):
        both.compare_legal()
        text, _, drawn = move.partition(" +")
        pile = both.game.pile
        if drawn:
            at = pile.index(card(drawn))
            pile[at], pile[-1] = pile[-1], pile[at]
            both.naive.pile = [position.variant.faces[each] for each in pile]
        both.play(parse_action(position.variant, text))
        assert not possible or status(both.game.position) == ()
    both.compare_legal()
