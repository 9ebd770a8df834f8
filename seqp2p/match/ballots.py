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
    final        a strict majority of the seats show one value in one round: they sign the head after it. A signature
                 on a later step shows the value below it in round 0. Nobody signs above a certificate before it is
                 final, so a strict majority of signatures above it says that it is.

Why no two different values become final. Two strict majorities share a seat. Let v be final in round r and let the
certificate of a round r' > r have another outcome, r' the lowest such. A seat s showed v in round r and voted in r'. It
did not vote first: its promise would have kept it from showing v. So its ``last`` was v in round r or something later
and below r', which is v again. Rounds between r and r' have the outcome v, so the highest ``last`` in r' is v.
A round has one certificate at most: two would share a seat, which votes once. Accepting a closing of round r promises
as much as voting at r does, and what a seat has signed binds it after a crash too (``bind``).

Why it does not hang. While a strict majority is linked, whoever finds a round stuck (ballots that exclude each other,
or one that does not come) begins the next, about the seats that by now are unreachable, late or proved to have cheated;
a seat that agrees with every member copies the ballot that is about the fewest. See ``ballot_due``. Between two such
moments nobody goes on from the round it voted in, so a seat that hurries from round to round drags nobody along.

A seat that signs two contributions to one step gives two values in round 0, and may show both. Where ballots name both
as their ``last``, the value stands that can have been shown by a strict majority, all seats counted for it that did
not vote, and the cheat; if none can, the action does. With one cheat and an even number of seats at most one can. With
an odd number both can, and two halves that hold together only by the cheat can have seen either as final: whoever has
not, follows the majority's signatures.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Sanction: TypeAlias = Literal["skip", "drop"]
About: TypeAlias = frozenset[int]

# Shown at most so many different heads per seat and place: two are what equivocation makes, more prove no more.
VERSIONS_MAX = 2
ROUND_MAX = 1_000
# A round that one seat alone is in, so far ahead of all others, is not joined: it could use up all rounds by itself.
AHEAD_MAX = 16
# Kept of one seat and step: rounds of over eight minutes, and more closings than anybody signs. What a cheat signs
# beyond it would fill every other seat's journal.
VOTES_MAX = 64
SHOWN_MAX = 16


@dataclass(frozen=True, slots=True)
class Value:
    """How a step closes; ``head`` is the chain's head after it, which names the value."""

    head: bytes
    action: Sanction | None = None
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
    action: Sanction
    about: About
    last: Last | None


@dataclass(frozen=True, slots=True)
class Wish:
    """What one seat would have now: to skip the mover, or to drop these seats."""

    action: Sanction
    about: About


