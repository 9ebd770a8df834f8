"""Strategies with the deck: steps ``shuffle``, ``deal`` and ``draw``."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from seqp2p.crypto.elgamal import Ciphertext, card_points, encode_deck, fresh_deck, reencrypt
from seqp2p.crypto.group import POINT_SIZE as SIZE
from seqp2p.crypto.group import G, add, encode_points, mul, sub
from seqp2p.crypto.oracle import Context
from seqp2p.crypto.schnorr import share
from seqp2p.crypto.shuffle import prove_shuffle, shuffle
from seqp2p.match.contribution import Contribution, ShuffleBody
from seqp2p.match.steps import positions_of_others
from tests.sim.adversaries.byzantine import Byzantine, Instead, Once, Strategy, while_others_owe
from tests.sim.adversaries.described import (
    BYTES,
    ENDS,
    HARMLESS,
    NO_EFFECT,
    REPLAY,
    SETUP,
    WITHHELD,
    Adversary,
    always,
    doing,
    instead,
    withholds,
)

Deck = tuple[Ciphertext, ...]
_STATEMENT = "inner proof not tied to the outer statement"
_BOUND = "statement left out of the challenge"
_PROOF = "shuffle proof"


Change = Callable[[Byzantine, Deck], Deck]


def proved(
    crook: Byzantine, change: Change | None = None, at: Context | None = None, before: Deck | None = None
) -> ShuffleBody:
    """Return a shuffle, right or changed, with the proof of a prover that follows the algorithm."""
    before, pk = before or tuple(crook.match.game.deck.mixing), crook.match.game.joint_key
    after, permutation, rerandomisers = shuffle(before, pk, crook.randomness)
    changed = after if change is None else change(crook, after)
    proof = prove_shuffle(before, changed, pk, permutation, rerandomisers, at or crook.at, crook.randomness)
    return ShuffleBody(encode_deck(changed), proof)


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


def one_card_fewer(crook: Byzantine, own: Contribution) -> Contribution:
    """The last card is left out."""
    return crook.with_body(own, deck=proved(crook).deck[: -2 * SIZE], proof=b"")


def open_deck(crook: Byzantine, _own: Contribution) -> Contribution:
    """Shuffles the open deck, as if it were the first to shuffle."""
    game = crook.match.game
    return crook.made("shuffle", proved(crook, before=fresh_deck(game.joint_key, game.deck.points)))


def off_the_field(crook: Byzantine, own: Contribution) -> Contribution:
    """The first point of its deck has an x above the field."""
    return crook.with_body(own, deck=b"\x02" + b"\xff" * 32 + proved(crook).deck[SIZE:])


@dataclass
class Unmixed(Strategy):
    """Prove a permutation of its choice, the same each time, and re-encrypt every card with 1, visible to all."""

    order: Callable[[int], Sequence[int]]
    done: dict[int, Contribution] = field(default_factory=dict[int, Contribution])

    def instead(self, crook: Byzantine, _own: Contribution) -> bool:
        """See Strategy. Its own match takes it as the others' do."""
        match, step = crook.match, crook.match.number
        if match.kind != "shuffle" or step in self.done:
            return False
        before, pk = tuple(match.game.deck.mixing), match.game.joint_key
        permutation = tuple(self.order(len(before)))
        after = tuple(reencrypt(before[at], pk, 1) for at in permutation)
        proof = prove_shuffle(before, after, pk, permutation, (1,) * len(before), crook.at, crook.randomness)
        own = self.done[step] = crook.made("shuffle", ShuffleBody(encode_deck(after), proof))
        match.receive(own)
        crook.publish(own)
        return True


def shuffles_out_of_turn(crook: Byzantine) -> None:
    """Shuffles and proves it when another seat is to shuffle."""
    crook.publish(crook.made("shuffle", proved(crook)))


# Shares.


def shares_due(crook: Byzantine) -> list[int]:
    """Return the deck positions that it owes shares for."""
    game = crook.match.game
    if crook.match.kind == "draw":
        return [game.deck.drawn]
    return positions_of_others(game, crook.number)


def of_other_cards(crook: Byzantine, own: Contribution) -> Contribution:
    """Shares of the cards after those that are due, with the right proof for them."""
    return crook.with_shares(own, crook.shares([position + 1 for position in shares_due(crook)]))


def of_another_secret(crook: Byzantine, own: Contribution) -> Contribution:
    """Shares by another secret than its key's, proved with that secret."""
    return crook.with_shares(own, crook.shares(shares_due(crook), secret=77))


def one_share_wrong(crook: Byzantine, own: Contribution) -> Contribution:
    """One of its shares is moved by G, and the proof is an honest prover's for that statement."""
    game, secret = crook.match.game, crook.seat.release()
    cards = [(position, game.deck.ciphertexts[position].a) for position in shares_due(crook)]
    shares = [share(secret, a, crook.randomness) for _, a in cards]
    shares[-1] = add(shares[-1], G)
    return crook.with_body(own, shares=encode_points(shares), proof=crook.proved(cards, shares, None, secret))


