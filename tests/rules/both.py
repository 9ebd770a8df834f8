"""A game on the engine and on the rules of the second program, compared after every action."""

import random
from collections import Counter

from protocol.second.rules import PHASES, read_action, read_position
from protocol.second.rules import Position as Second
from seqp2p.rules import Action, Card, Position, format_action, format_position, legal_actions
from tests.rules.playing import Game


def assert_same(second: Second, position: Position) -> None:
    """The two have come to the same position, once the second program is told of the card that was drawn."""
    faces = position.variant.faces
    for hand, cards in zip(second.hands, position.hands, strict=True):
        if "?" in hand:
            (drawn,) = Counter(faces[card] for card in cards) - Counter(hand)
            hand[hand.index("?")] = drawn
    assert second.text() == format_position(position)


def legal(second: Second) -> set[str]:
    """The texts of the legal actions, calls left out."""
    if not second.to_move:
        return set()
    board, hand = second.board, set(second.hands[second.to_move - 1])
    if second.phase != "play":
        return {f"{card} given" for card in hand} if second.phase == "penalty" else {*PHASES[second.phase]}
    names = [(board.write(square), square) for square in range(len(board.grid))]
    found = {f"{card} {name}" for card in hand for name, square in names if second.may_place(card, square)}
    found |= {f"{card} x{name}" for card in hand for name, square in names if second.may_remove(card, square)}
    found |= {f"{card} dead" for card in hand if second.may_exchange(card)}
    return found | {"pass"} if second.may_pass() else found


class Both:
    """A game that two engines play."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.second = read_position(format_position(game.position))
        assert_same(self.second, game.position)

    def lay_on_top(self, card: Card) -> None:
        """Let this card of the pile be drawn next."""
        pile = self.game.pile
        at = pile.index(card)
        pile[at], pile[-1] = pile[-1], pile[at]

    def play(self, action: Action) -> None:
        """Play an action with the card on top of the pile, and compare."""
        self.game.play(action)
        text = format_action(self.game.position.variant, action)
        self.second = self.second.after(read_action(self.second.board, text))
        assert_same(self.second, self.game.position)

    def compare_legal(self) -> None:
        """Both offer the same actions."""
        position = self.game.position
        actions = legal_actions(position)
        texts = {format_action(position.variant, action) for action in actions}
        assert len(texts) == len(actions)
        assert texts == legal(self.second)


def both_at(position: Position) -> Both:
    """Both engines at this position, with a pile of the cards that are not seen."""
    pile = list(position.variant.deck)
    for cards in (*position.hands, *position.discards):
        for seen in cards:
            pile.remove(seen)
    return Both(Game(position, pile[: position.pile], random.Random(1)))
