"""Shuffling a deck of ciphertexts: permute, re-encrypt, and prove it, after Terelius and Wikström.

Source: Haenni, Locher, Koenig, Dubuis, "Pseudo-code algorithms for verifiable re-encryption mix-nets" (FC 2017
workshops), algorithms GenShuffleProof and CheckShuffleProof, in additive notation. Output card i is input card
ψ(i) re-encrypted with r'_ψ(i). G is the base point; H, H_1 … H_N are points of unknown logarithm.

    c_ψ(i) = r_ψ(i)·G + H_i                        commitment to ψ
    u_1 … u_N                                      128-bit weights from the oracle; u'_i = u_ψ(i)
    ĉ_0 = H,  ĉ_i = r̂_i·G + u'_i·ĉ_(i−1)            the chain: its end shows Πu'_i = Πu_i
    t_1, t_2, t_3, t_4a, t_4b, t̂_1 … t̂_N           commitments to ω_1 … ω_4, ω̂_i, ω'_i, see `_commit`
    c                                              the challenge
    s_1 … s_4, ŝ_i, s'_i                           responses ω + c·secret, see `_respond`

The verifier's equations are in `shuffle_equations`. The proof carries the commitments and not the challenge, so they
are linear. Its 163·N + 293 bytes are points of 33 and scalars of 32:

    c_1 … c_N ‖ ĉ_1 … ĉ_N ‖ t_1 ‖ t_2 ‖ t_3 ‖ t_4a ‖ t_4b ‖ t̂_1 … t̂_N ‖ s_1 ‖ s_2 ‖ s_3 ‖ s_4 ‖ ŝ_1 … ŝ_N ‖ s'_1 … s'_N

The oracle absorbs, after its context: N, PK, the deck, the shuffled deck (66·N bytes each), all c_j (33·N); then
come the weights; then all ĉ_i (33·N), t_1 … t_4b (165), all t̂_i (33·N); then comes the challenge.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import accumulate, chain

from seqp2p.crypto.elgamal import Ciphertext, encode_deck, reencrypt
from seqp2p.crypto.equation import Bracket, Check, Equation, require
from seqp2p.crypto.errors import CryptoError, require_size
from seqp2p.crypto.group import (
    ORDER,
    POINT_SIZE,
    SCALAR_SIZE,
    G,
    Point,
    Randomness,
    Term,
    add,
    combine,
    decode_points,
    decode_scalar,
    encode_point,
    encode_points,
    encode_scalar,
    hash_to_point,
    mul_base,
    random_below,
    random_scalar,
    sum_points,
)
from seqp2p.crypto.hashing import GENERATOR, SHUFFLE_NONCE, SHUFFLE_PROOF, number
from seqp2p.crypto.oracle import Context, Oracle, nonces
from seqp2p.i18n import message

Deck = Sequence[Ciphertext]
Scalars = tuple[int, ...]
Points = tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class ShuffleProof:
    """The parts of a proof; `t` is (t_1, t_2, t_3, t_4a, t_4b) and `s` is (s_1, s_2, s_3, s_4)."""

    c: Points
    c_hat: Points
    t: Points
    t_hat: Points
    s: Scalars
    s_hat: Scalars
    s_prime: Scalars

    def encode(self) -> bytes:
        """Return the bytes as in the module's docstring. Raises CryptoError for infinity and for a scalar of zero."""
        points = encode_points((*self.c, *self.c_hat, *self.t, *self.t_hat))
        return points + b"".join(map(encode_scalar, chain(self.s, self.s_hat, self.s_prime)))

    @property
    def is_writable(self) -> bool:
        """True if `encode` accepts the proof: nearly always for drawn nonces."""
        points = chain(self.c, self.c_hat, self.t, self.t_hat)
        return not any(point.is_infinity for point in points) and all(chain(self.s, self.s_hat, self.s_prime))

    @classmethod
    def decode(cls, data: bytes, n: int) -> "ShuffleProof":
        """Return the proof for n cards from exactly proof_size(n) bytes. Raises CryptoError."""
        require_size(message("A shuffle proof for {cards} cards", cards=n), data, proof_size(n))
        middle = (3 * n + 5) * POINT_SIZE
        points = decode_points(data[:middle], 3 * n + 5)
        scalars = tuple(decode_scalar(data[i : i + SCALAR_SIZE]) for i in range(middle, len(data), SCALAR_SIZE))
        return cls(
            c=points[:n],
            c_hat=points[n : 2 * n],
            t=points[2 * n : 2 * n + 5],
            t_hat=points[2 * n + 5 :],
            s=scalars[:4],
            s_hat=scalars[4 : n + 4],
            s_prime=scalars[n + 4 :],
        )


