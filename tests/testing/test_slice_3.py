"""Simulated games in miniature, seeds 360 to 499: as many as fit beside the other tests."""

from tests.testing.slices import batches, play_batch


@batches(360, 500)
def test_nothing_happens_that_must_not(first: int) -> None:
    outcomes = play_batch(first)
    assert any(outcome.finished for outcome in outcomes), "no game was played out"
