"""One decree by itself: what it keeps of what it is told."""

from seqp2p.match.ballots import Decree, Vote

SEATS = frozenset(range(1, 5))


def test_a_vote_that_leaves_no_majority_is_not_kept() -> None:
    """Two of four are no majority: what they agree on closes nothing, and nobody has to look at their round."""
    decree = Decree(SEATS, lambda _action, _about: b"closed")
    for seat in (1, 2):
        decree.vote(Vote(seat, 1, "drop", frozenset({3, 4}), None))
    assert decree.votes == {}
    assert decree.newest() == 0
    decree.vote(Vote(1, 1, "drop", frozenset({4}), None))
    assert decree.votes.keys() == {1}
