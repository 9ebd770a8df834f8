"""A referee that sees all cards: it plays a record again by the rules of the printed sheet alone.

It holds the game secret of every seat, so it opens every ciphertext by itself and needs no proof. It checks that each
shuffle is a permutation of the right cards, that each action is legal in the position with all hands known, and that
each hand has the cards that were dealt and drawn and not played.
"""

from collections import Counter
from collections.abc import Mapping

from seqp2p.crypto.group import mul, sub, sum_points
from seqp2p.match.events import Dealt, Drawn, Dropped, Event, Redealt, Shuffled, Turned
from seqp2p.match.game import GameState
from seqp2p.match.machine import Match
from seqp2p.replay.format import Placed
from seqp2p.replay.reading import Reading
from seqp2p.rules import ACTION_ROWS, Card, Position, legal_actions, reveal
from tests.sim.violation import SafetyViolation

Hands = dict[int, "Counter[Card]"]


class Referee:
    """Follows a record. ``owners`` has the seat that each deck position was dealt to, ``shown`` those it has shown."""

    def __init__(self, secrets: Mapping[int, int]) -> None:
        self._secrets = secrets
        self._opened: dict[int, int] = {}  # physical card by deck position
        self._hands: Hands | None = None  # None during a redeal
        self._before: Position | None = None
        self.game: GameState | None = None
        self.owners: dict[int, int] = {}
        self.shown: set[int] = set()

    def follow(self, reading: Reading, _placed: Placed, events: tuple[Event, ...]) -> None:
        match = reading.match
        self.game = game = match.game
        for event in events:
            match event:
                case Shuffled() if not game.deck.mixing:
                    self._open_deck(game)
                case Dealt() | Redealt():
                    self._hands = self._held(game)
                case Dropped():
                    # Those who stay may hold no card: nothing is dealt again.
                    self._hands = None if game.owners else self._held(game)
                case Turned(_, seat, action):
                    hand = self._turned(seat, event)
                    if ACTION_ROWS[action.kind].shows == "card":
                        hand.subtract([action.card])
                case Drawn(seat) if self._hands is not None:
                    self._hands[seat].update([self._face(game, game.deck.drawn - 1)])
                case _:
                    pass
        self._note(match)

    def _open_deck(self, game: GameState) -> None:
        """Check a new draw pile: every expected card is there, once."""
        deck = game.deck
        new = range(deck.drawn, len(deck.ciphertexts))
        cards = {point: card for card, point in enumerate(deck.points)}
        for position in new:
            ciphertext = deck.ciphertexts[position]
            shares = [mul(ciphertext.a, self._secrets[seat]) for seat in game.seats]
            point = sub(ciphertext.b, sum_points(shares))
            if point not in cards:
                raise SafetyViolation(f"deck position {position} holds no card")
            self._opened[position] = cards[point]
        pile = [self._opened[position] for position in new]
        held = [self._opened[at] for hand in deck.hands for at in hand]
        everything = sorted([*pile, *held, *deck.discards])
        if everything != list(range(len(deck.points))):
            raise SafetyViolation(f"after a shuffle the cards are {everything}")

    def _face(self, game: GameState, position: int) -> Card:
        return game.deck.face(self._opened[position])

    def _held(self, game: GameState) -> Hands:
        return {seat: Counter(self._face(game, position) for position in game.deck.hand(seat)) for seat in game.seats}

    def _turned(self, seat: int, event: Turned) -> "Counter[Card]":
        """Check that the action is legal with all cards known, and return the seat's hand."""
        before = self._before
        if before is None or self._hands is None:
            raise SafetyViolation(f"an action before there is a position: {event}")
        if event.action.kind == "give":
            legal = self._hands[seat][event.action.card] > 0
        else:
            legal = event.action.kind == "call" or event.action in legal_actions(before)
            legal = legal and before.to_move == seat
        if not legal:
            raise SafetyViolation(f"an illegal action was accepted from seat {seat}: {event.action}")
        return self._hands[seat]

    def _note(self, match: Match) -> None:
        game = match.game
        for seat in game.seats:
            self.owners |= dict.fromkeys(game.deck.hand(seat), seat)
        self.shown |= game.deck.shown.keys()
        if game.position is None or self._hands is None:
            self._before = None
            return
        held = self._held(game)
        if held != self._hands:
            raise SafetyViolation(f"before step {match.number} the hands are {held}, not {self._hands}")
        position = game.position
        for seat in game.seats:
            new = [self._face(game, at) for at in game.deck.hand(seat) if at not in game.deck.shown]
            position = reveal(position, seat, new[: len(position.hands[seat - 1])])
        self._before = position