@dataclass(frozen=True, slots=True, repr=False)
class _ShuffleSecrets:
    """The prover's secrets; never printed. Lists run over cards: r and r' by input, all else by output card."""

    permutation: Scalars
    rerandomisers: Scalars
    r: Scalars
    r_hat: Scalars
    omega: Scalars
    omega_hat: Scalars
    omega_prime: Scalars

    @classmethod
    def draw(
        cls, permutation: Sequence[int], rerandomisers: Sequence[int], oracle: Oracle, fresh: bytes
    ) -> "_ShuffleSecrets":
        n = len(permutation)
        secret = b"".join(chain(map(number, permutation), map(encode_scalar, rerandomisers)))
        drawn = nonces(SHUFFLE_NONCE, secret, oracle.digest(), fresh, 4 * n + 4)
        return cls(
            tuple(permutation),
            tuple(rerandomisers),
            r=drawn[:n],
            r_hat=drawn[n : 2 * n],
            omega=drawn[2 * n : 2 * n + 4],
            omega_hat=drawn[2 * n + 4 : 3 * n + 4],
            omega_prime=drawn[3 * n + 4 :],
        )


def shuffle(
    deck: Deck, pk: Point, randomness: Randomness
) -> tuple[tuple[Ciphertext, ...], tuple[int, ...], tuple[int, ...]]:
    """Return (deck', ψ, r') with deck'[i] = deck[ψ(i)] re-encrypted with r'[ψ(i)].

    ψ and r' are secrets: pass them to `prove_shuffle`, then forget them.
    Raises CryptoError for an empty deck, or if the key or a point of the deck is infinity.
    """
    if not deck:
        raise CryptoError(message("There is no card to shuffle."))
    encode_point(pk)
    encode_deck(deck)
    permutation = random_permutation(len(deck), randomness)
    drawn = [_fresh(card, pk, randomness) for card in deck]
    return tuple(drawn[j][0] for j in permutation), permutation, tuple(r for _, r in drawn)


def shuffle_and_prove(
    deck: Deck, pk: Point, context: Context, randomness: Randomness
) -> tuple[tuple[Ciphertext, ...], bytes]:
    """Return a shuffled deck and its proof, for `verify_shuffle`. Raises CryptoError as `shuffle` does."""
    shuffled, permutation, rerandomisers = shuffle(deck, pk, randomness)
    return shuffled, prove_shuffle(deck, shuffled, pk, permutation, rerandomisers, context, randomness)


def prove_shuffle(
    deck: Deck,
    shuffled: Deck,
    pk: Point,
    permutation: Sequence[int],
    rerandomisers: Sequence[int],
    context: Context,
    randomness: Randomness,
) -> bytes:
    """Return 163·N + 293 bytes that prove `shuffled` to be `deck`, permuted and re-encrypted, and reveal nothing else.

    permutation and rerandomisers come from `shuffle`: shuffled[i] is deck[ψ(i)] with r'[ψ(i)].
    Raises CryptoError if a point of the statement is infinity, or the decks are empty or of different length.
    """
    oracle = _oracle(deck, shuffled, pk, context)
    while True:
        secrets = _ShuffleSecrets.draw(permutation, rerandomisers, oracle, randomness(32))
        proof = _prove(deck, shuffled, pk, secrets, context)
        if proof.is_writable:
            return proof.encode()


def verify_shuffle(
    deck: Deck, shuffled: Deck, pk: Point, proof: bytes, context: Context, check: Check = require
) -> None:
    """Raise CryptoError, naming the field or the equation, unless `shuffled` is a shuffle of `deck`."""
    check(shuffle_equations(deck, shuffled, pk, proof, context))


def shuffle_equations(deck: Deck, shuffled: Deck, pk: Point, proof: bytes, context: Context) -> tuple[Equation, ...]:
    """Return the N + 5 equations that must hold.

    Raises CryptoError if the proof does not decode, a point of the statement is infinity, or the decks are empty or
    of different length.
    """
    n = len(deck)
    parts = ShuffleProof.decode(proof, n)
    u, oracle = challenges(deck, shuffled, pk, parts.c, context)
    c = challenge(oracle, parts.c_hat, parts.t, parts.t_hat)
    return *_whole_equations(deck, shuffled, pk, parts, u, c), *_chain_equations(parts, c)


