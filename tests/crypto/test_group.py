import secrets
from collections import Counter
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqp2p.crypto import group
from seqp2p.crypto.elgamal import Ciphertext, card_points, decode_deck, encode_deck, fresh_deck, joint_key, reencrypt
from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.group import INFINITY, ORDER, G, Point, add, encode_point, mul, mul_base, neg, sum_points
from tests.crypto.tools import decrypt, point, stream

FIELD = 2**256 - 2**32 - 977
scalars = st.one_of(st.sampled_from([0, 1, 2, -1, ORDER - 1, ORDER, ORDER + 1, 2**128]), st.integers(-(2**256), 2**256))
points = st.one_of(st.sampled_from([INFINITY, G, mul_base(-1)]), scalars.map(mul_base))
quick = settings(max_examples=40, deadline=None)


@quick
@given(points, points, points)
def test_addition_is_a_group(P: Point, Q: Point, R: Point) -> None:
    assert add(P, Q) == add(Q, P)
    assert add(add(P, Q), R) == add(P, add(Q, R)) == add(P, Q, R)
    assert add(P, INFINITY) == P
    assert add(P, neg(P)) == INFINITY
    assert add(group.sub(P, Q), Q) == P


@quick
@given(points, scalars, scalars)
def test_multiplication_is_linear(P: Point, k: int, m: int) -> None:
    assert mul(P, k + m) == add(mul(P, k), mul(P, m))
    assert mul(mul(P, k), m) == mul(P, k * m)
    assert mul(P, ORDER) == INFINITY
    assert mul_base(k) == mul(G, k)


@quick
@given(points, scalars, scalars)
def test_blinding_changes_nothing(P: Point, k: int, blinding: int) -> None:
    assert group.mul_blinded(P, k, blinding) == mul(P, k)
    assert group.mul_blinded(P, k, k) == group.mul_blinded(P, k, 0) == mul(P, k)


def test_known_multiples() -> None:
    # SEC 2 gives G; 2·G is in every list of secp256k1 test vectors.
    assert encode_point(G).hex() == "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
    assert encode_point(mul(G, 2)).hex() == "02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5"
    assert encode_point(neg(G))[0] == 3
    assert encode_point(neg(G))[1:] == encode_point(G)[1:]


def test_sums() -> None:
    assert sum_points([]) == INFINITY
    assert sum_points([INFINITY, INFINITY]) == INFINITY
    assert sum_points([G, mul_base(2), INFINITY, mul_base(-3)]) == INFINITY
    assert sum_points(mul_base(k) for k in range(100)) == mul_base(4950)


Terms = list[tuple[int, Point]]


@quick
@given(st.lists(st.tuples(scalars, points), max_size=12))
def test_combinations_are_the_sums_they_stand_for(terms: Terms) -> None:
    products = sum_points(mul(point, scalar) for scalar, point in terms)
    assert group.sum_of_products(terms) == products
    assert group.combine(*terms) == products


def test_combinations_that_the_double_multiplication_refuses() -> None:
    # Infinity as the result or the point, a scalar of zero, an x-coordinate between q and p.
    P = mul_base(7)
    written = (b"\3" + x.to_bytes(32, "big") for x in range(ORDER, FIELD))
    large = group.decode_point(next(filter(on_curve, written)))
    cases: list[tuple[Terms, Point]] = [
        ([], INFINITY),
        ([(2, P), (-14, G)], INFINITY),
        ([(1, P), (-1, P)], INFINITY),
        ([(5, INFINITY), (3, G)], mul_base(3)),
        ([(ORDER, P), (3, G)], mul_base(3)),
        ([(5, INFINITY), (0, P), (ORDER, G)], INFINITY),
        ([(3, large), (8, G)], add(mul(large, 3), mul_base(8))),
        ([(3, P), (4, G), (5, G), (-6, P), (1, P)], mul_base(9 - 2 * 7)),
        # Two points in one bucket that cancel out, or are the same; and a bucket alone that is infinity.
        ([(9, P), (9, neg(P)), (9, G), (9, G)], mul_base(18)),
        ([(2**255, G), (2**255, neg(G))], INFINITY),
    ]
    for terms, total in cases:
        assert group.combine(*terms) == group.sum_of_products(terms) == total


