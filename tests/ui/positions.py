"""Positions with names, for talks at a table."""

import random
from collections.abc import Mapping
from typing import Any, Final

from seqp2p.rules import CLASSIC, KIDS, Options, Position, apply, call, format_square, legal_actions
from tests.rules.playing import Game, make

HAND: Final = "QH,JC,JS,2C,2C,9S,9S"
ANY: Final = "?,?,?,?,?,?,?"


def classic(chips: Mapping[str, str], hand: str = HAND, **more: Any) -> Position:
    """A classic game for two; the first seat holds this hand."""
    return make(chips, [hand, ANY], possible=False, **more)


def kids(chips: Mapping[str, str], *hands: str, **more: Any) -> Position:
    return make(chips, hands, variant=KIDS, possible=False, **more)


def full_board() -> Position:
    squares = [format_square(KIDS, square) for square in range(42) if square not in KIDS.board.corners]
    return kids({"a": " ".join(squares[::2]), "b": " ".join(squares[1::2])}, "cat,unicorn,dragon", "?,?,?")


def drawing() -> Position:
    game = Game.deal(CLASSIC, 2, 2, random.Random(1), Options(manual_draw=True))
    return game.play(next(action for action in legal_actions(game.position) if action.kind == "place"))


def called() -> Position:
    game = Game.deal(CLASSIC, 4, 2, random.Random(1), Options(table_talk=False))
    return apply(game.position, call(game.position.to_move % 4 + 1))


POSITIONS: Final[Mapping[str, Position]] = {
    "the usual hand": make({"a": "b2 c2", "b": "e5"}, [HAND, ANY]),
    "the usual hand, another's turn": classic({"a": "b2 c2", "b": "e5"}, to_move=2),
    "a completed sequence": classic(
        {"a": "b2 c2 d2 e2 f2", "b": "e5 f6 g7"}, sequences="a:b2-f2", discards=["4C,TD", "-"]
    ),
    "a hand without jacks": classic({"a": "c2", "b": "e5"}, "2C,2D,3C,3D,4C,4D,5C"),
    "a chip of the own team on h2": classic({"a": "h2"}),
    "QH is dead": classic({"a": "h2", "b": "g7"}),
    "QH is dead, and a card has been exchanged": classic({"a": "h2", "b": "g7"}, exchanged=1),
    "QH is dead, another's turn": classic({"a": "h2 g7", "b": "e5"}, to_move=2),
    "9S is dead": classic({"a": "i1 b7", "b": "h8"}, "9S,2S,5S,6S,JS,JD,4D"),
    "e5 completes two lines of one direction": classic({"a": "b5 c5 d5 f5 g5", "b": "a7"}),
    "e5 completes two lines of each of two directions": classic({"a": "b5 c5 d5 f5 g5 e2 e3 e4 e6 e7", "b": "a7"}),
    "nothing can be played": classic({"a": "h2 g7 g2 g6"}, "QH,QH,KH,JH,JH,JS,JS", exchanged=1),
    "the first card is still being drawn": classic({"a": "b2"}, "?,2C,3C,4C,5C,6C,7C"),
    "all cards are still being drawn": classic({"a": "b2"}, ANY),
    "no card is left": classic({"a": "e5"}, "-"),
    "one discard pile is empty": classic({"a": "b2"}, discards=["-", "TD"]),
    "the team's talk was called": called(),
    "a card is to be drawn": drawing(),
    "a kids' game": kids({"a": "c3", "b": "d4"}, "cat,unicorn,dragon", "?,?,?"),
    "a kids' game for three": kids({"a": "c3"}, "cat,unicorn,dragon", "?,?,?", "?", discards=["-", "bear,yak", "-"]),
    "a kids' game without seat 3": kids({"a": "c3"}, "cat,unicorn,dragon", "?,?,?", "-")._replace(out=(3,)),
    "a kids' game without a wild card": kids({"a": "c3"}, "bear,cat,dragon", "?,?,?"),
    "a kids' game without a place for the hand": kids({"a": "e3"}, "dragon,dragon,dragon", "?,?,?", pile=0),
    "a kids' game, the board is full": full_board(),
}


def own_seat(place: str) -> int:
    """The seat that looks on: the first one in another's turn, else the one to move."""
    return 1 if "another's turn" in place else POSITIONS[place].to_move
