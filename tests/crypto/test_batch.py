"""Many equations as one sum: right ones pass, and one wrong among them is enough to fail."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqp2p.crypto.batch import SUM_FROM, WEIGHT_SIZE, Batch, sum_first
from seqp2p.crypto.elgamal import Ciphertext, card_points, fresh_deck
from seqp2p.crypto.equation import Bracket, Equation, require
from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.group import INFINITY, ORDER, G, add, mul, mul_base, neg
from seqp2p.crypto.key_proof import prove_key, verify_key
from seqp2p.crypto.oracle import Context
from seqp2p.crypto.share_proof import prove_shares, share, verify_shares
from seqp2p.crypto.shuffle import shuffle_and_prove
from seqp2p.crypto.shuffle_proof import verify_shuffle
from tests.crypto.tools import CONTEXT, OTHER_CONTEXTS, point, stream, with_changed_bytes

X, PK = 77, mul_base(77)
DECK = fresh_deck(PK, card_points("classic", 5))
SHUFFLED, SHUFFLE_PROOF = shuffle_and_prove(DECK, PK, CONTEXT, stream("shuffle"))
CARDS = [(k, card.a) for k, card in enumerate(SHUFFLED)]
SHARES = [share(X, a, stream(position)) for position, a in CARDS]
SHARE_PROOF = prove_shares(X, PK, CARDS, SHARES, CONTEXT, stream("shares"))
KEY_PROOF = prove_key(X, PK, CONTEXT, stream("key"))

Checks = Callable[[Batch], None]

RIGHT = Equation("right", mul_base(2 * 5 + 3 * 7), (Bracket(2, ((5, G),)), Bracket(3, ((7, G),))))
WRONG = Equation("wrong", G, (Bracket(2, ((5, G),)),))
EMPTY = Equation("empty", INFINITY, (Bracket(9, ((1, point(1)), (-1, point(1)))),))


def batch(seed: object = "weights") -> Batch:
    return Batch(stream(seed))


def gather_all(batch: Batch) -> None:
    verify_key(PK, KEY_PROOF, CONTEXT, batch.gather)
    verify_shuffle(DECK, SHUFFLED, PK, SHUFFLE_PROOF, CONTEXT, batch.gather)
    verify_shares(PK, CARDS, SHARES, SHARE_PROOF, CONTEXT, batch.gather)


def test_no_equation_holds() -> None:
    assert batch().hold()


@given(equations=st.lists(st.sampled_from([RIGHT, WRONG, EMPTY]), max_size=6), seed=st.integers())
@settings(max_examples=40, deadline=None)
def test_one_wrong_equation_is_enough(equations: list[Equation], seed: int) -> None:
    gathered = batch(seed)
    gathered.gather(equations)
    assert gathered.hold() == all(equation.holds() for equation in equations)


def test_what_is_summed_up_on_the_way_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seqp2p.crypto.batch.POINTS_MAX", 3)
    for equations in ([RIGHT] * 3, [RIGHT, WRONG, RIGHT]):
        gathered = batch()
        gather_all(gathered)
        for equation in equations:
            gathered.gather([equation])
        gather_all(gathered)
        assert gathered.hold() == (WRONG not in equations)


def test_proofs_of_every_kind_hold_together() -> None:
    gathered = batch()
    gather_all(gathered)
    gather_all(gathered)
    assert gathered.hold()


def test_each_equation_has_a_weight_of_its_own() -> None:
    """Two wrongs that add up to a right: they pass with equal weights, and with no others."""
    one = Equation("one", add(RIGHT.commitment, point(3)), RIGHT.brackets)
    other = Equation("other", add(RIGHT.commitment, neg(point(3))), RIGHT.brackets)
    asked = list[int]()

    def equal(size: int) -> bytes:
        asked.append(size)
        return bytes(size - 1) + b"\5"

    alike = Batch(equal)
    alike.gather([one, other])
    assert alike.hold()
    assert asked == [WEIGHT_SIZE] * 2
    assert WEIGHT_SIZE * 8 >= 128
    gathered = batch()
    gathered.gather([one, other])
    assert not gathered.hold()


def test_points_that_are_equal_are_one_point() -> None:
    gathered = batch()
    gather_all(gathered)
    points = gathered._points
    assert len(set(points.values())) == len(points) == len(gathered._scalars)
    # The fresh deck is (G, M + PK): its five halves `a` are one point, which stands for all of G.
    assert G in points.values()


@pytest.mark.parametrize("other", OTHER_CONTEXTS.values(), ids=OTHER_CONTEXTS)
def test_another_context_fails(other: Context) -> None:
    for check in checks(other):
        gathered = batch()
        check(gathered)
        assert not gathered.hold()


def checks(context: Context) -> list[Checks]:
    return [
        lambda batch: verify_key(PK, KEY_PROOF, context, batch.gather),
        lambda batch: verify_shuffle(DECK, SHUFFLED, PK, SHUFFLE_PROOF, context, batch.gather),
        lambda batch: verify_shares(PK, CARDS, SHARES, SHARE_PROOF, context, batch.gather),
    ]


def fails(check: Checks) -> bool:
    gathered = batch()
    gather_all(gathered)
    try:
        check(gathered)
    except CryptoError:
        return True
    return not gathered.hold()


def test_a_proof_with_any_byte_changed_fails_among_right_ones() -> None:
    def wrong_shuffle(proof: bytes) -> Checks:
        return lambda batch: verify_shuffle(DECK, SHUFFLED, PK, proof, CONTEXT, batch.gather)

    def wrong_shares(proof: bytes) -> Checks:
        return lambda batch: verify_shares(PK, CARDS, SHARES, proof, CONTEXT, batch.gather)

    def wrong_key(proof: bytes) -> Checks:
        return lambda batch: verify_key(PK, proof, CONTEXT, batch.gather)

    for _, proof in with_changed_bytes(SHUFFLE_PROOF, 19):
        assert fails(wrong_shuffle(proof))
    for _, proof in with_changed_bytes(SHARE_PROOF, 9):
        assert fails(wrong_shares(proof))
    for _, proof in with_changed_bytes(KEY_PROOF, 9):
        assert fails(wrong_key(proof))


def test_another_statement_fails() -> None:
    swapped = (SHUFFLED[1], SHUFFLED[0], *SHUFFLED[2:])
    assert fails(lambda batch: verify_shuffle(DECK, swapped, PK, SHUFFLE_PROOF, CONTEXT, batch.gather))
    other = (Ciphertext(add(SHUFFLED[0].a, G), SHUFFLED[0].b), *SHUFFLED[1:])
    assert fails(lambda batch: verify_shuffle(DECK, other, PK, SHUFFLE_PROOF, CONTEXT, batch.gather))
    shares = [mul(CARDS[0][1], X + 1), *SHARES[1:]]
    assert fails(lambda batch: verify_shares(PK, CARDS, shares, SHARE_PROOF, CONTEXT, batch.gather))
    assert fails(lambda batch: verify_key(mul(PK, ORDER - 1), KEY_PROOF, CONTEXT, batch.gather))


def test_a_sum_first_checks_right_proofs_as_one_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    check = sum_first(stream("weights"))
    monkeypatch.setattr(Equation, "holds", None)  # so that a check one by one is an error
    check([RIGHT] * SUM_FROM)


@pytest.mark.parametrize("equations", [[RIGHT] * (SUM_FROM - 2) + [WRONG, RIGHT], [RIGHT, WRONG]], ids=["many", "few"])
def test_a_sum_first_names_the_false_equation(equations: list[Equation]) -> None:
    sum_first(stream("weights"))([RIGHT] * len(equations))
    with pytest.raises(CryptoError, match="the equation for wrong does not hold"):
        sum_first(stream("weights"))(equations)


def test_a_sum_first_refuses_the_shuffles_that_a_check_one_by_one_refuses() -> None:
    deck = fresh_deck(PK, card_points("classic", SUM_FROM))
    shuffled, proof = shuffle_and_prove(deck, PK, CONTEXT, stream("shuffle"))
    verify_shuffle(deck, shuffled, PK, proof, CONTEXT, sum_first(stream("weights")))
    for wrong in (shuffled[::-1], (*shuffled[1:], shuffled[1])):
        told = list[str]()
        for check in (require, sum_first(stream("weights"))):
            with pytest.raises(CryptoError) as refused:
                verify_shuffle(deck, wrong, PK, proof, CONTEXT, check)
            told.append(str(refused.value))
        assert told[0] == told[1]