def challenges(deck: Deck, shuffled: Deck, pk: Point, c: Points, context: Context) -> tuple[Scalars, Oracle]:
    """Return u_1 … u_N, and the oracle that has absorbed the statement and the commitment to the permutation."""
    oracle = _oracle(deck, shuffled, pk, context)
    oracle.absorb(_join(c))
    return oracle.weights(len(deck)), oracle


def challenge(oracle: Oracle, c_hat: Points, t: Points, t_hat: Points) -> int:
    """Return the challenge c, from the oracle of `challenges` and the later commitments."""
    return oracle.challenge(_join(c_hat), _join(t), _join(t_hat))


def proof_size(n: int) -> int:
    return (3 * n + 5) * POINT_SIZE + (2 * n + 4) * SCALAR_SIZE


@lru_cache(maxsize=512)
def generator(index: int) -> Point:
    """Return H for 0, H_i for i ≥ 1."""
    return hash_to_point(GENERATOR, index)


@lru_cache(maxsize=64)
def generators(n: int) -> Points:
    """Return H_1 … H_n."""
    return tuple(generator(i) for i in range(1, n + 1))


def random_permutation(n: int, randomness: Randomness) -> tuple[int, ...]:
    """Return a uniform permutation of 0 … n−1, by Fisher and Yates (Knuth, TAOCP 2, 3.4.2 P) with rejection."""
    order = list(range(n))
    for i in range(n - 1, 0, -1):
        j = random_below(i + 1, randomness)
        order[i], order[j] = order[j], order[i]
    return tuple(order)


def _fresh(card: Ciphertext, pk: Point, randomness: Randomness) -> tuple[Ciphertext, int]:
    while True:
        r = random_scalar(randomness)
        again = reencrypt(card, pk, r)
        if not (again.a.is_infinity or again.b.is_infinity):
            return again, r


def _prove(deck: Deck, shuffled: Deck, pk: Point, secrets: _ShuffleSecrets, context: Context) -> ShuffleProof:
    n = len(deck)
    position = sorted(range(n), key=secrets.permutation.__getitem__)  # the inverse of ψ
    H = generators(n)
    c = tuple(add(mul_base(secrets.r[j]), H[position[j]]) for j in range(n))
    u, oracle = challenges(deck, shuffled, pk, c, context)
    u_prime = tuple(u[j] for j in secrets.permutation)
    c_hat, t_hat = _links(u_prime, secrets)
    t = _commit(shuffled, pk, secrets)
    s, s_hat, s_prime = _respond(challenge(oracle, c_hat, t, t_hat), u, u_prime, secrets)
    return ShuffleProof(c, c_hat, t, t_hat, s, s_hat, s_prime)


def _links(u_prime: Scalars, secrets: _ShuffleSecrets) -> tuple[Points, Points]:
    """Return ĉ_i = r̂_i·G + u'_i·ĉ_(i−1), and t̂_i = ω̂_i·G + ω'_i·ĉ_(i−1)."""
    links = [generator(0)]
    for r_hat, weight in zip(secrets.r_hat, u_prime, strict=True):
        links.append(combine((r_hat, G), (weight, links[-1])))
    masks = zip(secrets.omega_hat, secrets.omega_prime, links[:-1], strict=True)
    return tuple(links[1:]), tuple(combine((omega_hat, G), (omega, link)) for omega_hat, omega, link in masks)


def _commit(shuffled: Deck, pk: Point, secrets: _ShuffleSecrets) -> Points:
    omega_1, omega_2, omega_3, omega_4 = secrets.omega
    omega_prime = secrets.omega_prime
    return (
        mul_base(omega_1),
        mul_base(omega_2),
        combine((omega_3, G), *_pairs(omega_prime, generators(len(shuffled)))),
        combine((-omega_4, G), *_pairs(omega_prime, [card.a for card in shuffled])),
        combine((-omega_4, pk), *_pairs(omega_prime, [card.b for card in shuffled])),
    )


