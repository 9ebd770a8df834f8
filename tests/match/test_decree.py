"""One decree by itself: the votes and closings that it keeps, and the one that it makes final."""

from seqp2p.match.ballots import Closing, Decree, Last, Value, Vote
from tests.match.exploring import CONTRIBUTED, head_of

SEATS = frozenset(range(1, 5))


def test_a_vote_that_leaves_no_majority_is_not_kept() -> None:
    """Two of four are no majority: what they agree on closes nothing, and no seat has to look at their round."""
    decree = Decree(SEATS, lambda _action, _about: b"closed")
    for seat in (1, 2):
        decree.vote(Vote(seat, 1, "drop", frozenset({3, 4}), None))
    assert decree.votes == {}
    assert decree.newest() == 0
    decree.vote(Vote(1, 1, "drop", frozenset({4}), None))
    assert decree.votes.keys() == {1}


def test_what_is_shown_in_several_rounds_is_not_final() -> None:
    """Three rounds, each heard by one of its seats: counted together, two closings would have two seats each."""
    decree = Decree(frozenset({1, 2, 3}), head_of, complete=[CONTRIBUTED])
    one, two, three = (frozenset({seat}) for seat in (1, 2, 3))
    dropped, contributed = head_of("drop", three), Last(0, CONTRIBUTED)
    for vote in (
        Vote(1, 1, "drop", three, None),
        Vote(2, 1, "drop", three, None),
        Vote(1, 2, "drop", two, None),
        Vote(3, 2, "drop", two, contributed),
        Vote(2, 3, "drop", one, Last(1, dropped)),
        Vote(3, 3, "drop", one, contributed),
    ):
        decree.vote(vote)
    for seat, round_, head in ((3, 0, CONTRIBUTED), (2, 1, dropped), (1, 2, CONTRIBUTED), (2, 3, dropped)):
        decree.show(seat, round_, head)
        assert decree.decided() is None
    decree.show(3, 3, dropped)
    assert decree.decided() == Closing(3, Value(dropped, "drop", three))