def test_points_compare_by_value_and_print_nothing_but_their_encoding() -> None:
    assert mul_base(5) == add(mul_base(2), mul_base(3))
    assert mul_base(5) != mul_base(6)
    assert mul_base(5) != "a point"
    assert len({mul_base(5), add(mul_base(2), mul_base(3)), INFINITY, neg(INFINITY)}) == 2
    assert repr(INFINITY) == "Point(infinity)"
    assert repr(G) == f"Point({encode_point(G).hex()})"
    assert INFINITY.is_infinity
    assert not G.is_infinity


def test_infinity_is_never_written() -> None:
    with pytest.raises(CryptoError, match="infinity"):
        encode_point(INFINITY)
    with pytest.raises(CryptoError, match="infinity"):
        group.encode_points([G, INFINITY])


def on_curve(data: bytes) -> bool:
    return pow(int.from_bytes(data[1:], "big") ** 3 + 7, (FIELD - 1) // 2, FIELD) == 1


NOT_ON_THE_CURVE = next(data for data in (b"\2" + x.to_bytes(32, "big") for x in range(1, 50)) if not on_curve(data))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0",
        bytes(33),
        b"\0" * 32,
        encode_point(G)[:-1],
        encode_point(G) + b"\0",
        b"\0" + encode_point(G)[1:],
        b"\4" + encode_point(G)[1:],
        b"\6" + encode_point(G)[1:],
        b"\4" + bytes(64),
        NOT_ON_THE_CURVE,
        b"\2" + FIELD.to_bytes(32, "big"),
        b"\2" + (FIELD + 1).to_bytes(32, "big"),  # x = 1 is on the curve, but this is not how to write it
        b"\3" + b"\xff" * 32,
    ],
    ids=lambda data: data.hex()[:12] or "empty",
)
def test_what_is_no_canonical_point_is_refused(data: bytes) -> None:
    with pytest.raises(CryptoError):
        group.decode_point(data)


def test_other_forms_of_a_good_point_are_refused() -> None:
    y = "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8"  # SEC 2, section 2.4.1
    full = b"\4" + G.encoded[1:] + bytes.fromhex(y)
    hybrid = bytes([6 + full[-1] % 2]) + full[1:]
    for data in (full, hybrid):
        with pytest.raises(CryptoError, match="33 bytes, not 65"):
            group.decode_point(data)


@pytest.mark.parametrize("value", [0, ORDER, ORDER + 1, 2**256 - 1])
def test_scalars_out_of_range_are_refused(value: int) -> None:
    with pytest.raises(CryptoError, match="1 … q−1"):
        group.decode_scalar(value.to_bytes(32, "big"))
    with pytest.raises(CryptoError, match="1 … q−1") as error:
        group.encode_scalar(value)
    assert str(value) not in str(error.value) or value == 0


def test_scalars_of_wrong_length_are_refused() -> None:
    for size in (0, 31, 33):
        with pytest.raises(CryptoError, match="32 bytes"):
            group.decode_scalar(b"\1" * size)
    assert group.decode_scalar(group.encode_scalar(ORDER - 1)) == ORDER - 1


written = st.one_of(
    st.binary(max_size=70),
    st.binary(min_size=33, max_size=33),
    st.builds(bytes.__add__, st.sampled_from([b"\2", b"\3"]), st.binary(min_size=32, max_size=32)),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(written, max_size=3), st.integers(0, 3))
def test_any_bytes_decode_to_the_points_they_encode_or_are_refused(pieces: list[bytes], count: int) -> None:
    for data in pieces:
        with suppress(CryptoError):
            decoded = group.decode_point(data)
            assert decoded.raw is not None
            assert encode_point(Point(decoded.raw)) == data == encode_point(decoded)
    with suppress(CryptoError):
        assert group.encode_points(group.decode_points(b"".join(pieces), count)) == b"".join(pieces)


