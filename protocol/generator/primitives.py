"""Vectors for hashing, the group, the oracle, keys, shares, identities, characters and words."""

import hashlib
from collections.abc import Collection
from itertools import accumulate

from spake2.ed25519_basic import Base, bytes_to_unknown_group_element

from protocol.generator.stream import Stream, identity
from protocol.generator.vectors import (
    CONTEXT,
    OTHER_CONTEXTS,
    Vector,
    bad,
    file_of,
    flip,
    good,
    scalar,
    spoilt,
    with_part,
)
from seqp2p.crypto.elgamal import Ciphertext, card_points, encode_deck, fresh_deck, joint_key, reencrypt
from seqp2p.crypto.group import (
    ORDER,
    G,
    Point,
    encode_point,
    encode_points,
    hash_to_point,
    mul,
    mul_base,
    neg,
    random_scalar,
    sub,
    sum_points,
)
from seqp2p.crypto.hashing import CARD, CONTRIBUTION, FILE, GENERATOR, KEY_PROOF, label_bytes, tagged_hash
from seqp2p.crypto.identity import fingerprint, sign
from seqp2p.crypto.oracle import Oracle
from seqp2p.crypto.schnorr import key_commitment, prove_key, prove_shares, share
from seqp2p.lobby.code import WORDS, safety_words
from seqp2p.match.text import HIDDEN, MARKS
from seqp2p.rules import CLASSIC, VARIANTS

FIELD = 2**256 - 2**32 - 977
ED_P = 2**255 - 19
ED_L = 2**252 + 27742317777372353535851937790883648493
ED_ORDER_8 = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7


def hashes() -> Vector:
    """Tagged hashes, points from hashes, and bytes that are no point or scalar."""
    cases: list[tuple[str, tuple[bytes, ...]]] = [("seqp2p/1 step", ()), ("seqp2p/1 step", (b"",))]
    cases += [("seqp2p/1 step", (b"a", b"bc")), ("seqp2p/1 step", (b"ab", b"c")), ("seqp2p/1 table", (bytes(300),))]
    vectors = [
        good("tagged hash", f"{label} of {[len(item) for item in items]} bytes", {"label": label, "items": items},
             {"hash": tagged_hash(label, *items)})
        for label, items in cases
    ]  # fmt: skip
    for index in (*range(6), 104):
        name = f"H_{index}" if index else "H"
        vectors.append(_hashed_point(f"generator {name}", GENERATOR, index))
    for variant in VARIANTS.values():
        vectors += [
            _hashed_point(f"card {index} of {variant.name}", f"{CARD} {variant.name}", index)
            for index in (0, 1, 2, len(variant.deck) - 1)
        ]
    return file_of(
        "Hashes with labels, points from hashes, encodings of points and scalars.", [*vectors, *_encodings()]
    )


def _hashed_point(name: str, label: str, index: int) -> Vector:
    return good("hash to point", name, {"label": label, "index": index}, {"point": hash_to_point(label, index)})


def _encodings() -> list[Vector]:
    x = encode_point(G)[1:]
    not_on_curve = next(candidate for k in range(1, 99) if not _is_x(candidate := k.to_bytes(32, "big")))
    above_p = (FIELD + 1).to_bytes(32, "big")
    scalars = {"1": 1, "q - 1": ORDER - 1, "2^128": 1 << 128}
    bad_scalars = {"zero": 0, "q": ORDER, "q + 1": ORDER + 1, "2^256 - 1": 2**256 - 1}
    return [
        good("point", "G", {"bytes": b"\2" + x}),
        good("point", "-G", {"bytes": b"\3" + x}),
        bad("point", "infinity as one byte", "encoding", {"bytes": b"\0"}),
        bad("point", "33 zero bytes", "encoding", {"bytes": bytes(33)}),
        bad("point", "an uncompressed point", "encoding", {"bytes": b"\4" + x + bytes(32)}),
        bad("point", "a hybrid prefix", "encoding", {"bytes": b"\6" + x}),
        bad("point", "x not on the curve", "encoding", {"bytes": b"\2" + not_on_curve}),
        bad("point", "x = p + 1, where 1 is on the curve", "encoding", {"bytes": b"\2" + above_p}),
        bad("point", "x = 2^256 - 1", "encoding", {"bytes": b"\2" + b"\xff" * 32}),
        bad("point", "32 bytes", "encoding", {"bytes": b"\2" + x[:-1]}),
        bad("point", "34 bytes", "encoding", {"bytes": b"\2" + x + b"\0"}),
        *(good("scalar", name, {"bytes": value.to_bytes(32, "big")}) for name, value in scalars.items()),
        *(bad("scalar", name, "encoding", {"bytes": value.to_bytes(32, "big")}) for name, value in bad_scalars.items()),
        bad("scalar", "31 bytes", "encoding", {"bytes": b"\1" * 31}),
    ]


