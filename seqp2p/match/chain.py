"""The chain of steps: the final ones, those that are closed but not final, and the open one.

    record[0] … record[final − 1] │ record[final] … record[-1] │ open
              final               │     closed, provisional    │

A step closes by its contributions or, where ballots say so, by an action (ballots.py). As long as it is not final,
another closing of a higher round may take its place; then everything above it is undone. Each live step keeps the
game as it was when the step opened, so undoing is going back to that.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from seqp2p.crypto.hashing import tagged_hash
from seqp2p.match import labels
from seqp2p.match.ballots import Closing, Decree, Sanction
from seqp2p.match.contribution import Contribution
from seqp2p.match.events import Dropped, Event, Skipped, Undone
from seqp2p.match.game import Game, StepPlan
from seqp2p.match.signed import head_of_action
from seqp2p.match.steps import STEPS, awaited_seats, next_plan

# With fewer seats in the game, nobody is left for a majority without somebody.
VOTERS_MIN = 3
# Of the ways in which a step can be closed where seats signed twice, so many are looked at: cheats can make no more.
CHOICES_MAX = 64


@dataclass(frozen=True, slots=True)
class Checked:
    """A contribution that is right in its step, and what the step keeps of it."""

    contribution: Contribution
    kept: Any


@dataclass(frozen=True, slots=True)
class Judged:
    """A contribution that passed every check of its step, and what the step keeps of it."""

    step: int
    seat: int
    contribution: Contribution
    checked: Checked


@dataclass(frozen=True, slots=True)
class ClosedStep:
    """A step of the record: its number, the head before it, and its contributions in seat order.

    Where ballots closed it by an action it has no contributions: ``action``, the seats it is about, and the ballots
    that are its certificate, in seat order.
    """

    number: int
    prev: bytes
    contributions: tuple[tuple[int, Contribution], ...]
    action: Sanction | None = None
    about: tuple[int, ...] = ()
    ballots: tuple[Contribution, ...] = ()


@dataclass
class LiveStep:
    """A step that is not final: what is held of it, how it is closed (``decree.closing``), the game before it."""

    number: int
    prev: bytes
    plan: StepPlan
    seats: frozenset[int]
    before: Game
    decree: Decree
    held: dict[int, Checked] = field(default_factory=dict[int, Checked])
    # Of a seat that signed twice, what else it signed, if that is right in itself.
    second: dict[int, list[Checked]] = field(default_factory=dict[int, list[Checked]])
    ballots: dict[tuple[int, int], Contribution] = field(default_factory=dict[tuple[int, int], Contribution])

    @property
    def votable(self) -> bool:
        """Whether ballots may close it; if not, its contributions are final at once.

        Before the first deal a missing seat ends the table, the end is counted, and two seats have no majority
        without each other.
        """
        members = len(self.decree.members)
        return self.before.position is not None and self.plan.kind != "over" and members >= VOTERS_MIN

    def versions(self) -> Iterator[tuple[bytes, dict[int, Checked]]]:
        """Every way to close it by contributions that are here: the head after it, and the contributions."""
        if not self.seats <= self.held.keys() | self.second.keys():
            return  # Somebody's is not here at all.
        seats = sorted(self.seats)
        choices = [[*self._held_of(seat), *self.second.get(seat, ())] for seat in seats]
        for chosen in itertools.islice(itertools.product(*choices), CHOICES_MAX):
            version = dict(zip(seats, chosen, strict=True))
            yield self._head(version), version

    def keep_second(self, seat: int, checked: Checked) -> bool:
        """Keep a contribution of a seat that signed twice; as many as seats can have seen different ones."""
        known = [each.payload for each in self.versions_of(seat)]
        if checked.contribution.payload in known or len(known) >= len(self.decree.members):
            return False
        self.second.setdefault(seat, []).append(checked)
        return True

    def versions_of(self, seat: int) -> list[Contribution]:
        """What this seat has signed for this step, as far as it is here and right in itself."""
        return [each.contribution for each in (*self._held_of(seat), *self.second.get(seat, ()))]

    def _held_of(self, seat: int) -> tuple[Checked, ...]:
        return (self.held[seat],) if seat in self.held else ()

    def _head(self, version: dict[int, Checked]) -> bytes:
        payloads = (version[seat].contribution.payload for seat in sorted(version))
        return tagged_hash(labels.STEP, self.prev, *payloads)

    def note_complete(self) -> None:
        """Tell the decree which closings by contributions are possible."""
        self.decree.complete = [head for head, _ in self.versions()]
        self.decree.primary = self._head(self.held) if self.seats <= self.held.keys() else None


class Chain:
    """The steps of one game; ``game`` is the state after all that are closed."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.record: list[ClosedStep] = []
        self.final = 0
        self.live: list[LiveStep] = []
        self._undone: dict[tuple[int, bytes], LiveStep] = {}  # by number and head before it: should that come back
        self._open_next(game.id)

    @property
    def head(self) -> bytes:
        """The hash of everything that is closed."""
        return self.game.heads[-1]

    @property
    def open(self) -> LiveStep | None:
        """The step that contributions are taken for now, or None after the end."""
        return self.live[-1] if self.live and self.live[-1].decree.closing is None else None

    @property
    def opened(self) -> int:
        """The number of the last step that has been opened. The next one may never be."""
        return len(self.record) + (self.open is not None)

    @property
    def base(self) -> LiveStep | None:
        """The first step that is not final, which ballots are about; None when all are."""
        return self.live[0] if self.live else None

    def live_step(self, number: int) -> LiveStep | None:
        """The step of that number, if it is not final."""
        index = number - self.final - 1
        return self.live[index] if 0 <= index < len(self.live) else None

    def witness(self, seat: int, step: int, prev: bytes) -> None:
        """A seat has signed something to this step on top of this head: it shows every closing below."""
        below = self.live_step(step - 1)
        if below is not None and seat in below.decree.members:
            below.decree.show_above(seat, prev)
        here = self.live_step(step)
        if here is not None and here.prev == prev:
            for lower in self.live[: here.number - self.final - 1]:
                closing = lower.decree.closing
                if closing is not None and seat in lower.decree.members:
                    lower.decree.show_above(seat, closing.value.head)

    def to_show(self) -> list[LiveStep]:
        """The closed steps that a seat may sign the head of now: the last above which nothing is in doubt.

        In round 0 one signature shows all below it; a later round is shown by its own.
        """
        shown: list[LiveStep] = []
        for step in self.live:
            closing = step.decree.closing
            if closing is None or closing.round < step.decree.promised or (not closing.round and step.decree.cheats):
                break
            shown = [step]
            if closing.round > 0:
                break
        return shown

    def settle(self) -> tuple[Event, ...]:
        """Close, undo and make final what can be, by what is held; returns the events that follow."""
        events: list[Event] = []
        while (base := self.base) is not None:
            decided = self._decided(base)
            if decided is not None:
                events += self._accept(base, decided)
                events += self._make_final()
            elif not self._close_in_order(events):
                break
        return tuple(events)

    def _decided(self, base: LiveStep) -> Closing | None:
        """How the base closed for good. Whoever shows a closing of a later step shows those that it builds on."""
        if not base.votable or any(step.votable and step.decree.decided() for step in self.live[1:]):
            return base.decree.closing
        return base.decree.decided()

    def trust(self) -> tuple[Event, ...]:
        """Take everything that is closed for final: the word of whoever wrote the record."""
        events: list[Event] = []
        while (base := self.base) is not None and base.decree.closing is not None:
            events += self._make_final()
        return tuple(events)

    def _close_in_order(self, events: list[Event]) -> bool:
        """Accept the next closing that is better than what there is, from the base upwards; says whether there was."""
        for step in self.live:
            better = step.decree.acceptable()
            if better is not None:
                events += self._accept(step, better)
                return True
        return False

    def _accept(self, step: LiveStep, closing: Closing) -> list[Event]:
        """Close a step so, whatever it was closed by before."""
        before = step.decree.closing
        step.decree.accept(closing)
        if before is not None and before.value.head == closing.value.head:
            return []
        events: list[Event] = []
        if before is not None:
            self._undo(step)
            events.append(Undone(step.number))
        if closing.value.action is None:
            events += self._close_by_contributions(step, closing.value.head)
        else:
            self._close_by_action(step, closing)
        self._open_next(closing.value.head)
        return events

    def _undo(self, step: LiveStep) -> None:
        index = step.number - self.final - 1
        self._undone |= {(above.number, above.prev): above for above in self.live[index + 1 :]}
        del self.live[index + 1 :]
        del self.record[step.number - 1 :]
        self.game = step.before.copy()

    def _close_by_contributions(self, step: LiveStep, head: bytes) -> tuple[Event, ...]:
        step.held = dict(next(version for each, version in step.versions() if each == head))
        kept = {seat: checked.kept for seat, checked in step.held.items()}
        events: tuple[Event, ...] = STEPS[step.plan.kind].close(self.game, step.plan, kept)
        contributions = tuple((seat, checked.contribution) for seat, checked in sorted(step.held.items()))
        self.record.append(ClosedStep(step.number, step.prev, contributions))
        return events

    def _close_by_action(self, step: LiveStep, closing: Closing) -> None:
        action, about = closing.value.action, tuple(sorted(closing.value.about))
        if action == "skip":
            self.game.skip()
        else:
            self.game.drop(about)
        self.record.append(ClosedStep(step.number, step.prev, (), action, about, self._certificate(step, closing)))

    def _certificate(self, step: LiveStep, closing: Closing) -> tuple[Contribution, ...]:
        """The ballots of the first round that closes the step so: a value that is certified again keeps its bytes."""
        first = next(each for each in step.decree.closings() if each.value == closing.value)
        votes = step.decree.votes[first.round].items()
        about = closing.value
        return tuple(
            step.ballots[first.round, seat]
            for seat, vote in sorted(votes)
            if (vote.action, vote.about) == (about.action, about.about)
        )

    def _make_final(self) -> list[Event]:
        """The base is final; the next step is the base."""
        self.live.pop(0)
        self.final += 1
        self._undone = {place: step for place, step in self._undone.items() if place[0] > self.final}
        closed = self.record[self.final - 1]
        if closed.action == "skip":
            return [Skipped(closed.about[0])]
        return [Dropped(closed.about)] if closed.action == "drop" else []

    def _open_next(self, head: bytes) -> None:
        self.game.heads.append(head)
        plan = next_plan(self.game)
        if plan is None:
            return
        number, members = len(self.record) + 1, frozenset(self.game.seats)
        step = self._undone.pop((number, head), None)
        if step is None:
            decree = Decree(members, partial(head_of_action, head))
            step = LiveStep(number, head, plan, awaited_seats(self.game, plan), self.game.copy(), decree)
        step.decree.closing = None
        self.live.append(step)
