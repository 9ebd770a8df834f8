"""Vectors for decks and proofs of shuffles."""

from collections.abc import Sequence

from protocol.generator.stream import Stream
from protocol.generator.vectors import CONTEXT, OTHER_CONTEXTS, Vector, file_of, good, scalar, spoilt, with_part
from seqp2p.crypto.elgamal import Ciphertext, card_points, encode_deck, fresh_deck, reencrypt
from seqp2p.crypto.group import ORDER, G, Point, encode_point, encode_scalar, mul_base, random_scalar, sum_points
from seqp2p.crypto.shuffle import ShuffleProof, challenge, challenges, prove_shuffle, shuffle
from seqp2p.rules import CLASSIC

N = 4


def shuffles() -> Vector:
    """A deck of four cards, shuffled twice, and all that a cheat may try."""
    stream = Stream("shuffles")
    x = random_scalar(stream)
    pk = mul_base(x)
    points = card_points("classic", len(CLASSIC.deck))[:N]
    fresh = fresh_deck(pk, points)
    vectors = [good("fresh deck", "four cards", {"joint": pk, "cards": points}, {"deck": encode_deck(fresh)})]
    deck: Sequence[Ciphertext] = fresh
    for name in ("of a fresh deck", "of a shuffled deck"):
        shuffled, permutation, rerandomisers = shuffle(deck, pk, stream)
        proof = prove_shuffle(deck, shuffled, pk, permutation, rerandomisers, CONTEXT, stream)
        given = _given(deck, shuffled, encode_point(pk), proof)
        secret = {"permutation": permutation, "rerandomisers": [scalar(r) for r in rerandomisers], "x": scalar(x)}
        vectors.append(good("shuffle proof", name, given, _asked(deck, shuffled, proof, pk), secret))
        before, deck = deck, shuffled
    vectors += _wrong(vectors[-1], before, deck, proof)
    (alone,) = fresh_deck(pk, points[:1])
    again = reencrypt(alone, pk, r := random_scalar(stream))
    proof = prove_shuffle([alone], [again], pk, [0], [r], CONTEXT, stream)
    given = _given([alone], [again], encode_point(pk), proof)
    vectors.append(good("shuffle proof", "of one card", given, _asked([alone], [again], proof, pk)))
    return file_of("Decks of ciphertexts and proofs of shuffles.", vectors)


def _given(deck: Sequence[Ciphertext], shuffled: Sequence[Ciphertext], pk: bytes, proof: bytes) -> dict[str, object]:
    decks = {"deck": encode_deck(deck), "shuffled": encode_deck(shuffled)}
    return {"context": CONTEXT, "joint": pk, **decks, "proof": proof}


def _asked(deck: Sequence[Ciphertext], shuffled: Sequence[Ciphertext], proof: bytes, pk: Point) -> dict[str, object]:
    parts = ShuffleProof.decode(proof, len(deck))
    u, oracle = challenges(deck, shuffled, pk, parts.c, CONTEXT)
    c = challenge(oracle, parts.c_hat, parts.t, parts.t_hat)
    return {"u": [weight.to_bytes(16, "big") for weight in u], "challenge": c.to_bytes(32, "big")}


def _wrong(like: Vector, deck: Sequence[Ciphertext], shuffled: Sequence[Ciphertext], proof: bytes) -> list[Vector]:
    def refused(what: str, failure: str = "proof", **changed: object) -> Vector:
        return spoilt(like, what, failure, **changed)

    swapped = [shuffled[1], shuffled[0], *shuffled[2:]]
    halves = [Ciphertext(shuffled[0].b, shuffled[0].a), *shuffled[1:]]
    copied = [shuffled[1], *shuffled[1:]]
    # The cards of the whole deck add up as before: only the proof of a permutation shows it.
    moved = [
        Ciphertext(sum_points([shuffled[0].a, G]), shuffled[0].b),
        Ciphertext(sum_points([shuffled[1].a, mul_base(-1)]), shuffled[1].b),
        *shuffled[2:],
    ]
    return [
        refused("two cards swapped", shuffled=encode_deck(swapped)),
        refused("a and b of a card swapped", shuffled=encode_deck(halves)),
        refused("a card twice", shuffled=encode_deck(copied)),
        refused("a card of the deck before", shuffled=encode_deck([deck[0], *shuffled[1:]])),
        refused("a card moved into another", shuffled=encode_deck(moved)),
        refused("the deck before is another", deck=encode_deck([deck[1], deck[0], *deck[2:]])),
        refused("another joint key", joint=encode_point(G)),
        *(refused(f"another {what}", context=context) for what, context in OTHER_CONTEXTS.items()),
        *_changed_parts(like, proof),
        refused("a byte more", "encoding", proof=proof + b"\0"),
        refused("a byte less", "encoding", proof=proof[:-1]),
        refused("the proof of three cards", "encoding", proof=proof[:-163]),
        refused("a card less", "encoding", shuffled=encode_deck(shuffled[:-1])),
        refused("c_1 is no point", "encoding", proof=b"\5" + proof[1:]),
        refused("the last scalar is q", "encoding", proof=proof[:-32] + ORDER.to_bytes(32, "big")),
        refused("the last scalar is 0", "encoding", proof=proof[:-32] + bytes(32)),
    ]


def _changed_parts(like: Vector, proof: bytes) -> list[Vector]:
    """One vector for every point and scalar of the proof, with this one changed."""
    parts = ShuffleProof.decode(proof, N)
    others = {
        f"{name}[{at}]": encode_point(sum_points([point, G]))
        for name, points in (("c", parts.c), ("c_hat", parts.c_hat), ("t", parts.t), ("t_hat", parts.t_hat))
        for at, point in enumerate(points)
    } | {
        f"{name}[{at}]": encode_scalar(value % (ORDER - 1) + 1)
        for name, scalars in (("s", parts.s), ("s_hat", parts.s_hat), ("s_prime", parts.s_prime))
        for at, value in enumerate(scalars)
    }
    vectors, start = [], 0
    for name, other in others.items():
        vectors.append(spoilt(like, f"{name} changed", "proof", proof=with_part(proof, start, other)))
        start += len(other)
    return vectors
