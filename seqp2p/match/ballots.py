"""Closing a step without its contributor, so that no two peers ever close it differently. Theory and tables.

This is single-decree consensus per step: Paxos, with the contributions as the value proposed in round 0. There is no
leader; any seat may begin a round, and a round needs every seat that it is not about.

    value        a way to close a step: by its contributions (``action`` is None), or by ``skip`` or ``drop`` of the
                 seats it is about. The head after the step names the value; the round is not part of it.
    ballot       one seat's vote in one round ≥ 1: an action, the seats it is about, and ``last``: the round and value
                 by which this seat has closed the step so far, or (0, contributions) if it holds them all, or none.
                 A seat that votes at r promises to close in no round below r, unless that value is final.
    certificate  equal ballots of one round from *every* seat of the game outside the seats they are about, and those
                 are a strict majority. Its outcome: the value with the highest round among their ``last``, if any has
                 one; otherwise the action.
    final        a strict majority of the seats show one value in one round: they sign the head after it. A signature
                 on a later step shows the value below it in round 0. No seat signs above a certificate before it is
                 final, so a strict majority of signatures above it shows that it is.

Safety: no two different values become final. Two strict majorities share a seat. Let v be final in round r and let the
certificate of a round r' > r have another outcome, r' the lowest such. A seat s showed v in round r and voted in r'. It
did not vote first: its promise would have kept it from showing v. So its ``last`` was v in round r or the value of a
round between them, which is v again. Rounds between r and r' have the outcome v, so the highest ``last`` in r' is v.
A round has one certificate at most: two would share a seat, which votes once. Accepting a closing of round r promises
as much as voting at r does, and signatures bind a seat after a crash too (``bind``).

Liveness. While a strict majority is linked, a seat that finds a round stuck (ballots that exclude each other, or a
missing one) begins the next, about the seats that are then unreachable, late or proved to have cheated. A seat that
agrees with every member copies the ballot about the fewest. See ``ballot_due``. Between two such moments no
seat leaves the round it voted in, so a seat that hurries from round to round takes no other along.

Equivocation. A seat that signs two contributions to one step gives two values in round 0, and may show both. If
ballots name both as their ``last``, the value stands that a strict majority can have shown, counting for it all seats
that did not vote, and the cheat; if none can, the action stands. With one cheat and an even number of seats at most one
can. With an odd number both can, and two halves that only the cheat connects can have seen either as final: the others
follow the majority's signatures.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Sanction: TypeAlias = Literal["skip", "drop"]
About: TypeAlias = frozenset[int]

# The different heads kept per seat and place: equivocation makes two, and more prove no more.
VERSIONS_MAX = 2
ROUND_MAX = 1_000
# A round that only one seat is in, this far ahead of all others, is not joined: it could use up all rounds alone.
AHEAD_MAX = 16
# Kept of one seat and step: rounds of over eight minutes, and more closings than an honest seat signs. More signatures
# of a cheat would fill every other seat's journal.
VOTES_MAX = 64
SHOWN_MAX = 16


@dataclass(frozen=True, slots=True)
class Value:
    """A way to close a step; ``head`` is the chain's head after it, which names the value."""

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
    """A seat's statement of its closing: a round, and the head after it."""

    round: int
    head: bytes


@dataclass(frozen=True, slots=True)
class Vote:
    seat: int
    round: int
    action: Sanction
    about: About
    last: Last | None


@dataclass(frozen=True, slots=True)
class Wish:
    """The wish of one seat now: to skip the mover, or to drop these seats."""

    action: Sanction
    about: About