def _is_x(x: bytes) -> bool:
    value = int.from_bytes(x, "big")
    return pow((value**3 + 7) % FIELD, (FIELD - 1) // 2, FIELD) == 1


def oracle() -> Vector:
    """Challenges and weights."""
    vectors = []
    for name, context in {"as given": CONTEXT, **{f"another {what}": c for what, c in OTHER_CONTEXTS.items()}}.items():
        asked, absorbed = Oracle(KEY_PROOF, context), [b"first", b"", b"second"]
        asked.absorb(*absorbed[:2])
        asked.absorb(absorbed[2])
        given = {"label": KEY_PROOF, "context": context, "absorbed": absorbed, "commitments": [b"t"], "weights": 3}
        weights = [weight.to_bytes(16, "big") for weight in asked.weights(3)]
        out = {"challenge": asked.challenge(b"t").to_bytes(32, "big"), "weights": weights}
        vectors.append(good("oracle", name, given, out))
    return file_of("The oracle: challenge after commitments, and weights without them.", vectors)


def keys() -> Vector:
    """Commitments to game keys, proofs of knowledge, the joint key."""
    stream = Stream("keys")
    x, other = random_scalar(stream), random_scalar(stream)
    X, nonce = mul_base(x), stream(32)
    proof = prove_key(x, X, CONTEXT, stream)
    commitment = {"game": CONTEXT.game, "seat": 2, "key": X, "nonce": nonce}
    proved = good("key proof", "seat 2", {"context": CONTEXT, "key": X, "proof": proof}, secret={"x": scalar(x)})
    vectors = [
        good("key commitment", "seat 2", commitment, {"commitment": _commitment(2, X, nonce)}),
        good("key commitment", "seat 3", commitment | {"seat": 3}, {"commitment": _commitment(3, X, nonce)}),
        proved,
        spoilt(proved, "another key", "proof", key=mul_base(other)),
        spoilt(proved, "-X", "proof", key=neg(X)),
        *(spoilt(proved, f"another {what}", "proof", context=context) for what, context in OTHER_CONTEXTS.items()),
        spoilt(proved, "-T", "proof", proof=flip(proof, 0)),
        spoilt(proved, "T is no point", "encoding", proof=flip(proof, 0, 2)),
        spoilt(proved, "s + 1", "proof", proof=proof[:33] + _plus_one(proof[33:])),
        spoilt(proved, "s = 0", "encoding", proof=proof[:33] + bytes(32)),
        spoilt(proved, "s = q", "encoding", proof=proof[:33] + ORDER.to_bytes(32, "big")),
        spoilt(proved, "64 bytes", "encoding", proof=proof[:-1]),
        spoilt(proved, "66 bytes", "encoding", proof=proof + b"\0"),
        good("joint key", "two keys", {"keys": [X, mul_base(other)]}, {"joint": mul_base(x + other)}),
        bad("joint key", "a key twice", "statement", {"keys": [X, mul_base(other), X]}),
        bad("joint key", "a sum of infinity", "statement", {"keys": [X, mul_base(other), mul_base(-x - other)]}),
    ]
    return file_of("Game keys: what is committed to, what is proved, what they add up to.", vectors)


def _commitment(seat: int, key: Point, nonce: bytes) -> bytes:
    return key_commitment(CONTEXT.game, seat, encode_point(key), nonce)


def _plus_one(data: bytes) -> bytes:
    return ((int.from_bytes(data, "big") + 1) % ORDER).to_bytes(32, "big")


def shares() -> Vector:
    """Decryption shares with single and batched proofs, and the card that all shares open."""
    stream = Stream("shares")
    x = random_scalar(stream)
    X = mul_base(x)
    deck = [(position, mul_base(random_scalar(stream))) for position in (3, 17, 40)]
    vectors: list[Vector] = []
    for count in (1, 3):
        cards = deck[:count]
        own = [share(x, a, stream) for _, a in cards]
        proof = prove_shares(x, X, cards, own, CONTEXT, stream)
        vectors += _share_vectors(f"{count} cards" if count > 1 else "1 card", x, cards, own, proof)
    return file_of("Decryption shares and their proofs.", [*vectors, *_opened()])


def _share_vectors(name: str, x: int, cards: list[tuple[int, Point]], own: list[Point], proof: bytes) -> list[Vector]:
    def listed(cards: list[tuple[int, Point]]) -> list[dict[str, object]]:
        return [{"position": position, "a": a} for position, a in cards]

    (position, a), rest = cards[0], cards[1:]
    shares = encode_points(own)
    given = {"context": CONTEXT, "key": mul_base(x), "cards": listed(cards), "shares": shares, "proof": proof}
    like = good("share proof", name, given, secret={"x": scalar(x)})
    vectors = [
        like,
        spoilt(like, "a wrong share", "proof", shares=encode_points([mul(own[0], 2), *own[1:]])),
        spoilt(like, "another card's share", "proof", cards=listed([(position, mul(a, 3)), *rest])),
        spoilt(like, "another position", "proof", cards=listed([(position + 1, a), *rest])),
        spoilt(like, "another key", "proof", key=mul_base(x + 1)),
        *(spoilt(like, f"another {part}", "proof", context=context) for part, context in OTHER_CONTEXTS.items()),
        spoilt(like, "T_1 and T_2 swapped", "proof", proof=proof[33:66] + proof[:33] + proof[66:]),
        spoilt(like, "s + 1", "proof", proof=proof[:66] + _plus_one(proof[66:])),
        spoilt(like, "s = 0", "encoding", proof=proof[:66] + bytes(32)),
        spoilt(like, "s = 2^256 - 1", "encoding", proof=proof[:66] + b"\xff" * 32),
        spoilt(like, "T_1 is no point", "encoding", proof=with_part(proof, 0, b"\7")),
        spoilt(like, "a share is no point", "encoding", shares=bytes(33) + encode_points(own[1:])),
        spoilt(like, "a byte more", "encoding", proof=proof + b"\0"),
        spoilt(like, "a share more", "encoding", shares=encode_points([*own, own[0]])),
    ]
    if rest:
        # Right on the average: what batching without weights would let pass.
        shifted = [sum_points([own[0], G]), sub(own[1], G), *own[2:]]
        vectors += [
            spoilt(like, "two shares swapped", "proof", shares=encode_points([own[1], own[0], *own[2:]])),
            spoilt(like, "wrong shares with the right sum", "proof", shares=encode_points(shifted)),
        ]
    return vectors


def _opened() -> list[Vector]:
    stream = Stream("opened")
    secrets = [random_scalar(stream) for _ in range(3)]
    pk = joint_key([mul_base(x) for x in secrets])
    points = card_points("classic", len(CLASSIC.deck))
    deck = [reencrypt(card, pk, random_scalar(stream)) for card in fresh_deck(pk, [points[5], points[99]])]
    deck.append(reencrypt(Ciphertext(G, sum_points([mul(points[0], 2), pk])), pk, 1))
    vectors = []
    for card, face in zip(deck, (5, 99, None), strict=True):
        given = {"variant": "classic", "card": encode_deck([card]), "shares": [mul(card.a, x) for x in secrets]}
        if face is None:
            vectors.append(bad("open card", "twice a card's point", "no card", given))
        else:
            vectors.append(good("open card", f"card {face}", given, {"physical": face}))
    return [*vectors, bad("open card", "a share is missing", "no card", given | {"shares": given["shares"][:2]})]


def identities() -> Vector:
    """Ed25519 keys and signatures, the fingerprint, and all that OpenSSL takes and a verifier must refuse."""
    ann = identity("ann")
    data = b"a payload"
    signature = sign(ann, CONTRIBUTION, data)
    s_plus_l = (int.from_bytes(signature[32:], "little") + ED_L).to_bytes(32, "little")
    one = (1).to_bytes(32, "little")
    small = {"0": 0, "1": 1, "-1": ED_P - 1, "of order 8": ED_ORDER_8, "of order 8, the other": ED_P - ED_ORDER_8}
    given = {"key": ann.public, "label": CONTRIBUTION, "data": data, "signature": signature}
    signed = good("signature", "ann", given, secret={"seed": ann.secret_bytes()})
    not_canonical = (ED_P + 2).to_bytes(32, "little")
    vectors = [
        signed,
        spoilt(signed, "other data", "signature", data=b"another payload"),
        spoilt(signed, "another label", "signature", label=FILE),
        spoilt(signed, "another key", "signature", key=identity("ben").public),
        spoilt(signed, "a bit of R", "signature", signature=flip(signature, 3)),
        spoilt(signed, "a bit of S", "signature", signature=flip(signature, 40)),
        spoilt(signed, "S + L", "encoding", signature=signature[:32] + s_plus_l),
        spoilt(signed, "63 bytes", "encoding", signature=signature[:-1]),
        spoilt(signed, "R of small order", "small order", signature=one + signature[32:]),
        spoilt(signed, "R not canonical", "encoding", signature=not_canonical + signature[32:]),
        spoilt(signed, "universal: key 1, R = 1, S = 0", "small order", key=one, signature=one + bytes(32)),
        good("fingerprint", "ann", {"key": ann.public}, {"fingerprint": fingerprint(ann.public)}),
        good("identity key", "ann", {"key": ann.public}),
        bad("identity key", "y = p", "encoding", {"key": ED_P.to_bytes(32, "little")}),
        bad("identity key", "y = p + 3", "encoding", {"key": (ED_P + 3).to_bytes(32, "little")}),
        bad("identity key", "31 bytes", "encoding", {"key": ann.public[:31]}),
        *_mixed_order(),
    ]
    for name, y in small.items():
        for sign_of_x in (0, 1):
            key = (y + (sign_of_x << 255)).to_bytes(32, "little")
            vectors.append(bad("identity key", f"y = {name}, sign {sign_of_x}", "small order", {"key": key}))
    return file_of("Identity keys and signatures.", vectors)


def _mixed_order() -> list[Vector]:
    """Return signatures of a key a·B + T, with T of order 8: R = r·B + n·T, S = r + h·a mod L.

    They hold iff h·T + n·T is the neutral element, h being reduced modulo L. With the cofactor all would hold.
    """
    small = bytes_to_unknown_group_element(ED_ORDER_8.to_bytes(32, "little"))
    multiples = list(accumulate([small] * 8, lambda sum_, point: sum_.add(point)))  # the last is the neutral element
    stream, data = Stream("a key of mixed order"), b"a payload"
    a = int.from_bytes(stream(32), "little") % ED_L
    key: bytes = Base.scalarmult(a).add(small).to_bytes()
    vectors = [good("identity key", "of mixed order", {"key": key})]
    for name, pure, holds in (("R of order L", True, True), ("R of mixed order", False, True), ("no", True, False)):
        while True:
            r, n = int.from_bytes(stream(32), "little") % ED_L, 7 if pure else stream(1)[0] % 7
            point = Base.scalarmult(r)
            big_r: bytes = (point if pure else point.add(multiples[n])).to_bytes()
            h = int.from_bytes(hashlib.sha512(big_r + key + label_bytes(CONTRIBUTION) + data).digest(), "little") % ED_L
            if ((h + n + 1) % 8 == 0) == holds:
                break
        signature = big_r + ((r + h * a) % ED_L).to_bytes(32, "little")
        given = {"key": key, "label": CONTRIBUTION, "data": data, "signature": signature}
        with_cofactor = bad("signature", "a key of mixed order: it holds with the cofactor alone", "signature", given)
        vectors.append(good("signature", f"a key of mixed order, {name}", given) if holds else with_cofactor)
    return vectors


def characters() -> Vector:
    """Return the code points that no text for others has, and the marks, of which a name has few."""
    hidden = {code for first, last in HIDDEN for code in range(first, last + 1)}
    vectors = [good("characters", name, {"list": name}, {"ranges": ranges(codes)})
               for name, codes in (("hidden", hidden), ("marks", MARKS))]  # fmt: skip
    return file_of("Hidden code points and marks, as ranges in hexadecimal digits, both ends included.", vectors)


def ranges(codes: Collection[int]) -> list[str]:
    """Return code points as ranges in ascending order: ``0300-034E``, or ``0670`` for one alone."""
    firsts = sorted(code for code in codes if code - 1 not in codes)
    lasts = sorted(code for code in codes if code + 1 not in codes)
    return [f"{a:04X}" if a == b else f"{a:04X}-{b:04X}" for a, b in zip(firsts, lasts, strict=True)]


def words() -> Vector:
    """Return the words of join codes, and safety words."""
    ann, ben = (identity(name).public for name in ("ann", "ben"))
    seed = Stream("safety words")(64)
    vectors = [good("words", "of join codes", {}, {"words": WORDS})]
    for name, keys in (("ann and ben", (ann, ben)), ("ben and ann", (ben, ann))):
        given = {"seed": seed, "keys": keys}
        vectors.append(good("safety words", name, given, {"words": safety_words(seed, *keys)}))
    return file_of("The words of join codes, in their order, and safety words.", vectors)
