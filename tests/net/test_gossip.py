from collections.abc import Callable, Iterable

import pytest

from seqp2p.match.contribution import Contribution
from seqp2p.match.signed import SignedThing
from seqp2p.net.gossip import GossipItem, PeerState, PlacedItem, PlacedVote, digest
from seqp2p.net.limits import Limits, Newest
from seqp2p.net.messages import BallotMessage, HeadMessage, encode_message
from tests.net.tools import contribution

LIMITS = Limits(known_max=3, resync_max=3000)
OWN, NEIGHBOUR, OTHER = 1, 2, 3


class Held:
    """A store that holds these and was asked for these."""

    def __init__(self, *held: tuple[int, int]) -> None:
        self.held = held
        self.size = 0
        self.placed: list[PlacedVote] = []
        self.asked: list[tuple[int, frozenset[int]]] = []

    def have(self) -> tuple[int, frozenset[int]]:
        raise AssertionError

    def missing(self, step: int, seats: frozenset[int]) -> Iterable[PlacedItem]:
        self.asked.append((step, seats))
        return [(step, author, contribution(step, author, self.size)) for step, author in self.held]

    def votes(self, step: int) -> Iterable[PlacedVote]:
        return self.placed

    def early(self, seat: int) -> list[SignedThing]:
        return []


def view() -> PeerState:
    return PeerState(OWN, NEIGHBOUR, LIMITS)


def item(step: int, author: int) -> GossipItem:
    return GossipItem(digest(contribution(step, author).payload), author, step)


def sent(contributions: list[Contribution]) -> list[tuple[int, int]]:
    return [(int(each.payload.split()[0]), int(each.payload.split()[1])) for each in contributions]


def test_newest_forgets_the_oldest() -> None:
    newest = Newest[bytes, float](2)
    for at, key in enumerate([b"a", b"b", b"a", b"c"]):
        newest[key] = float(at)
    assert newest == {b"a": 2.0, b"c": 3.0}
    assert newest.of(b"a", float) == 2.0
    assert newest.of(b"d", float) == 0.0
    assert list(newest) == [b"a", b"d"]


EVIDENCE = GossipItem(b"evidence")
Before = Callable[[PeerState], object]


def nothing(_: PeerState) -> None:
    """No message came or went before."""


def linked_with_author(one: PeerState) -> None:
    one.links = frozenset({OWN, OTHER})


def has_told(one: PeerState) -> None:
    one.has(5, frozenset({OTHER}))


@pytest.mark.parametrize(
    ("before", "thing", "wanted"),
    [
        (nothing, item(1, OWN), True),
        (nothing, item(1, OTHER), True),
        (nothing, EVIDENCE, True),
        (nothing, item(1, NEIGHBOUR), False),
        (lambda one: one.wants(item(1, OWN), 0), item(1, OWN), False),
        (lambda one: one.wants(EVIDENCE, 0), EVIDENCE, False),
        (lambda one: one.heard(item(1, OTHER).key, 0), item(1, OTHER), False),
        (linked_with_author, item(1, OTHER), False),
        (linked_with_author, item(1, OWN), True),
        (linked_with_author, EVIDENCE, True),
        (has_told, item(4, OWN), False),
        (has_told, item(5, OTHER), False),
        (has_told, item(5, OWN), True),
    ],
)
def test_a_neighbour_is_sent_what_it_lacks_and_once_on_each_connection(
    before: Before, thing: GossipItem, wanted: bool
) -> None:
    one = view()
    before(one)
    assert one.wants(thing, 0) == wanted
    one.lost(linked=before is not linked_with_author)
    assert one.wants(thing, 0) == (thing.author != NEIGHBOUR)


def test_an_answer_is_what_is_missing() -> None:
    one, store = view(), Held((2, OTHER), (3, OWN))
    one.has(2, frozenset({OWN}))
    assert sent(one.answer(store, 0)) == [(2, OTHER), (3, OWN)]
    assert store.asked == [(2, frozenset({OWN}))]


def test_nothing_is_sent_twice_until_there_was_time_to_tell() -> None:
    one, store = view(), Held((2, OWN))
    assert sent(one.answer(store, 0)) == [(2, OWN)]
    assert sent(one.answer(store, 2)) == []
    assert sent(one.answer(store, 4.1)) == [(2, OWN)]
    one.wants(item(3, OWN), 5)
    store.held = ((3, OWN),)
    assert sent(one.answer(store, 6)) == [], "it was just published"
    assert sent(one.answer(store, 10)) == [(3, OWN)]


def test_the_authors_neighbours_get_it_at_the_second_asking() -> None:
    one, store = view(), Held((2, OTHER), (2, OWN))
    one.links = frozenset({OTHER})
    assert sent(one.answer(store, 0)) == [(2, OWN)]
    assert sent(one.answer(store, 2)) == [(2, OTHER)]
    assert sent(one.answer(store, 4)) == []


def test_heads_go_to_those_who_have_no_link_with_their_author() -> None:
    """By links alone: no ``have`` holds a head back."""
    one = view()
    one.has(9, frozenset({OTHER, OWN}))
    one.links = frozenset({OTHER})
    for author, key in ((OWN, b"own"), (OTHER, b"linked"), (4, b"not linked"), (NEIGHBOUR, b"its own")):
        assert one.wants(GossipItem(key, author), 0) == (author in {OWN, 4})
    assert one.wants(GossipItem(b"to all"), 0)


def test_a_head_whose_author_is_linked_comes_at_the_second_asking_and_a_ballot_at_the_first() -> None:
    one, store = view(), Held()
    head, ballot, own = (
        HeadMessage(b"head", bytes(64)),
        BallotMessage(b"ballot", bytes(64)),
        HeadMessage(b"", bytes(64)),
    )
    store.placed = [(OTHER, head), (0, ballot), (OWN, own)]
    one.links = frozenset({OTHER})
    answers = [one.answer_frames(store, now) for now in (0, 2, 4)]
    assert answers == [[encode_message(ballot), encode_message(own)], [encode_message(head)], []]
    # After the first ``have`` on a new link nothing counts as sent.
    one.begins_with(1, frozenset())
    assert one.answer_frames(store, 5) == answers[0]


def test_asking_all_the_time_gets_nothing() -> None:
    one, store = view(), Held((2, OWN))
    one.answer_frames(store, 0)
    one.answer_frames(store, 0.4)
    assert len(store.asked) == 1
    one.answer_frames(store, 0.6)
    assert len(store.asked) == 2
    one.lost(linked=False)
    one.answer_frames(store, 0.7)
    assert len(store.asked) == 3


def test_an_answer_is_bounded_and_the_next_one_goes_on() -> None:
    one, store = PeerState(OWN, NEIGHBOUR, Limits(resync_max=3000)), Held(*((step, OWN) for step in range(1, 6)))
    store.size = 1400
    assert sent(one.answer(store, 0)) == [(1, OWN), (2, OWN)]
    assert sent(one.answer(store, 2)) == [(3, OWN), (4, OWN)]
    assert sent(one.answer(store, 3)) == [(5, OWN)]


def test_one_step_is_sent_however_large() -> None:
    one, store = PeerState(OWN, NEIGHBOUR, Limits(resync_max=10)), Held((1, OWN), (2, OWN))
    store.size = 100
    assert sent(one.answer(store, 0)) == [(1, OWN)]
