"""The ballot machine of one step, explored: seats that hear anything in any order, crash, and wish what they like.

A *local state* is the set of messages that one seat has signed: nothing else binds it. Whenever a seat acts, it has
come back with that set alone, has heard any of the ballots that were signed so far, and holds the contribution or does
not. So messages come in any order, late, twice or never, and a crash can happen at any time. A closing is final by the
signatures, though no seat may have seen all of them.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import TypeAlias

from seqp2p.match.ballots import About, Decree, Last, Sanction, Vote, Wish

MOVER = 1
CONTRIBUTED = b"contributed"


def head_of(action: Sanction, about: About) -> bytes:
    """A head that tells the action."""
    return f"{action} {sorted(about)}".encode()


Local: TypeAlias = "frozenset[Vote | Shown]"
State: TypeAlias = tuple[Local, ...]


class Fork(AssertionError):
    """Two different closings are final."""


@dataclass
class Model:
    """What all seats have in common, and the machine: another ``decree`` shows what goes wrong without its rules."""

    members: About
    decree: type[Decree] = Decree
    rounds_max: int = 2
    skips: bool = True
    shows_below_its_promise: bool = False
    _acts: dict[tuple[int, Local, frozenset[Vote]], frozenset[Local]] = field(default_factory=dict)
    _heard: dict[tuple[int, Local, frozenset[Vote]], frozenset[Local]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._wishes = {seat: list(self.wishes(seat)) for seat in self.members}

    def party(self, seat: int, local: Local, heard: Collection[Vote], *, held: bool) -> "Party":
        """A seat that has signed this and heard these ballots; it has closed what it can."""
        party = Party(seat, self.members, self.decree)
        for message in (*local, *([Held(CONTRIBUTED)] if held else []), *heard):
            party.take(message)
        return party

    def acts(self, seat: int, local: Local, ballots: frozenset[Vote]) -> frozenset[Local]:
        """What a seat may do next that has heard any of these ballots."""
        key = seat, local, ballots
        if key not in self._acts:
            heard = (self._possible(seat, local, some) for some in subsets(ballots))
            self._acts[key] = frozenset().union(*heard) - {local}
        return self._acts[key]

    def _possible(self, seat: int, local: Local, heard: tuple[Vote, ...]) -> frozenset[Local]:
        key = seat, local, frozenset(heard)
        if key not in self._heard:
            found = set[Local]()
            for held in (False, True):
                party = self.party(seat, local, heard, held=held)
                shown = party.due_closing(below_promise=self.shows_below_its_promise)
                if shown is not None:
                    found.add(local | {shown})
                ballots = (party.due_ballot(wish, stuck=True) for wish in (None, *self._wishes[seat]))
                found.update(local | {ballot} for ballot in ballots if ballot is not None)
            self._heard[key] = frozenset(found)
        return self._heard[key]

    def wishes(self, seat: int) -> Iterator[Wish]:
        """All that a seat can wish: to skip the mover, or to drop seats that leave a majority."""
        if seat != MOVER and self.skips:
            yield Wish("skip", frozenset({MOVER}))
        others = sorted(self.members - {seat})
        for size in range(1, len(others)):
            if 2 * (len(self.members) - size) > len(self.members):
                yield from (Wish("drop", frozenset(some)) for some in combinations(others, size))


def subsets(votes: frozenset[Vote]) -> Iterator[tuple[Vote, ...]]:
    """Every choice among these."""
    listed = sorted(votes, key=lambda vote: (vote.round, vote.seat))
    for size in range(len(listed) + 1):
        yield from combinations(listed, size)


def explore(model: Model, signed_max: int = 99) -> Iterator[State]:
    """Every state that can be reached with so many signatures, up to an exchange of two seats; raises Fork."""
    book = _Book(model)
    start = (book.number(frozenset()),) * len(model.members)
    seen, front = {start}, [start]
    while front:
        state = front.pop()
        locals_ = tuple(book.locals[number] for number in state)
        if len(shown_final(frozenset().union(*locals_), len(locals_))) > 1:
            raise Fork(locals_)
        yield locals_
        if sum(map(len, locals_)) >= signed_max:
            continue
        for following in book.successors(state):
            if following not in seen:
                seen.add(following)
                front.append(following)


Numbers: TypeAlias = tuple[int, ...]


class _Book:
    """Local states by number, and what follows each: states are compared many times more often than made."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.locals: list[Local] = []
        self._numbers: dict[Local, int] = {}
        self._votes: list[int] = []
        self._vote_sets: dict[frozenset[Vote], int] = {}
        self._mirrored: list[int] = []
        self._following: dict[Numbers, list[int]] = {}

    def number(self, local: Local) -> int:
        """The number of a local state."""
        if local not in self._numbers:
            self._numbers[local] = len(self.locals)
            self.locals.append(local)
            self._votes.append(self._vote_sets.setdefault(votes_in(local), len(self._vote_sets)))
            self._mirrored.append(-1)
        return self._numbers[local]

    def successors(self, state: Numbers) -> Iterator[Numbers]:
        """What can happen next; of two states that only differ in the names of seats 2 and 3, one."""
        for at, number in enumerate(state):
            others = state[:at] + state[at + 1 :]
            key = (at, number, *(self._votes[other] for other in others))
            if key not in self._following:
                ballots = votes_in(frozenset().union(*(self.locals[other] for other in others)))
                found = self.model.acts(at + 1, self.locals[number], ballots)
                self._following[key] = [
                    self.number(local)
                    for local in found
                    if all(vote.round <= self.model.rounds_max for vote in votes_in(local))
                ]
            for following in self._following[key]:
                after = (*state[:at], following, *state[at + 1 :])
                yield min(after, self._mirror(after))

    def _mirror(self, state: Numbers) -> Numbers:
        first, second, third = state
        return self._mirrored_local(first), self._mirrored_local(third), self._mirrored_local(second)

    def _mirrored_local(self, number: int) -> int:
        if self._mirrored[number] < 0:
            other = self.number(frozenset(map(_mirrored_message, self.locals[number])))
            self._mirrored[number], self._mirrored[other] = other, number
        return self._mirrored[number]


