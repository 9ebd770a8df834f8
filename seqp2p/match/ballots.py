"""Closing a step without its contributor, so that no two peers ever close it differently. Theory and tables.

This is single-decree consensus per step: Paxos, with the contributions as the value proposed in round 0. Nobody leads;
any seat may begin a round, and a round needs every seat that it is not about.

    value        how a step closes: by its contributions (``action`` is None), or by ``skip`` or ``drop`` of the seats
                 it is about. The head after the step names the value; the round is not part of it.
    ballot       one seat's vote in one round ≥ 1: an action, the seats it is about, and ``last``: the round and value
                 by which this seat has closed the step so far, or (0, contributions) if it holds them all, or none.
                 Whoever votes at r promises to close by nothing below r any more, unless it is final.
    certificate  equal ballots of one round from *every* seat of the game outside the seats they are about, and those
                 are a strict majority. Its outcome: the value with the highest round among their ``last``, if any has
                 one; otherwise the action.
    final        a strict majority of the seats show one value in one round. A signature on a later step shows the
                 value below it in round 0. Nobody signs above a certificate before it is final, so a strict majority
                 of signatures above it says that it is.

Why no two different values become final. Two strict majorities share a seat. Let v be final in round r and let the
certificate of a round r' > r have another outcome, r' the lowest such. A seat s showed v in round r and voted in r'. It
did not vote first: its promise would have kept it from showing v. So its ``last`` was v in round r or something later
and below r', which is v again. Rounds between r and r' have the outcome v, so the highest ``last`` in r' is v.

Why it does not hang. While a strict majority is linked, whoever finds a round stuck (ballots that exclude each other,
or one that does not come) begins the next, about the seats that by now are unreachable, late or proved to have cheated;
a seat that agrees with every member copies the ballot that is about the fewest. See ``ballot_due``.

A seat that signs two contributions to one step gives two values in round 0. Then the one that can still have been
final stands, the cheat not counted; if neither can, the action does.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Action: TypeAlias = Literal["skip", "drop"]
About: TypeAlias = frozenset[int]

# Shown at most so many different heads per seat and place: two are what equivocation makes, more prove no more.
VERSIONS_MAX = 2
ROUND_MAX = 1_000


@dataclass(frozen=True, slots=True)
class Value:
    """How a step closes; ``head`` is the chain's head after it, which names the value."""

    head: bytes
    action: Action | None = None
    about: About = frozenset()


@dataclass(frozen=True, slots=True)
class Closing:
    """A value, and the round in which it is accepted; 0 is the round of the contributions themselves."""

    round: int
    value: Value


@dataclass(frozen=True, slots=True)
class Last:
    """How a seat says that it has closed the step: a round, and the head after it."""

    round: int
    head: bytes


@dataclass(frozen=True, slots=True)
class Vote:
    """What a ballot says."""

    seat: int
    round: int
    action: Action
    about: About
    last: Last | None


@dataclass(frozen=True, slots=True)
class Wish:
    """What one seat would have now: to skip the mover, or to drop these seats."""

    action: Action
    about: About