def _respond(c: int, u: Scalars, u_prime: Scalars, secrets: _ShuffleSecrets) -> tuple[Scalars, Scalars, Scalars]:
    """Return (s_1 … s_4), ŝ and s'. Each secret of the whole permutation is a sum over all cards."""
    # v_N = 1, v_(i−1) = u'_i·v_i: the rest of the chain after link i.
    v = tuple(accumulate(u_prime[:0:-1], lambda left, right: left * right % ORDER, initial=1))[::-1]
    whole = (sum(secrets.r), _inner(secrets.r_hat, v), _inner(secrets.r, u), _inner(secrets.rerandomisers, u))
    return (
        _responses(secrets.omega, c, whole),
        _responses(secrets.omega_hat, c, secrets.r_hat),
        _responses(secrets.omega_prime, c, u_prime),
    )


def _whole_equations(
    deck: Deck, shuffled: Deck, pk: Point, proof: ShuffleProof, u: Scalars, c: int
) -> tuple[Equation, ...]:
    n = len(deck)
    s_1, s_2, s_3, s_4 = proof.s
    t_1, t_2, t_3, t_4a, t_4b = proof.t
    c_hat_n, H, sum_H = proof.c_hat[-1], generator(0), _sum_of_generators(n)
    u_product = reduce(lambda left, right: left * right % ORDER, u)

    def weighted(points: Sequence[Point], points_after: Sequence[Point], response: Term) -> tuple[Bracket, Bracket]:
        return Bracket(1, (response, *_pairs(proof.s_prime, points_after))), Bracket(-c, _pairs(u, points))

    c_sum = _pairs((1,) * n, proof.c)
    a, a_after = [card.a for card in deck], [card.a for card in shuffled]
    b, b_after = [card.b for card in deck], [card.b for card in shuffled]
    return (
        # Each row of the committed matrix has the sum 1.
        _equation("t_1", t_1, Bracket(1, ((s_1, G),)), Bracket(-c, (*c_sum, (-1, sum_H)))),
        # The weights of the chain multiply to the product of all weights …
        _equation("t_2", t_2, Bracket(1, ((s_2, G),)), Bracket(-c, ((1, c_hat_n), (-u_product, H)))),
        # … and the committed matrix maps the weights to them: so it is a permutation.
        _equation("t_3", t_3, *weighted(proof.c, generators(n), (s_3, G))),
        # The same weights take the deck to the shuffled deck.
        _equation("t_4a", t_4a, *weighted(a, a_after, (-s_4, G))),
        _equation("t_4b", t_4b, *weighted(b, b_after, (-s_4, pk))),
    )


def _chain_equations(proof: ShuffleProof, c: int) -> tuple[Equation, ...]:
    """Return t̂_i = ŝ_i·G + s'_i·ĉ_(i−1) − c·ĉ_i, for each i."""
    links = (generator(0), *proof.c_hat)
    return tuple(
        _equation(f"t_hat_{i + 1}", t_hat, Bracket(1, ((s_hat, G), (s_prime, links[i]), (-c, links[i + 1]))))
        for i, (t_hat, s_hat, s_prime) in enumerate(zip(proof.t_hat, proof.s_hat, proof.s_prime, strict=True))
    )


def _equation(name: str, commitment: Point, *brackets: Bracket) -> Equation:
    return Equation(_name(name), commitment, brackets)


@lru_cache(maxsize=512)
def _name(name: str) -> str:
    return message("{name} of the shuffle proof", name=name)


def _oracle(deck: Deck, shuffled: Deck, pk: Point, context: Context) -> Oracle:
    if not deck or len(deck) != len(shuffled):
        counts = {"before": len(deck), "after": len(shuffled)}
        why = message("A shuffle keeps the number of cards, at least one: {before} before, {after} after.", **counts)
        raise CryptoError(why)
    oracle = Oracle(SHUFFLE_PROOF, context)
    oracle.absorb(number(len(deck)), encode_point(pk), encode_deck(deck), encode_deck(shuffled))
    return oracle


def _join(points: Points) -> bytes:
    # Infinity is no error here: the prover draws again before it writes.
    return b"".join(point.encoded for point in points)


def _pairs(scalars: Scalars, points: Sequence[Point]) -> tuple[Term, ...]:
    return tuple(zip(scalars, points, strict=True))


def _inner(left: Scalars, right: Scalars) -> int:
    return sum(a * b for a, b in zip(left, right, strict=True)) % ORDER


def _responses(omega: Scalars, c: int, secret: Scalars) -> Scalars:
    return tuple((w + c * x) % ORDER for w, x in zip(omega, secret, strict=True))


@lru_cache(maxsize=64)
def _sum_of_generators(n: int) -> Point:
    return sum_points(generators(n))
