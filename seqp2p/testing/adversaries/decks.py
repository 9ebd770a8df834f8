"""Strategies with the deck: steps ``shuffle``, ``deal`` and ``draw``."""

from collections.abc import Callable, Sequence

from seqp2p.crypto.elgamal import Ciphertext, card_points, encode_deck, fresh_deck, reencrypt
from seqp2p.crypto.group import POINT_SIZE, G, add, mul, sub
from seqp2p.crypto.oracle import Context
from seqp2p.crypto.share_proof import encode_shares, share
from seqp2p.crypto.shuffle import shuffle
from seqp2p.crypto.shuffle_proof import prove_shuffle
from seqp2p.match.contribution import Contribution, ShuffleBody, StepKind
from seqp2p.match.setup_steps import positions_of_others
from seqp2p.testing.adversaries.byzantine import Byzantine, Instead, Keeps, MakeTrick, Strategy
from seqp2p.testing.adversaries.described import (
    GAME_ENDS,
    NO_EFFECT,
    WITHHELD,
    Adversary,
    always,
    at_setup,
    doing,
    in_play,
)

Deck = tuple[Ciphertext, ...]
_STATEMENT = "inner proof not tied to the outer statement"
_BOUND = "statement left out of the challenge"
_REPLAY = "replayed proof or share from another game, step, seat, card"
_BYTES = "identity, non-canonical point, scalar ≥ q, wrong length"
_WITHHOLDS = "withholding a share, selective abort after the reveal"
_CARD_SIZE = 2 * POINT_SIZE


def proved(
    crook: Byzantine, before: Deck, change: Callable[[Byzantine, Deck], Deck], at: Context | None = None
) -> ShuffleBody:
    """Return a changed shuffle of ``before``, with the proof of a prover that follows the algorithm."""
    pk = crook.match.game.joint_key
    after, permutation, rerandomisers = shuffle(before, pk, crook.randomness)
    changed = change(crook, after)
    proof = prove_shuffle(before, changed, pk, permutation, rerandomisers, at or crook.at, crook.randomness)
    return ShuffleBody(encode_deck(changed), proof)


def false_shuffle(change: Callable[[Byzantine, Deck], Deck]) -> Callable[[], Strategy]:
    """Return a strategy whose shuffle is changed, and proved as if it were not."""

    def forge(crook: Byzantine, _own: Contribution) -> Contribution:
        return crook.made("shuffle", proved(crook, tuple(crook.match.game.deck.mixing), change))

    return lambda: Instead("shuffle", forge)


def card_swapped_in(crook: Byzantine, deck: Deck) -> Deck:
    """The first card is one of the variant, freshly encrypted and known only to this seat."""
    pk = crook.match.game.joint_key
    stranger = Ciphertext(G, add(crook.match.game.deck.points[0], pk))
    return (reencrypt(stranger, pk, 5), *deck[1:])


def card_of_another_deck(crook: Byzantine, deck: Deck) -> Deck:
    """The first card is one of the classic deck."""
    pk = crook.match.game.joint_key
    return (reencrypt(Ciphertext(G, add(card_points("classic", 104)[0], pk)), pk, 5), *deck[1:])


def card_twice(crook: Byzantine, deck: Deck) -> Deck:
    """The second card is the first one, re-encrypted."""
    return (deck[0], reencrypt(deck[0], crook.match.game.joint_key, 5), *deck[2:])


def same_ciphertext_twice(_crook: Byzantine, deck: Deck) -> Deck:
    """The second card is the first one, bit for bit."""
    return (deck[0], deck[0], *deck[2:])


def linear_map(_crook: Byzantine, deck: Deck) -> Deck:
    """Two cards are replaced by linear combinations of both, with the sum kept."""
    one, two, *rest = deck
    first = Ciphertext(sub(mul(one.a, 2), two.a), sub(mul(one.b, 2), two.b))
    second = Ciphertext(sub(mul(two.a, 2), one.a), sub(mul(two.b, 2), one.b))
    return (first, second, *rest)


def sum_kept(_crook: Byzantine, deck: Deck) -> Deck:
    """A value added to one card is taken from another."""
    one, two, *rest = deck
    return (Ciphertext(add(one.a, G), add(one.b, G)), Ciphertext(sub(two.a, G), sub(two.b, G)), *rest)


def doubled(_crook: Byzantine, deck: Deck) -> Deck:
    """Every ciphertext is multiplied by 2."""
    return tuple(Ciphertext(mul(card.a, 2), mul(card.b, 2)) for card in deck)


def halves_swapped(_crook: Byzantine, deck: Deck) -> Deck:
    """Two cards exchange the second halves of their ciphertexts."""
    one, two, *rest = deck
    return (Ciphertext(one.a, two.b), Ciphertext(two.a, one.b), *rest)


def one_card_fewer(_crook: Byzantine, own: Contribution) -> Contribution:
    """The last card is left out."""
    deck, proof = proved(_crook, tuple(_crook.match.game.deck.mixing), lambda _, deck: deck).deck, b""
    return _crook.with_body(own, deck=deck[:-_CARD_SIZE], proof=proof)