@dataclass
class Decree:
    """One step's consensus, as one seat (or a spectator) sees it.

    ``members`` are the seats in the game at this step; ``head_of(action, about)`` is the head after it was closed so.
    ``complete`` are the heads for which all contributions are held: one, but for equivocation.
    """

    members: About
    head_of: Callable[[Action, About], bytes]
    cheats: set[int] = field(default_factory=set[int])
    complete: list[bytes] = field(default_factory=list[bytes])
    promised: int = 0
    closing: Closing | None = None
    votes: dict[int, dict[int, Vote]] = field(default_factory=dict[int, dict[int, Vote]])  # by round, by seat
    _shown: dict[int, dict[int, bytes]] = field(default_factory=dict[int, dict[int, bytes]])  # by seat, by round
    _above: dict[int, set[bytes]] = field(default_factory=dict[int, set[bytes]])

    def majority(self, seats: Collection[int]) -> bool:
        """Whether these are a strict majority of the seats in the game."""
        return 2 * len(seats) > len(self.members)

    # What comes in. Each is kept at most once; nothing is decided here.

    def vote(self, vote: Vote) -> None:
        """A ballot; the first of its seat and round counts."""
        self.votes.setdefault(vote.round, {}).setdefault(vote.seat, vote)

    def show(self, seat: int, round_: int, head: bytes) -> bool:
        """A seat has signed that it closed this step so; says whether that is new."""
        shown = self._shown.setdefault(seat, {})
        if round_ in shown:
            return False  # Of each round the first word counts: a seat closes a step in one round in one way.
        shown[round_] = head
        return True

    def show_above(self, seat: int, head: bytes) -> None:
        """A seat has signed something on top of this head."""
        above = self._above.setdefault(seat, set())
        if len(above) < VERSIONS_MAX:
            above.add(head)

    # What follows from it.

    def showers(self, closing: Closing) -> set[int]:
        """The seats that show this value in this round."""
        head = closing.value.head
        shown = {seat for seat in self.members if self._shown.get(seat, {}).get(closing.round) == head}
        return shown | self._signers_above(head) if closing.round == 0 else shown

    def has_shown(self, seat: int) -> bool:
        """Whether this seat has signed for the closing that is accepted here."""
        return self.closing is not None and seat in self.showers(self.closing)

    def _signers_above(self, head: bytes) -> set[int]:
        return {seat for seat in self.members if head in self._above.get(seat, ())}

    def certificate(self, round_: int) -> Value | None:
        """The outcome of a round that has its certificate, and whose deciding ``last`` is known to be so."""
        for votes in self._agreeing(round_):
            some = votes[0]
            if {vote.seat for vote in votes} == self.members - some.about and self.majority(
                {vote.seat for vote in votes}
            ):
                return self._outcome(votes, some)
        return None

    def _agreeing(self, round_: int) -> Iterator[list[Vote]]:
        """The votes of a round, put together by what they are for."""
        groups: dict[tuple[Action, About], list[Vote]] = {}
        for _, vote in sorted(self.votes.get(round_, {}).items()):
            groups.setdefault((vote.action, vote.about), []).append(vote)
        yield from groups.values()

    def _outcome(self, votes: list[Vote], some: Vote) -> Value | None:
        lasts = [vote.last for vote in votes if vote.last is not None]
        if not lasts:
            return self._by_action(some)
        top = max(last.round for last in lasts)
        if top > 0:
            earlier = self.certificate(top)
            return earlier if earlier in [self._known(last) for last in lasts if last.round == top] else None
        heads = {last.head for last in lasts}
        if not heads <= set(self.complete):
            return None
        return Value(heads.pop()) if len(heads) == 1 else self._of_two_versions(lasts, some)

    def _known(self, last: Last) -> Value | None:
        earlier = self.certificate(last.round)
        return earlier if earlier is not None and earlier.head == last.head else None

    def _of_two_versions(self, lasts: list[Last], some: Vote) -> Value:
        """Somebody signed twice: the version that can have a strict majority without it stands, else the action."""
        unheard = some.about - self.cheats
        counts = {head: sum(last.head == head for last in lasts) for head in {last.head for last in lasts}}
        count, head = max((count, head) for head, count in counts.items())
        return Value(head) if 2 * (count + len(unheard)) > len(self.members) else self._by_action(some)

    def _by_action(self, vote: Vote) -> Value:
        return Value(self.head_of(vote.action, vote.about), vote.action, vote.about)

    def closings(self) -> list[Closing]:
        """Every way in which this step can be closed by what is held, by ascending round."""
        found = [Closing(0, Value(head)) for head in self.complete]
        for round_ in sorted(self.votes):
            value = self.certificate(round_)
            if value is not None:
                found.append(Closing(round_, value))
        return found

    def decided(self) -> Closing | None:
        """The closing that is final, if one is."""
        for closing in self.closings():
            if self.majority(self.showers(closing)) or self.majority(self._signers_above(closing.value.head)):
                return closing
        return None

    def acceptable(self) -> Closing | None:
        """The closing to accept now: of the highest round, not below what was promised or accepted."""
        above = -1 if self.closing is None else self.closing.round
        found = [closing for closing in self.closings() if closing.round >= self.promised and closing.round > above]
        return min(found, key=lambda closing: -closing.round) if found else None

    # A seat's own side.

    def last(self) -> Last | None:
        """What a seat's own ballot says of how it has closed the step."""
        if self.closing is not None:
            return Last(self.closing.round, self.closing.value.head)
        return Last(0, self.complete[0]) if self.complete else None

    def ballot_due(self, own: int, wish: Wish | None, *, stuck: bool) -> tuple[int, Wish] | None:
        """The round and the wish that this seat should vote for now, or None.

        ``stuck``: the newest round has had its time. A seat that holds a way to close the step may join any ballot
        that is not about itself: its own ``last`` then decides.
        """
        newest = max((round_ for round_, votes in self.votes.items() if votes), default=0)
        votes = self.votes.get(newest, {})
        if newest and own not in votes and self.promised < newest:
            if joined := self._to_copy(votes, own, wish):
                return newest, joined
            return (newest, wish) if wish is not None else None
        if newest >= ROUND_MAX:
            return None
        if newest and not stuck and (self.certificate(newest) is not None or self._can_fill(newest)):
            return None
        copied = self._to_copy(votes, own, wish)
        following = wish or copied if stuck else copied or wish
        return None if following is None else (newest + 1, following)

    def _can_fill(self, round_: int) -> bool:
        """Whether some ballots of this round may still become a certificate: nobody they need voted otherwise."""
        voted = self.votes[round_].keys()
        return any(voted - votes[0].about <= {vote.seat for vote in votes} for votes in self._agreeing(round_))

    def _to_copy(self, votes: dict[int, Vote], own: int, wish: Wish | None) -> Wish | None:
        """What to copy of these ballots: about the fewest, then of the lowest seat, of those this seat agrees with."""
        agreed = [
            (len(vote.about), seat, Wish(vote.action, vote.about))
            for seat, vote in votes.items()
            if own not in vote.about and self._agrees(vote, wish)
        ]
        return min(agreed, key=lambda each: each[:2])[2] if agreed else None

    def _agrees(self, vote: Vote, wish: Wish | None) -> bool:
        if not self.majority(self.members - vote.about):
            return False
        if self.last() is not None:
            return True
        return wish is not None and vote.about <= wish.about and (vote.action == "skip" or wish.action == "drop")