@dataclass
class Decree:
    """One step's consensus, as one seat (or a spectator) sees it.

    ``members`` are the seats in the game at this step; ``head_of(action, about)`` is the head after it was closed so.
    ``primary`` is the head after it if all contributions are held; ``complete`` are all heads that what is here could
    give: more than one after an equivocation. ``cheats`` are the seats that are proved to have signed two contributions
    to this step. ``promised`` and ``said`` are what the seat itself is bound by: the round it must not go below, and
    how it said that it has closed the step.
    """

    members: About
    head_of: Callable[[Sanction, About], bytes]
    cheats: set[int] = field(default_factory=set[int])
    complete: list[bytes] = field(default_factory=list[bytes])
    primary: bytes | None = None
    promised: int = 0
    said: Last | None = None
    closing: Closing | None = None
    votes: dict[int, dict[int, Vote]] = field(default_factory=dict[int, dict[int, Vote]])  # by round, by seat
    _shown: dict[int, dict[int, bytes]] = field(default_factory=dict[int, dict[int, bytes]])  # by seat, by round
    _above: dict[int, set[bytes]] = field(default_factory=dict[int, set[bytes]])

    def majority(self, seats: Collection[int]) -> bool:
        """Whether these are a strict majority of the seats in the game."""
        return 2 * len(seats) > len(self.members)

    # What comes in. Each is kept at most once; nothing is decided here.

    def vote(self, vote: Vote) -> None:
        """A ballot; the first of its seat and round counts, and none that leaves no majority: it can close nothing."""
        if self.majority(self.members - vote.about):
            self.votes.setdefault(vote.round, {}).setdefault(vote.seat, vote)

    def show(self, seat: int, round_: int, head: bytes) -> bool:
        """A seat has signed that it closed this step so; says whether that is new."""
        shown = self._shown.setdefault(seat, {})
        if round_ in shown or len(shown) >= SHOWN_MAX:
            return False  # Of each round the first word counts: a seat closes a step in one round in one way.
        shown[round_] = head
        return True

    def show_above(self, seat: int, head: bytes) -> None:
        """A seat has signed something on top of this head."""
        above = self._above.setdefault(seat, set())
        if len(above) < VERSIONS_MAX:
            above.add(head)

    # What binds the seat itself.

    def bind(self, round_: int, last: Last | None) -> None:
        """This seat has signed in this round, and said that it has closed the step so."""
        self.promised = max(self.promised, round_)
        if last is not None and (self.said is None or last.round > self.said.round):
            self.said = last

    def accept(self, closing: Closing) -> None:
        """Close the step so; nothing of a lower round is accepted any more, unless it is final."""
        self.closing = closing
        self.promised = max(self.promised, closing.round)

    # What follows from it.

    def showers(self, closing: Closing) -> set[int]:
        """The seats that show this value in this round."""
        head = closing.value.head
        shown = {seat for seat in self.members if self._shown.get(seat, {}).get(closing.round) == head}
        return shown | self._signers_above(head) if closing.round == 0 else shown

    @property
    def unexplained(self) -> bool:
        """Whether a seat says that contributions closed the step in a way that what is here does not give."""
        lasts = (vote.last for votes in self.votes.values() for vote in votes.values())
        heads = {last.head for last in lasts if last is not None and not last.round}
        heads |= {shown[0] for seat, shown in self._shown.items() if 0 in shown and seat in self.members}
        return not heads <= set(self.complete)

    def has_shown(self, seat: int) -> bool:
        """Whether this seat has signed for the closing that is accepted here."""
        return self.closing is not None and seat in self.showers(self.closing)

    def _signers_above(self, head: bytes) -> set[int]:
        return {seat for seat in self.members if head in self._above.get(seat, ())}

    def certificate(self, round_: int) -> Value | None:
        """The outcome of a round that has its certificate, and whose deciding ``last`` is known to be so."""
        if not self.majority(self.votes.get(round_, ())):
            return None  # At once: whoever floods a step with rounds is alone in them.
        for votes in self._agreeing(round_):
            voters = frozenset(vote.seat for vote in votes)
            if voters == self.members - votes[0].about and self.majority(voters):
                return self._outcome(votes, votes[0])
        return None

    def _agreeing(self, round_: int) -> Iterator[list[Vote]]:
        """The votes of a round, put together by what they are for."""
        groups: dict[tuple[Sanction, About], list[Vote]] = {}
        for _, vote in sorted(self.votes.get(round_, {}).items()):
            groups.setdefault((vote.action, vote.about), []).append(vote)
        yield from groups.values()

    def _outcome(self, votes: list[Vote], some: Vote) -> Value | None:
        lasts = [vote.last for vote in votes if vote.last is not None]
        if not lasts:
            return self._by_action(some)
        top = max(last.round for last in lasts)
        heads = {last.head for last in lasts if last.round == top}
        if top > 0:
            earlier = self.certificate(top)
            return earlier if earlier is not None and earlier.head in heads else None
        if len(heads) == 1:
            return self._version(heads.pop())
        return self._of_versions(votes, some) if self.cheats else None

    def _of_versions(self, votes: list[Vote], some: Vote) -> Value | None:
        """Somebody signed twice, and different versions were closed: the one that may be final stands, if one may."""
        honest = [vote.last.head for vote in votes if vote.last is not None and vote.seat not in self.cheats]
        unheard = len(some.about | self.cheats)
        counts = sorted(((honest.count(head), head) for head in set(honest)), reverse=True)
        possible = [head for count, head in counts if self.majority(range(count + unheard))]
        if len(possible) > 1 and not self.cheats <= some.about:
            return None  # A round about the cheat may tell.
        return self._version(possible[0]) if possible else self._by_action(some)

    def _version(self, head: bytes) -> Value | None:
        return Value(head) if head in self.complete else None

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
        for closing in reversed(self.closings()):
            if closing.round < self.promised or closing.round <= above:
                break
            if closing.round or closing.value.head == self.primary:
                return closing
        return None

    # A seat's own side.

    def last(self) -> Last | None:
        """What a seat's own ballot says of how it has closed the step."""
        now = None if self.primary is None else Last(0, self.primary)
        if self.closing is not None:
            now = Last(self.closing.round, self.closing.value.head)
        return self.said if self.said is not None and (now is None or now.round < self.said.round) else now

    def voted_out(self, seat: int) -> bool:
        """Whether as many ballots of this seat are here as anybody keeps."""
        return sum(seat in votes for votes in self.votes.values()) >= VOTES_MAX

    def ballot_due(self, own: int, wish: Wish | None, *, stuck: bool) -> tuple[int, Wish] | None:
        """The round and the wish that this seat should vote for now, or None.

        ``stuck``: the round this seat is in has had its time. A seat that holds a way to close the step may join any
        ballot that is not about itself: its own ``last`` then decides. Seats that this one wants to be rid of begin no
        round for it.
        """
        if wish is not None and not self.majority(self.members - wish.about):
            wish = None
        unheard = frozenset[int]() if wish is None else wish.about
        newest = self.newest(unheard)
        if (self.promised and not stuck) or self.voted_out(own):
            return None
        votes = {seat: vote for seat, vote in self.votes.get(newest, {}).items() if seat not in unheard}
        copied = self._to_copy(votes, own, wish)
        if newest > self.promised:
            joined = copied or wish
            return None if joined is None else (newest, joined)
        following = wish or copied
        if following is None or self.promised >= ROUND_MAX or self._may_fill(own, following):
            return None
        return self.promised + 1, following

    def newest(self, unheard: About = frozenset()) -> int:
        """The newest round that seats outside ``unheard`` are in and that can be joined; 0 where there is none."""
        latest: dict[int, int] = {}
        for round_, votes in self.votes.items():
            for seat in votes.keys() - unheard:
                latest[seat] = max(latest.get(seat, 0), round_)
        second = sorted(latest.values())[-2] if len(latest) > 1 else 0
        reach = max(self.promised, second) + AHEAD_MAX
        return max(
            (round_ for round_, votes in self.votes.items() if votes.keys() - unheard and round_ <= reach), default=0
        )

    def hindering(self, wish: Wish) -> About:
        """Who keeps the round this seat is in from closing the step by these ballots, as far as is known here.

        The seats that did not vote so, and if all did, those whose ``last`` nothing here bears out.
        """
        equal = self._equal(self.promised, wish)
        missing = self.members - wish.about - equal.keys()
        if missing or not equal or self.certificate(self.promised) is not None:
            return missing
        lasts = {seat: vote.last for seat, vote in equal.items() if vote.last is not None}
        top = max(last.round for last in lasts.values())
        return frozenset(seat for seat, last in lasts.items() if last.round == top and not self._borne_out(last))

    def _borne_out(self, last: Last) -> bool:
        value = self._version(last.head) if last.round == 0 else self.certificate(last.round)
        return value is not None and value.head == last.head

    def _equal(self, round_: int, wish: Wish) -> dict[int, Vote]:
        votes = self.votes.get(round_, {}).items()
        return {seat: vote for seat, vote in votes if (vote.action, vote.about) == (wish.action, wish.about)}

    def _may_fill(self, own: int, wish: Wish) -> bool:
        """Whether this seat has voted so in the round it is in, and nobody who is needed has voted otherwise."""
        equal = self._equal(self.promised, wish)
        return own in equal and self.votes[self.promised].keys() - wish.about <= equal.keys()

    def _to_copy(self, votes: dict[int, Vote], own: int, wish: Wish | None) -> Wish | None:
        """What to copy of these ballots: about the fewest, then of the lowest seat, of those this seat agrees with."""
        agreed = [
            (len(vote.about), seat, Wish(vote.action, vote.about))
            for seat, vote in votes.items()
            if own not in vote.about and self._agrees(vote, wish)
        ]
        return min(agreed, key=lambda each: each[:2])[2] if agreed else None

    def _agrees(self, vote: Vote, wish: Wish | None) -> bool:
        if self.last() is not None:
            return True
        return wish is not None and vote.about <= wish.about and (vote.action == "skip" or wish.action == "drop")
