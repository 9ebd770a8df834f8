import pytest

from seqp2p.crypto.elgamal import Ciphertext, card_points, decode_deck, encode_deck, fresh_deck, joint_key, reencrypt
from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.group import INFINITY, G, mul, mul_base, neg
from tests.crypto.tools import decrypt, point

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
