"""The log of signed adjourns: what all have agreed to, and what each seat may add."""

from seqp2p.match.adjourn import SIGNED_MAX, AdjournLog, Adjournment
from seqp2p.match.contribution import Contribution
from seqp2p.match.signed import SITTINGS_MAX, AdjournPayload

SIGNED = Contribution(b"", bytes(64))


def log_of(*signed: tuple[int, int, int]) -> AdjournLog:
    """A log of (seat, sitting, turn)."""
    log = AdjournLog()
    for seat, sitting, turn in signed:
        assert log.add(AdjournPayload(1, bytes(32), seat, sitting, turn), SIGNED)
    return log


def test_all_have_to_agree_in_one_turn() -> None:
    assert log_of().last({1, 2}) == Adjournment()
    assert log_of((1, 1, 5), (2, 1, 6)).last({1, 2}) == Adjournment()
    log = log_of((1, 1, 5), (1, 1, 6), (2, 1, 5))
    assert log.last({1, 2}) == Adjournment(1, 5)
    assert log.last({1, 2, 3}) == Adjournment()
    assert log.last({1}) == Adjournment(1, 6)


def test_a_table_adjourns_twice_in_one_turn() -> None:
    log = log_of((1, 1, 5), (2, 1, 5))
    assert log.next({1, 2}, 5) == Adjournment(2, 5)
    for seat in (1, 2):
        assert log.add(AdjournPayload(1, bytes(32), seat, 2, 5), SIGNED)
    assert log.last({1, 2}) == Adjournment(2, 5)
    assert log_of((1, SITTINGS_MAX, 5)).next({1}, 5) is None


def test_one_seat_cannot_fill_the_memory_of_another() -> None:
    log = log_of(*((1, 1, turn) for turn in range(SIGNED_MAX)))
    assert not log.add(AdjournPayload(1, bytes(32), 1, 1, SIGNED_MAX), SIGNED)
    assert not log.add(AdjournPayload(1, bytes(32), 1, 1, 0), SIGNED)
    assert log.add(AdjournPayload(1, bytes(32), 2, 1, SIGNED_MAX), SIGNED)
    assert len(log.all) == SIGNED_MAX + 1