def open_deck(crook: Byzantine, _own: Contribution) -> Contribution:
    """Shuffles the open deck, as if it were the first to shuffle."""
    game = crook.match.game
    return crook.made("shuffle", proved(crook, fresh_deck(game.joint_key, game.deck.points), lambda _, deck: deck))


def bound_elsewhere(step: int = 0, seat: int = 0, game: bytes = b"", prev: bytes = b"") -> Callable[[], Strategy]:
    """Return a right shuffle whose proof is made for another place."""

    def forge(crook: Byzantine, _own: Contribution) -> Contribution:
        here = crook.at
        other = (here.seat + seat - 1) % crook.match.game.players + 1
        there = Context(game or here.game, here.step + step, other, prev or here.prev)
        before = tuple(crook.match.game.deck.mixing)
        return crook.made("shuffle", proved(crook, before, lambda _, deck: deck, there))

    return lambda: Instead("shuffle", forge)


def off_the_field(crook: Byzantine, own: Contribution) -> Contribution:
    """The first point of its deck has an x above the field."""
    deck = proved(crook, tuple(crook.match.game.deck.mixing), lambda _, deck: deck).deck
    return crook.with_body(own, deck=b"\x02" + b"\xff" * 32 + deck[POINT_SIZE:])


class Unmixed(Strategy):
    """Prove a permutation of its choice, the same each time, and re-encrypt every card with 1, visible to all."""

    def __init__(self, order: Callable[[int], Sequence[int]]) -> None:
        self._order = order
        self._done: dict[int, Contribution] = {}

    def instead(self, crook: Byzantine, _own: Contribution) -> bool:
        """See Strategy. Its own match takes it as the others' do."""
        match, step = crook.match, crook.match.number
        if match.kind != "shuffle" or step in self._done:
            return False
        before, pk = tuple(match.game.deck.mixing), match.game.joint_key
        permutation = tuple(self._order(len(before)))
        after = tuple(reencrypt(before[at], pk, 1) for at in permutation)
        proof = prove_shuffle(before, after, pk, permutation, (1,) * len(before), crook.at, crook.randomness)
        own = self._done[step] = crook.made("shuffle", ShuffleBody(encode_deck(after), proof))
        match.receive(own)
        crook.publish(own)
        return True


class ShufflesOutOfTurn(Strategy):
    """Shuffle in another seat's place, before that seat has."""

    def __init__(self) -> None:
        self._done = False

    def after(self, crook: Byzantine) -> None:
        """See Strategy."""
        if crook.match.kind == "shuffle" and crook.number not in crook.match.awaited and not self._done:
            self._done = True
            body = proved(crook, tuple(crook.match.game.deck.mixing), lambda _, deck: deck)
            crook.publish(crook.made("shuffle", body))


# Shares.


def shares_due(crook: Byzantine) -> list[int]:
    """Return the deck positions that it owes shares for."""
    game = crook.match.game
    if crook.match.kind == "draw":
        return [game.deck.drawn]
    return positions_of_others(game, crook.number)


def of_other_cards(crook: Byzantine, own: Contribution) -> Contribution:
    """Shares of the cards after those that are due, with the right proof for them."""
    positions = [position + 1 for position in shares_due(crook)]
    body = crook.shares(positions)
    return crook.with_body(own, shares=body.shares, proof=body.proof)


def of_another_secret(crook: Byzantine, own: Contribution) -> Contribution:
    """Shares by another secret than its key's, proved with that secret."""
    body = crook.shares(shares_due(crook), secret=77)
    return crook.with_body(own, shares=body.shares, proof=body.proof)


def one_share_wrong(crook: Byzantine, own: Contribution) -> Contribution:
    """One of its shares is moved by G, and the proof is an honest prover's for that statement."""
    game, secret = crook.match.game, crook.seat.release()
    cards = [(position, game.deck.ciphertexts[position].a) for position in shares_due(crook)]
    shares = [share(secret, a, crook.randomness) for _, a in cards]
    shares[-1] = add(shares[-1], G)
    return crook.with_body(own, shares=encode_shares(shares), proof=crook.proved(cards, shares, None, secret))


def two_shares_exchanged(crook: Byzantine, own: Contribution) -> Contribution:
    """The last two shares are exchanged, under the proof of the right order."""
    body = crook.shares(shares_due(crook))
    data = body.shares
    return crook.with_body(
        own, shares=data[: -2 * POINT_SIZE] + data[-POINT_SIZE:] + data[-2 * POINT_SIZE : -POINT_SIZE], proof=body.proof
    )


def proved_elsewhere(crook: Byzantine, own: Contribution) -> Contribution:
    """The right shares, with a proof made for the step before."""
    here = crook.at
    body = crook.shares(shares_due(crook), Context(here.game, here.step - 1, here.seat, here.prev))
    return crook.with_body(own, shares=body.shares, proof=body.proof)