def two_shares_exchanged(crook: Byzantine, own: Contribution) -> Contribution:
    """The last two shares are exchanged, under the proof of the right order."""
    body = crook.shares(shares_due(crook))
    rest, one, two = (body.shares[: -2 * SIZE], body.shares[-2 * SIZE : -SIZE], body.shares[-SIZE:])
    return crook.with_body(own, shares=rest + two + one, proof=body.proof)


def proved_elsewhere(crook: Byzantine, own: Contribution) -> Contribution:
    """The right shares, with a proof made for the step before."""
    return crook.with_shares(own, crook.shares(shares_due(crook), crook.elsewhere(step=-1)))


def too_few(crook: Byzantine, own: Contribution) -> Contribution:
    """All due shares but one, with their proof."""
    return crook.with_shares(own, crook.shares(shares_due(crook)[1:]))


def infinite_share(crook: Byzantine, own: Contribution) -> Contribution:
    """A share of 33 zero bytes."""
    body = crook.shares(shares_due(crook))
    return crook.with_body(own, shares=bytes(SIZE) + body.shares[SIZE:], proof=body.proof)


def _shuffle(name: str, change: Change) -> Adversary:
    what = f"shuffles falsely, with an honest prover's proof: {doing(change)}"
    return instead(
        name, _STATEMENT, "shuffle", lambda crook, _: crook.made("shuffle", proved(crook, change)), _PROOF, what=what
    )


def _bound(place: str, step: int = 0, seat: int = 0, game: bytes = b"", prev: bytes = b"") -> Adversary:
    def forge(crook: Byzantine, _own: Contribution) -> Contribution:
        return crook.made("shuffle", proved(crook, at=crook.elsewhere(step, seat, game, prev)))

    name, what = f"shuffle proof of another {place}", f"shuffles, and binds the proof to another {place}"
    return instead(name, _BOUND, "shuffle", forge, _PROOF, what=what)


DECKS = (
    _shuffle("card swapped in", card_swapped_in),
    _shuffle("card of another deck", card_of_another_deck),
    _shuffle("card twice", card_twice),
    _shuffle("ciphertext twice", same_ciphertext_twice),
    _shuffle("linear map", linear_map),
    _shuffle("sum kept", sum_kept),
    _shuffle("deck doubled", doubled),
    _shuffle("halves swapped", halves_swapped),
    instead("one card fewer", BYTES, "shuffle", one_card_fewer, "points take"),
    instead("deck off the field", BYTES, "shuffle", off_the_field, "not a point"),
    Adversary(
        "shuffle of the open deck",
        "one party shuffles for all",
        doing(open_deck),
        lambda: Instead("shuffle", open_deck),
        SETUP,
        seat=2,
        reason=_PROOF,
    ),
    Adversary(
        "shuffle in another's place",
        "one party shuffles for all",
        doing(shuffles_out_of_turn),
        lambda: Once(shuffles_out_of_turn, while_others_owe("shuffle")),
        SETUP,
        reason="not its step",
    ),
    _bound("step", step=1),
    _bound("seat", seat=1),
    _bound("game", game=bytes(32)),
    _bound("past", prev=bytes(32)),
    Adversary(
        "identity permutation",
        "proof that leaks the permutation",
        "keeps the order of the deck, visible to all: allowed, and hidden by any other shuffle",
        lambda: Unmixed(range),
        HARMLESS,
    ),
    Adversary(
        "same permutation again",
        "biased permutation",
        "reverses the deck at each shuffle, visible to all: allowed, and hidden by any other shuffle",
        lambda: Unmixed(lambda count: range(count)[::-1]),
        always(NO_EFFECT, 2, 4),
    ),
    instead("shares of other cards", REPLAY, "deal", of_other_cards, "share proof"),
    instead("shares by another secret", REPLAY, "deal", of_another_secret, "share proof"),
    instead("one share wrong", REPLAY, "deal", one_share_wrong, "share proof"),
    instead("shares exchanged", REPLAY, "deal", two_shares_exchanged, "share proof"),
    instead("share proof of another step", REPLAY, "deal", proved_elsewhere, "share proof"),
    instead("too few shares", BYTES, "deal", too_few, "points take"),
    instead("share at infinity", BYTES, "deal", infinite_share, "not a point"),
    instead("draw share of another card", REPLAY, "draw", of_other_cards, "share proof"),
    instead("draw share by another secret", REPLAY, "draw", of_another_secret, "share proof"),
    instead("draw share proved elsewhere", REPLAY, "draw", proved_elsewhere, "share proof"),
    withholds("no shuffle", "shuffle", "never shuffles", ENDS),
    withholds("no shares in the deal", "deal", "never gives its shares of the others' cards", ENDS),
    withholds("no share in a draw", "draw", "never gives its share for a drawn card", WITHHELD),
)
