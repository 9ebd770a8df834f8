"""Strategies with cards and actions: steps ``turn``, ``late`` and ``over``."""

from collections.abc import Sequence

from seqp2p.crypto.group import ORDER, POINT_SIZE
from seqp2p.match.contribution import Contribution, OverBody, open_envelope
from seqp2p.rules import Action, Card, format_action
from tests.sim.adversaries.byzantine import Byzantine, Forge, MakeTrick, Once, Strategy, turn_body
from tests.sim.adversaries.described import (
    BYTES,
    GAME_ENDS,
    NO_EFFECT,
    REPLAY,
    WITHHELD,
    Adversary,
    ExpectedEnding,
    always,
    at_setup,
    in_play,
    instead,
    withholds,
)

_CARDS = "playing a card twice, a card not held, another seat's card"
_FALSELY = "false pass while holding a playable card"
_ACTION = "illegal action"
_LATE = "late winning move shown to one peer"


def _act(crook: Byzantine, action: Action, positions: Sequence[int]) -> Contribution:
    return crook.made("turn", crook.action(format_action(crook.match.game.variant, action), positions))


def not_held(crook: Byzantine, own: Contribution) -> Contribution | None:
    """Plays a card that it does not hold, and shows one that it does."""
    seen = crook.seat.view(crook.match)
    missing = next(card for card in range(len(seen.variant.faces)) if card not in seen.hand)
    placed = next((action for action in seen.legal if action.kind == "place"), None)
    square = next(at for at, chip in enumerate(seen.board) if chip == 0) if placed is None else placed.square
    return _act(
        crook, Action("place", missing, square), turn_body(own).cards or crook.match.game.deck.hand(crook.number)[:1]
    )


def another_seats(crook: Byzantine, own: Contribution) -> Contribution:
    """Shows a deck position that another seat holds, with a right share of it."""
    theirs = crook.match.game.deck.hand(crook.others[0])[0]
    return crook.made("turn", crook.action(turn_body(own).action, [theirs]))


def not_dealt(crook: Byzantine, own: Contribution) -> Contribution:
    """Shows the top of the pile as its own card."""
    return crook.made("turn", crook.action(turn_body(own).action, [crook.match.game.deck.drawn]))


def plays_again(crook: Byzantine, _own: Contribution) -> Contribution | None:
    """Plays the card of its last turn once more."""
    last = crook.last_turn
    return crook.made("turn", crook.action(last.action, last.cards)) if last and last.cards else None


def another_card(crook: Byzantine, own: Contribution) -> Contribution | None:
    """Names one card of its hand and shows another."""
    shown = turn_body(own).cards
    faces = {at: crook.match.game.deck.face(card) for at, card in crook.seat.hand(crook.match).items()}
    other = next((at for at in faces if shown and faces[at] != faces[shown[0]]), None)
    return None if other is None else crook.made("turn", crook.action(turn_body(own).action, [other]))


def replayed_share(crook: Byzantine, own: Contribution) -> Contribution:
    """Shows its card with a right share, proved for the step before."""
    positions = turn_body(own).cards or crook.match.game.deck.hand(crook.number)[:1]
    return crook.with_shares(own, crook.shares(positions, crook.elsewhere(step=-1)))


def _live_card(crook: Byzantine) -> tuple[Card, list[int]] | None:
    """Return a card that has a square, and the first deck position of its hand that has it."""
    seen, deck = crook.seat.view(crook.match), crook.match.game.deck
    card = next((action.card for action in seen.legal if action.kind == "place"), None)
    hand = crook.seat.hand(crook.match).items()
    return None if card is None else (card, [at for at, held in hand if deck.face(held) == card][:1])


def wrong_square(crook: Byzantine, _own: Contribution) -> Contribution | None:
    """Places a chip on a square that its card does not belong to."""
    if (live := _live_card(crook)) is None:
        return None
    (card, holds), seen = live, crook.seat.view(crook.match)
    legal = {action.square for action in seen.legal if action.card == card}
    square = next((at for at, chip in enumerate(seen.board) if chip == 0 and at not in legal), None)
    return None if square is None else _act(crook, Action("place", card, square), holds)


def false_pass(crook: Byzantine, _own: Contribution) -> Contribution:
    """Passes, and shows a hand with a legal play."""
    return crook.made("turn", crook.action("pass", crook.match.game.deck.hand(crook.number)))


def hidden_pass(crook: Byzantine, _own: Contribution) -> Contribution:
    """Passes, and shows nothing of its hand."""
    return crook.made("turn", crook.action("pass"))


def live_exchange(crook: Byzantine, _own: Contribution) -> Contribution | None:
    """Exchanges a live card."""
    live = _live_card(crook)
    return None if live is None else _act(crook, Action("exchange", live[0]), live[1])