def test_hash_to_point_is_fixed_by_label_and_index() -> None:
    found = [group.hash_to_point(label, index) for label in ("seqp2p/1 a", "seqp2p/1 b") for index in range(20)]
    assert len(set(found)) == 40
    assert group.hash_to_point("seqp2p/1 a", 3) == found[3]
    assert all(encode_point(P)[0] == 2 for P in found)


def test_random_scalars_are_drawn_again_when_out_of_range() -> None:
    drawn = iter([bytes(32), b"\xff" * 32, ORDER.to_bytes(32, "big"), (5).to_bytes(32, "big")])
    assert group.random_scalar(lambda size: next(drawn)[:size]) == 5
    assert 0 < group.random_scalar(secrets.token_bytes) < ORDER


@pytest.mark.parametrize("bound", [1, 2, 3, 5, 100, 256, 257, 1000])
def test_random_below_stays_below_and_reaches_everything(bound: int) -> None:
    randomness = stream(bound)
    counts = Counter(group.random_below(bound, randomness) for _ in range(20 * bound))
    assert set(counts) <= set(range(bound))
    assert len(counts) > 0.99 * bound


def test_random_below_rejects_instead_of_taking_a_remainder() -> None:
    drawn = iter([b"\xff", b"\xfb", b"\x06", b"\x04"])
    assert group.random_below(5, lambda _: next(drawn)) == 3  # ff and 06 mean 7 and 6, fb means 3


@pytest.mark.parametrize("width", [4, 6, 8])
def test_products_with_digits_of_each_width(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setattr("seqp2p.crypto.group.WIDTHS", ((0, width),))
    drawn = stream("many products")
    terms = [(group.random_scalar(drawn) >> 128 * (i % 2), mul_base(group.random_scalar(drawn))) for i in range(200)]
    assert group.sum_of_products(terms) == group.combine(*terms)


KEYS = (3, 1009, 2**200 + 5)
PK = joint_key([mul_base(x) for x in KEYS])
CARDS = card_points("classic", 104)


def test_every_physical_card_has_its_own_point() -> None:
    assert len(set(CARDS)) == 104
    assert card_points("classic", 104) is CARDS
    assert card_points("classic", 10) == CARDS[:10]
    assert not set(card_points("kids", 42)) & set(CARDS)


def test_a_fresh_deck_is_open_to_all() -> None:
    deck = fresh_deck(PK, CARDS)
    assert len(deck) == 104
    assert all(card.a == G for card in deck)
    assert [decrypt(card, [PK]) for card in deck] == list(CARDS)
    assert reencrypt(reencrypt(deck[0], PK, 77), PK, -77) == deck[0]


def test_all_shares_open_a_card_and_fewer_do_not() -> None:
    card = reencrypt(fresh_deck(PK, CARDS)[17], PK, 2**99)
    card = reencrypt(card, PK, 12345)
    shares = [mul(card.a, x) for x in KEYS]
    assert decrypt(card, shares) == CARDS[17]
    for missing in range(3):
        assert decrypt(card, shares[:missing] + shares[missing + 1 :]) not in CARDS


def test_joint_key_refuses_infinity_and_copies() -> None:
    key = point(1)
    for keys in ([], [INFINITY], [key, INFINITY], [key, neg(key)]):
        with pytest.raises(CryptoError, match="infinity"):
            joint_key(keys)
    with pytest.raises(CryptoError, match="same game key"):
        joint_key([key, point(2), key])


def test_decks_read_back_what_was_written() -> None:
    deck = tuple(reencrypt(card, PK, 5 + i) for i, card in enumerate(fresh_deck(PK, CARDS)))
    data = encode_deck(deck)
    assert len(data) == 104 * 66
    assert decode_deck(data, 104) == deck
    for wrong in (data[:-1], data + b"\0", data[66:], b""):
        with pytest.raises(CryptoError, match="208 points"):
            decode_deck(wrong, 104)
    with pytest.raises(CryptoError, match="not a point"):
        decode_deck(bytes(33) + data[33:], 104)
    for card in (Ciphertext(INFINITY, G), Ciphertext(G, INFINITY)):
        with pytest.raises(CryptoError, match="infinity"):
            encode_deck([card])
