"""Many equations as one sum: right ones pass, and one wrong among them is enough to fail."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from seqp2p.crypto.elgamal import card_points, fresh_deck
from seqp2p.crypto.equation import SUM_FROM, WEIGHT_SIZE, Batch, Bracket, Equation, require, sum_first
from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.group import INFINITY, G, add, mul_base, neg
from seqp2p.crypto.shuffle import shuffle_and_prove, verify_shuffle
from tests.crypto.tools import CONTEXT, point, stream

PK = mul_base(77)
DECK = fresh_deck(PK, card_points("classic", 5))
SHUFFLED, PROOF = shuffle_and_prove(DECK, PK, CONTEXT, stream("shuffle"))

RIGHT = Equation("right", mul_base(2 * 5 + 3 * 7), (Bracket(2, ((5, G),)), Bracket(3, ((7, G),))))
WRONG = Equation("wrong", G, (Bracket(2, ((5, G),)),))
EMPTY = Equation("empty", INFINITY, (Bracket(9, ((1, point(1)), (-1, point(1)))),))


def batch(seed: object = "weights") -> Batch:
    return Batch(stream(seed))


def gather_proof(batch: Batch) -> None:
    verify_shuffle(DECK, SHUFFLED, PK, PROOF, CONTEXT, batch.gather)


def test_equations_hold_or_are_named() -> None:
    require([RIGHT, EMPTY])
    with pytest.raises(CryptoError, match="the equation for wrong does not hold"):
        require([RIGHT, WRONG])


@given(equations=st.lists(st.sampled_from([RIGHT, WRONG, EMPTY]), max_size=6), seed=st.integers())
@example([], 0)
@settings(max_examples=40, deadline=None)
def test_one_wrong_equation_is_enough(equations: list[Equation], seed: int) -> None:
    gathered = batch(seed)
    gathered.gather(equations)
    assert gathered.hold() == all(equation.holds() for equation in equations)


def test_what_is_summed_up_on_the_way_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seqp2p.crypto.equation.POINTS_MAX", 3)
    for equations in ([RIGHT] * 3, [RIGHT, WRONG, RIGHT]):
        gathered = batch()
        gather_proof(gathered)
        for equation in equations:
            gathered.gather([equation])
        gather_proof(gathered)
        assert gathered.hold() == (WRONG not in equations)


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
    gather_proof(gathered)
    points = gathered._points
    assert len(set(points.values())) == len(points) == len(gathered._scalars)
    # The fresh deck is (G, M + PK): its five halves `a` are one point, which stands for all of G.
    assert G in points.values()


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