def too_few(crook: Byzantine, own: Contribution) -> Contribution:
    """All due shares but one, with their proof."""
    body = crook.shares(shares_due(crook)[1:])
    return crook.with_body(own, shares=body.shares, proof=body.proof)


def infinite_share(crook: Byzantine, own: Contribution) -> Contribution:
    """A share of 33 zero bytes."""
    body = crook.shares(shares_due(crook))
    return crook.with_body(own, shares=bytes(POINT_SIZE) + body.shares[POINT_SIZE:], proof=body.proof)


def _shuffle(name: str, row: str, change: Callable[[Byzantine, Deck], Deck]) -> Adversary:
    what = f"shuffles falsely, with an honest prover's proof: {doing(change)}"
    return Adversary(name, row, what, false_shuffle(change), always(at_setup()), reason="shuffle proof")


def _instead(
    name: str, row: str, kind: StepKind, forge: Callable[[Byzantine, Contribution], Contribution], reason: str
) -> Adversary:
    endings = in_play() if kind == "draw" else always(at_setup())
    return Adversary(name, row, doing(forge), lambda: Instead(kind, forge), endings, reason=reason)


def _bound(place: str, make: MakeTrick) -> Adversary:
    name, what = f"shuffle proof of another {place}", f"shuffles, and binds the proof to another {place}"
    return Adversary(name, _BOUND, what, make, always(at_setup()), reason="shuffle proof")


DECKS = (
    _shuffle("card swapped in", _STATEMENT, card_swapped_in),
    _shuffle("card of another deck", _STATEMENT, card_of_another_deck),
    _shuffle("card twice", _STATEMENT, card_twice),
    _shuffle("ciphertext twice", _STATEMENT, same_ciphertext_twice),
    _shuffle("linear map", _STATEMENT, linear_map),
    _shuffle("sum kept", _STATEMENT, sum_kept),
    _shuffle("deck doubled", _STATEMENT, doubled),
    _shuffle("halves swapped", _STATEMENT, halves_swapped),
    _instead("one card fewer", _BYTES, "shuffle", one_card_fewer, "points take"),
    _instead("deck off the field", _BYTES, "shuffle", off_the_field, "no point"),
    Adversary(
        "shuffle of the open deck",
        "one party shuffles for all",
        "shuffles the open deck, as if it were the first to shuffle",
        lambda: Instead("shuffle", open_deck),
        always(at_setup()),
        seat=2,
        reason="shuffle proof",
    ),
    Adversary(
        "shuffle in another's place",
        "one party shuffles for all",
        "shuffles and proves it when another seat is to shuffle",
        ShufflesOutOfTurn,
        always(at_setup()),
        reason="not its step",
    ),
    _bound("step", bound_elsewhere(step=1)),
    _bound("seat", bound_elsewhere(seat=1)),
    _bound("game", bound_elsewhere(game=bytes(32))),
    _bound("past", bound_elsewhere(prev=bytes(32))),
    Adversary(
        "identity permutation",
        "proof that leaks the permutation",
        "keeps the order of the deck, visible to all: allowed, and hidden by any other shuffle",
        lambda: Unmixed(range),
        always(NO_EFFECT),
    ),
    Adversary(
        "same permutation again",
        "biased permutation",
        "reverses the deck at each shuffle, visible to all: allowed, and hidden by any other shuffle",
        lambda: Unmixed(lambda count: range(count)[::-1]),
        always(NO_EFFECT, 2, 4),
    ),
    _instead("shares of other cards", _REPLAY, "deal", of_other_cards, "share proof"),
    _instead("shares by another secret", _REPLAY, "deal", of_another_secret, "share proof"),
    _instead("one share wrong", _REPLAY, "deal", one_share_wrong, "share proof"),
    _instead("shares exchanged", _REPLAY, "deal", two_shares_exchanged, "share proof"),
    _instead("share proof of another step", _REPLAY, "deal", proved_elsewhere, "share proof"),
    _instead("too few shares", _BYTES, "deal", too_few, "points take"),
    _instead("share at infinity", _BYTES, "deal", infinite_share, "no point"),
    _instead("draw share of another card", _REPLAY, "draw", of_other_cards, "share proof"),
    _instead("draw share by another secret", _REPLAY, "draw", of_another_secret, "share proof"),
    _instead("draw share proved elsewhere", _REPLAY, "draw", proved_elsewhere, "share proof"),
    Adversary(
        "no shuffle",
        _WITHHOLDS,
        "never shuffles",
        lambda: Keeps("shuffle"),
        always(GAME_ENDS),
    ),
    Adversary(
        "no shares in the deal",
        _WITHHOLDS,
        "never gives its shares of the others' cards",
        lambda: Keeps("deal"),
        always(GAME_ENDS),
    ),
    Adversary(
        "no share in a draw",
        _WITHHOLDS,
        "never gives its share for a drawn card",
        lambda: Keeps("draw"),
        WITHHELD,
    ),
)