def no_action(crook: Byzantine, own: Contribution) -> Contribution:
    """Sends an action that is none, with an escape sequence in it."""
    return crook.with_body(own, action="\x1b[2Jabracadabra")


def no_body(crook: Byzantine, own: Contribution) -> Contribution:
    """Contributes an empty body."""
    return crook.altered(own, body={})


def too_much(crook: Byzantine, own: Contribution) -> Contribution:
    """Contributes 20 kB of nothing in a field that no body has."""
    body = open_envelope(own.payload).body
    return crook.altered(own, body={**body, "more": bytes(20_000)})


def another_kind(crook: Byzantine, own: Contribution) -> Contribution:
    """Contributes a draw when a turn is due."""
    return crook.altered(own, kind="draw")


def scalar_too_large(crook: Byzantine, own: Contribution) -> Contribution:
    """The scalar of its share proof is q."""
    body = turn_body(own)
    return crook.with_body(own, proof=body.proof[: 2 * POINT_SIZE] + ORDER.to_bytes(32, "big"))


def draw_not_due(crook: Byzantine, _own: Contribution) -> Contribution:
    """Draws a card at a table with automatic draws."""
    return crook.made("turn", crook.action("draw"))


def _out_of_turn(words: str, first: str = "") -> MakeTrick:
    """Return a strategy that acts in another seat's turn; with ``first`` only after it has done so in its own."""

    def act(crook: Byzantine) -> None:
        crook.publish(crook.made(crook.match.kind or "turn", crook.action(words)))

    def can(crook: Byzantine) -> bool:
        match, last = crook.match, crook.last_turn
        ready = not first or (last is not None and last.action == first)
        return ready and match.kind in {"turn", "late"} and crook.number not in match.awaited

    return lambda: Once(act, can)


def another_end(crook: Byzantine, _own: Contribution) -> Contribution:
    """Signs another final position than the one that the game has."""
    return crook.made("over", OverBody(bytes(32)))


class Whispers(Strategy):
    """Send contributions to only one other seat, which passes them on."""

    def instead(self, crook: Byzantine, own: Contribution) -> bool:
        if not crook.mesh.relay.linked:
            return False
        crook.mesh.hold_back(own)
        crook.publish(own, [min(crook.mesh.relay.linked)])
        return False


def _turn(name: str, row: str, forge: Forge, reason: str) -> Adversary:
    return instead(name, row, "turn", forge, reason)


_ANOTHER_END = {2: at_setup(), 3: ExpectedEnding("no effect", "one contribution", "verified")}
TURNS = (
    _turn("card not held", _CARDS, not_held, "not the card played"),
    _turn("another seat's card", _CARDS, another_seats, "not in the hand"),
    _turn("card of the pile", _CARDS, not_dealt, "not in the hand"),
    _turn("card played twice", _CARDS, plays_again, "not in the hand"),
    _turn("another card shown", _CARDS, another_card, "not the card played"),
    _turn("replayed share", REPLAY, replayed_share, "share proof"),
    _turn("wrong square", _ACTION, wrong_square, ", not "),
    _turn("false pass", _FALSELY, false_pass, "cannot pass"),
    _turn("pass that shows nothing", _FALSELY, hidden_pass, "cards must be shown"),
    _turn("exchange of a live card", _ACTION, live_exchange, "is not dead"),
    _turn("no action", _ACTION, no_action, "is not an action"),
    _turn("empty body", BYTES, no_body, "missing required field"),
    _turn("bloated body", BYTES, too_much, "unknown field"),
    _turn("another kind of step", _ACTION, another_kind, "of a kind other than"),
    _turn("share scalar ≥ q", BYTES, scalar_too_large, "A scalar must be in"),
    _turn("draw not due", _ACTION, draw_not_due, "nothing to draw"),
    Adversary(
        "turn of another seat",
        _ACTION,
        "acts in another seat's turn",
        _out_of_turn("pass"),
        in_play("one contribution", 2, 3, 5),
        reason="not its step",
    ),
    Adversary(
        "double draw",
        _ACTION,
        "manual draw, draws again in the next seat's turn",
        _out_of_turn("draw", "draw"),
        in_play("one contribution", 2, 4),
        table={"manual_draw": True},
        reason="not its step",
    ),
    instead("another end", _ACTION, "over", another_end, "the final position", _ANOTHER_END),
    withholds("end not signed", "over", "never signs the final position", {2: GAME_ENDS, 3: NO_EFFECT}),
    withholds("no turn", "turn", "sees its hand and never acts: its turn is skipped, and then it is dropped", WITHHELD),
    Adversary(
        "moves shown to one seat",
        _LATE,
        "sends its contributions to only one other seat, its winning move too",
        Whispers,
        always(NO_EFFECT, 3, 4),
    ),
)