def votes_in(local: Local) -> frozenset[Vote]:
    return frozenset(message for message in local if isinstance(message, Vote))


_SWAPPED = str.maketrans("23", "32")
_SEATS = {1: 1, 2: 3, 3: 2}


def _mirrored_last(last: Last) -> Last:
    return Last(last.round, last.head.decode().translate(_SWAPPED).encode())


def _mirrored_message(message: "Vote | Shown") -> "Vote | Shown":
    if isinstance(message, Shown):
        return Shown(_SEATS[message.seat], _mirrored_last(message.last))
    about = frozenset(_SEATS[seat] for seat in message.about)
    last = None if message.last is None else _mirrored_last(message.last)
    return Vote(_SEATS[message.seat], message.round, message.action, about, last)


# Messages one by one, for more seats than can be explored.


@dataclass(frozen=True, slots=True)
class Held:
    """The contribution, in one of the versions that its seat signed."""

    head: bytes


@dataclass(frozen=True, slots=True)
class Shown:
    """A seat's word on how it closed the step."""

    seat: int
    last: Last


Message: TypeAlias = Held | Vote | Shown


class Party:
    """One seat with its decree; ``journal`` is all that it has taken, in order."""

    def __init__(self, seat: int, members: About, decree: type[Decree] = Decree) -> None:
        self.seat, self.members, self._decree = seat, members, decree
        self.journal: list[Message] = []
        self.decree = decree(members, head_of)
        self.final: bytes | None = None

    def take(self, message: Message) -> None:
        """Hear or sign something, and close what can be closed by it."""
        if message in self.journal:
            return
        self.journal.append(message)
        match message:
            case Held(head):
                self._hold(head)
            case Vote():
                self.decree.vote(message)
                if message.seat == self.seat:
                    self.decree.bind(message.round, message.last)
            case Shown(seat, last):
                if seat == self.seat:
                    self.decree.bind(last.round, last)
                self.decree.show(seat, last.round, last.head)
        self._settle()

    def _hold(self, head: bytes) -> None:
        self.decree.complete.append(head)
        if self.decree.primary is None:
            self.decree.primary = head
        else:
            self.decree.cheats.add(MOVER)

    def _settle(self) -> None:
        if (decided := self.decree.decided()) is not None:
            self.decree.accept(decided)
            self.final = decided.value.head
        while self.final is None and (closing := self.decree.acceptable()) is not None:
            self.decree.accept(closing)

    def due_ballot(self, wish: Wish | None, *, stuck: bool) -> Vote | None:
        due = None if self.final else self.decree.ballot_due(self.seat, wish, stuck=stuck)
        return None if due is None else Vote(self.seat, due[0], due[1].action, due[1].about, self.decree.last())

    def due_closing(self, *, below_promise: bool = False) -> Shown | None:
        """The closing that it may show, if it has not; ``below_promise`` breaks the rule of the promise."""
        closing, decree = self.decree.closing, self.decree
        if closing is None or self.seat in decree.showers(closing):
            return None
        if (closing.round < decree.promised and not below_promise) or (closing.round == 0 and decree.cheats):
            return None
        return Shown(self.seat, Last(closing.round, closing.value.head))

    def sign(self, message: Message | None) -> None:
        if message is not None:
            self.take(message)

    def restart(self, kept: int) -> None:
        """Come back with its own messages, and with those that it had heard before entry ``kept`` of the journal."""
        journal, self.journal = self.journal, []
        self.decree, self.final = self._decree(self.members, head_of), None
        for at, message in enumerate(journal):
            if at < kept or (not isinstance(message, Held) and message.seat == self.seat):
                self.take(message)


def shown_final(messages: Collection[Message], seats: int) -> set[bytes]:
    """The heads that a strict majority of so many seats has shown, in one round."""
    counts: dict[Last, set[int]] = {}
    for message in messages:
        if isinstance(message, Shown):
            counts.setdefault(message.last, set()).add(message.seat)
    return {last.head for last, who in counts.items() if 2 * len(who) > seats}


def heal(parties: dict[int, Party], *, contributed: bool, ticks_max: int = 12) -> set[bytes | None]:
    """Seats that hear each other again, all others being gone, tick in turn until each knows the final closing."""
    some = next(iter(parties.values()))
    for _ in range(ticks_max):
        for seat in sorted(parties):
            _tell_each_other(parties, contributed=contributed)
            party = parties[seat]
            gone = frozenset(some.members - parties.keys() | party.decree.cheats)
            if party.decree.majority(some.members - gone) and seat not in gone:
                party.sign(party.due_ballot(Wish("drop", gone) if gone else None, stuck=True))
        for party in parties.values():
            _tell_each_other(parties, contributed=contributed)
            party.sign(party.due_closing())
        _tell_each_other(parties, contributed=contributed)
        if all(party.final for party in parties.values()):
            break
    return {party.final for party in parties.values()}


def _tell_each_other(parties: dict[int, Party], *, contributed: bool) -> None:
    known = dict.fromkeys(message for party in parties.values() for message in party.journal)
    if contributed:
        known.setdefault(Held(CONTRIBUTED))
    for party in parties.values():
        for message in known:
            party.take(message)
