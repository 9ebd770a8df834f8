import pytest

from seqp2p.crypto import schnorr
from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.group import INFINITY, Point, add, mul, neg
from seqp2p.crypto.schnorr import prove_shares, verify_shares
from tests.crypto.test_proofs import CARDS, PROOFS, SHARES, X, x
from tests.crypto.tools import CONTEXT, point, stream

PROOF = PROOFS["shares"]


def refused(
    X: Point = X,
    cards: schnorr.Cards = CARDS,
    shares: tuple[Point, ...] = SHARES,
    proof: bytes = PROOF,
    match: str = "does not hold",
) -> None:
    with pytest.raises(CryptoError, match=match):
        verify_shares(X, cards, shares, proof, CONTEXT)


def test_shares_are_multiples() -> None:
    assert [mul(a, x) for _, a in CARDS] == list(SHARES)


def test_each_item_of_the_statement_is_bound() -> None:
    refused(X=point(8))
    for i, (position, a) in enumerate(CARDS):
        refused(cards=(*CARDS[:i], (position + 1, a), *CARDS[i + 1 :]))
        refused(cards=(*CARDS[:i], (position, add(a, a)), *CARDS[i + 1 :]))
        refused(shares=(*SHARES[:i], add(SHARES[i], X), *SHARES[i + 1 :]))
    refused(cards=CARDS[:4], shares=SHARES[:4])
    refused(cards=(*CARDS, CARDS[0]), shares=(*SHARES, SHARES[0]))
    refused(cards=CARDS[::-1], shares=SHARES[::-1])


def test_shares_of_other_cards_are_refused() -> None:
    refused(shares=SHARES[1:] + SHARES[:1])
    refused(shares=(SHARES[0],) * 5)


@pytest.mark.parametrize("attack", ["swapped", "shifted"])
def test_errors_that_cancel_without_weights_are_refused(attack: str) -> None:
    # Both keep Σ D_k = x·Σ a_k: only random weights tell them from honest shares.
    bent = list(SHARES)
    if attack == "swapped":
        bent[0], bent[1] = bent[1], bent[0]
    else:
        bent[0], bent[1] = add(bent[0], X), add(bent[1], neg(X))
    proof = prove_shares(x, X, CARDS, bent, CONTEXT, stream("bent"))
    refused(shares=tuple(bent), proof=proof, match="T_2 of the share proof")


def test_another_key_proves_nothing() -> None:
    other = x + 1
    shares = tuple(mul(a, other) for _, a in CARDS)
    refused(shares=shares, proof=prove_shares(other, X, CARDS, shares, CONTEXT, stream("o")), match="T_1")
    refused(shares=shares, proof=prove_shares(x, X, CARDS, shares, CONTEXT, stream("o")), match="T_2")


def test_malformed_statements_are_refused() -> None:
    refused(cards=(), shares=(), match="one share for each card: 0 for 0")
    refused(shares=SHARES[:4], match="one share for each card: 4 for 5")
    refused(X=INFINITY, match="infinity")
    refused(shares=(*SHARES[:4], INFINITY), match="infinity")
    refused(cards=((1, INFINITY), *CARDS[1:]), match="infinity")
    refused(cards=((-1, point(1)), *CARDS[1:]), match="4 bytes")
