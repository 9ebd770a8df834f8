"""Joint randomness: the same for all seats, uniform, and in no seat's hand. The vectors have its words."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from seqp2p.match.game import JointStream, draw_dealer
from seqp2p.rules import CLASSIC, KIDS
from tests.table import Played, fields_of

SEED = bytes(range(64))


@given(bound=st.integers(1, 2**32), seed=st.binary(max_size=64))
def test_numbers_are_below_their_bound(bound: int, seed: bytes) -> None:
    stream = JointStream(seed)
    assert all(0 <= stream.below(bound) < bound for _ in range(20))


def test_numbers_and_permutations_are_uniform() -> None:
    stream = JointStream(SEED)
    numbers = Counter(stream.below(6) for _ in range(6000))
    assert all(880 < numbers[number] < 1120 for number in range(6)), numbers
    permutations = Counter(stream.permutation(3) for _ in range(3000))
    assert len(permutations) == 6
    assert all(400 < count < 600 for count in permutations.values()), permutations
    assert [sorted(stream.permutation(count)) for count in (0, 1, 104)] == [[], [0], [*range(104)]]


def test_kids_draw_a_seat_by_lot() -> None:
    draws = [draw_dealer(KIDS, 3, [number.to_bytes(32, "big")] * 3) for number in range(300)]
    assert all(draw.rounds == () for draw in draws)
    counts = Counter(draw.dealer for draw in draws)
    assert set(counts) == {1, 2, 3}
    assert min(counts.values()) > 70


def test_every_nonce_counts() -> None:
    nonces = [bytes([seat]) * 32 for seat in range(12)]
    draw = draw_dealer(CLASSIC, 12, nonces)
    for seat in range(12):
        assert draw_dealer(CLASSIC, 12, [*nonces[:seat], b"\xff" * 32, *nonces[seat + 1 :]]) != draw


def test_the_dealer_of_a_game_is_drawn_from_the_nonces_in_seat_order(duel: Played) -> None:
    nonces = [fields_of(duel.contribution(2, seat))["body"]["nonce"] for seat in (1, 2)]
    assert duel.match.game.draw == draw_dealer(CLASSIC, 2, nonces)