@dataclass
class Decree:
    """One step's consensus, as one seat (or a spectator) sees it.

    ``members`` are the seats in the game at this step; ``head_of(action, about)`` is the head after this closing.
    ``primary`` is the head after it if all contributions are held; ``complete`` are all heads that the held
    contributions can give: more than one after an equivocation. ``cheats`` are the seats that are proved to have signed
    two contributions to this step. ``promised`` and ``said`` bind the seat itself: the round it must not go below, and
    its last statement of its closing.
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
        """Return True if these are a strict majority of the seats in the game."""
        return 2 * len(seats) > len(self.members)

    # Input. Each thing is kept at most once; nothing is decided here.

    def vote(self, vote: Vote) -> None:
        """Keep the first vote of its seat and round, if it leaves a majority: others close nothing."""
        if self.majority(self.members - vote.about):
            self.votes.setdefault(vote.round, {}).setdefault(vote.seat, vote)

    def show(self, seat: int, round_: int, head: bytes) -> bool:
        """Keep a signed head of a seat. Return True if it is new."""
        shown = self._shown.setdefault(seat, {})
        if round_ in shown or len(shown) >= SHOWN_MAX:
            return False  # The first head of each round counts: a seat closes a step in one round in one way.
        shown[round_] = head
        return True

    def show_above(self, seat: int, head: bytes) -> None:
        """Keep that a seat has signed something on top of this head."""
        above = self._above.setdefault(seat, set())
        if len(above) < VERSIONS_MAX:
            above.add(head)

    # The seat's own bonds.

    def bind(self, round_: int, last: Last | None) -> None:
        """Bind this seat: it has signed in this round, with this statement of its closing."""
        self.promised = max(self.promised, round_)
        if last is not None and (self.said is None or last.round > self.said.round):
            self.said = last

    def accept(self, closing: Closing) -> None:
        """Accept a closing. From now on nothing of a lower round is accepted, unless it is final."""
        self.closing = closing
        self.promised = max(self.promised, closing.round)

    # Conclusions.

    def showers(self, closing: Closing) -> set[int]:
        """Return the seats that show this value in this round."""
        head = closing.value.head
        shown = {seat for seat in self.members if self._shown.get(seat, {}).get(closing.round) == head}
        return shown | self._signers_above(head) if closing.round == 0 else shown

    @property
    def unexplained(self) -> bool:
        """True if a seat claims a closing by contributions that those held here do not give."""
        lasts = (vote.last for votes in self.votes.values() for vote in votes.values())
        heads = {last.head for last in lasts if last is not None and not last.round}
        heads |= {shown[0] for seat, shown in self._shown.items() if 0 in shown and seat in self.members}
        return not heads <= set(self.complete)

    def _signers_above(self, head: bytes) -> set[int]:
        return {seat for seat in self.members if head in self._above.get(seat, ())}

    def certificate(self, round_: int) -> Value | None:
        """Return the outcome of a round with a certificate whose deciding ``last`` is confirmed here, or None."""
        if not self.majority(self.votes.get(round_, ())):
            return None  # A shortcut: a seat that floods a step with rounds is alone in them.
        groups: dict[tuple[Sanction, About], list[Vote]] = {}
        for _, vote in sorted(self.votes.get(round_, {}).items()):
            groups.setdefault((vote.action, vote.about), []).append(vote)
        for votes in groups.values():
            voters = frozenset(vote.seat for vote in votes)
            if voters == self.members - votes[0].about and self.majority(voters):
                return self._outcome(votes, votes[0])
        return None

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
        """A seat signed twice, and different versions were closed: return the one that may be final, if any."""
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
        """Return every closing that the held things allow, by ascending round."""
        return [
            *(Closing(0, Value(head)) for head in self.complete),
            *(
                Closing(round_, value)
                for round_ in sorted(self.votes)
                if (value := self.certificate(round_)) is not None
            ),
        ]

    def decided(self) -> Closing | None:
        """Return the final closing, or None."""
        for closing in self.closings():
            if self.majority(self.showers(closing)) or self.majority(self._signers_above(closing.value.head)):
                return closing
        return None

    def acceptable(self) -> Closing | None:
        """Return the closing to accept now: of the highest round, not below the promised or accepted one."""
        above = -1 if self.closing is None else self.closing.round
        for closing in reversed(self.closings()):
            if closing.round < self.promised or closing.round <= above:
                break
            if closing.round or closing.value.head == self.primary:
                return closing
        return None

    # A seat's own side.

    def last(self) -> Last | None:
        """Return the ``last`` of a seat's own ballot."""
        now = None if self.primary is None else Last(0, self.primary)
        if self.closing is not None:
            now = Last(self.closing.round, self.closing.value.head)
        return self.said if self.said is not None and (now is None or now.round < self.said.round) else now

    def voted_out(self, seat: int) -> bool:
        """Return True if the limit of ballots of this seat is reached."""
        return sum(seat in votes for votes in self.votes.values()) >= VOTES_MAX

    def ballot_due(self, own: int, wish: Wish | None, *, stuck: bool) -> tuple[int, Wish] | None:
        """Return the round and the wish that this seat should vote for now, or None.

        ``stuck``: the round this seat is in has had its time. A seat that holds a way to close the step may join any
        ballot that is not about itself: its own ``last`` then decides. It does not join rounds of seats that it wants
        to skip or drop.
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
        """Return the newest round of seats outside ``unheard`` that can be joined, or 0."""
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
        """Return the seats that prevent these ballots from closing the step in the present round.

        They are the seats that did not vote so, and if all did, those whose ``last`` is not confirmed here.
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
        """Return True if this seat has voted so in its round with others, and no needed seat has voted otherwise.

        A seat that is alone in its round votes again, as far ahead as the others follow.
        """
        equal = self._equal(self.promised, wish)
        if own not in equal or not self.votes[self.promised].keys() - wish.about <= equal.keys():
            return False
        others = max((round_ for round_, votes in self.votes.items() if votes.keys() - {own}), default=0)
        return len(equal) > 1 or self.promised >= others + AHEAD_MAX

    def _to_copy(self, votes: dict[int, Vote], own: int, wish: Wish | None) -> Wish | None:
        """Return the ballot to copy, of those that this seat agrees with: about the fewest, of the lowest seat."""
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
