"""The chain of steps: the final ones, those that are closed but not final, and the open one.

    record[0] … record[final − 1] │ record[final] … record[-1] │ open
              final               │     closed, provisional    │

A step closes by its contributions, or by an action if ballots decide so (ballots.py). Until it is final, another
closing of a higher round may replace it; then everything above it is undone. Each live step keeps the game as it was
when the step opened, so undoing restores that game.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from seqp2p.crypto.hashing import STEP, tagged_hash
from seqp2p.match.ballots import Closing, Decree, Sanction
from seqp2p.match.contribution import Contribution
from seqp2p.match.events import Dropped, Event, Skipped, Undone
from seqp2p.match.game import GameState, StepPlan
from seqp2p.match.signed import head_of_action
from seqp2p.match.steps import STEPS, awaited_seats, next_plan

# With fewer seats in the game, there is no majority without each of them.
VOTERS_MIN = 3
# The number of versions of a step that are tried after equivocation: cheats cannot make more work.
CHOICES_MAX = 64


@dataclass(frozen=True, slots=True)
class Checked:
    """A contribution that passed every check of its step, and the part that the step keeps."""

    step: int
    seat: int
    contribution: Contribution
    kept: Any


@dataclass(frozen=True, slots=True)
class ClosedStep:
    """A step of the record: its number, the head before it, and its contributions in seat order.

    A step that ballots closed has no contributions: it has ``action``, the seats it is about, and the ballots of its
    certificate, in seat order.
    """

    number: int
    prev: bytes
    contributions: tuple[tuple[int, Contribution], ...]
    action: Sanction | None = None
    about: tuple[int, ...] = ()
    ballots: tuple[Contribution, ...] = ()


@dataclass
class LiveStep:
    """A step that is not final: its held contributions, its closing (``decree.closing``), the game before it."""

    number: int
    prev: bytes
    plan: StepPlan
    seats: frozenset[int]
    before: GameState
    decree: Decree
    held: dict[int, Checked] = field(default_factory=dict[int, Checked])
    # Further contributions of a seat that signed twice, if they are right in themselves.
    second: dict[int, list[Checked]] = field(default_factory=dict[int, list[Checked]])
    ballots: dict[tuple[int, int], Contribution] = field(default_factory=dict[tuple[int, int], Contribution])

    @property
    def votable(self) -> bool:
        """True if ballots may close it; if not, its contributions are final at once.

        Before the first deal a missing seat ends the table, at the end signatures are counted, and two seats have no
        majority without each other.
        """
        members = len(self.decree.members)
        return self.before.position is not None and self.plan.kind != "over" and members >= VOTERS_MIN

    def versions(self) -> Iterator[tuple[bytes, dict[int, Checked]]]:
        """Yield every way to close it by held contributions: the head after it, and the contributions."""
        if not self.seats <= self.held.keys() | self.second.keys():
            return  # A contribution is missing.
        seats = sorted(self.seats)
        choices = [[*self._held_of(seat), *self.second.get(seat, ())] for seat in seats]
        for chosen in itertools.islice(itertools.product(*choices), CHOICES_MAX):
            version = dict(zip(seats, chosen, strict=True))
            yield self._head(version), version

    def keep_second(self, seat: int, checked: Checked) -> bool:
        """Keep a further contribution of a seat that signed twice, at most one for each member."""
        known = [each.payload for each in self.versions_of(seat)]
        if checked.contribution.payload in known or len(known) >= len(self.decree.members):
            return False
        self.second.setdefault(seat, []).append(checked)
        return True

    def versions_of(self, seat: int) -> list[Contribution]:
        """Return this seat's contributions to this step that are held and right in themselves."""
        return [each.contribution for each in (*self._held_of(seat), *self.second.get(seat, ()))]

    def _held_of(self, seat: int) -> tuple[Checked, ...]:
        return (self.held[seat],) if seat in self.held else ()

    def _head(self, version: dict[int, Checked]) -> bytes:
        payloads = (version[seat].contribution.payload for seat in sorted(version))
        return tagged_hash(STEP, self.prev, *payloads)

    def note_complete(self) -> None:
        """Tell the decree which closings by contributions are possible."""
        self.decree.complete = [head for head, _ in self.versions()]
        self.decree.primary = self._head(self.held) if self.seats <= self.held.keys() else None


class Chain:
    """The steps of one game; ``game`` is the state after all that are closed."""

    def __init__(self, game: GameState) -> None:
        self.game = game
        self.record: list[ClosedStep] = []
        self.final = 0
        self.live: list[LiveStep] = []
        self._undone: dict[tuple[int, bytes], LiveStep] = {}  # by number and head before it, which may return
        self._open_next(game.id)

    @property
    def head(self) -> bytes:
        return self.game.heads[-1]

    @property
    def open(self) -> LiveStep | None:
        """The open step, or None after the end."""
        return self.live[-1] if self.live and self.live[-1].decree.closing is None else None

    @property
    def opened(self) -> int:
        """The number of the last step that has been opened."""
        return len(self.record) + (self.open is not None)

    @property
    def base(self) -> LiveStep | None:
        """The first step not final yet, which ballots are about; None if all are."""
        return self.live[0] if self.live else None

    def live_step(self, number: int) -> LiveStep | None:
        """Return the step of this number, if it is not final."""
        index = number - self.final - 1
        return self.live[index] if 0 <= index < len(self.live) else None

    def witness(self, seat: int, step: int, prev: bytes) -> None:
        """Keep that a seat has signed on top of this head: it shows every closing below."""
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
        """Return the closed steps whose heads a seat may sign now: the last ones with nothing in doubt below.

        In round 0 one signature shows all steps below it; a later round needs a signature of its own.
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
        """Close, undo and finalise all steps that the held things allow; return the events."""
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
        """Return the final closing of the base. A seat that shows a later closing shows those below it."""
        if not base.votable or any(step.votable and step.decree.decided() for step in self.live[1:]):
            return base.decree.closing
        return base.decree.decided()

    def trust(self) -> tuple[Event, ...]:
        """Take all closed steps for final, on the word of the record's writer."""
        events: list[Event] = []
        while (base := self.base) is not None and base.decree.closing is not None:
            events += self._make_final()
        return tuple(events)

    def _close_in_order(self, events: list[Event]) -> bool:
        """Accept the next better closing, from the base upwards. Return False if there is none."""
        for step in self.live:
            if (better := step.decree.acceptable()) is not None:
                events += self._accept(step, better)
                return True
        return False

    def _accept(self, step: LiveStep, closing: Closing) -> list[Event]:
        """Close a step in this way, in place of any earlier closing."""
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
        """Return the ballots of the first round with this closing: a value that is certified again keeps its bytes."""
        first = next(each for each in step.decree.closings() if each.value == closing.value)
        votes = step.decree.votes[first.round].items()
        about = closing.value
        return tuple(
            step.ballots[first.round, seat]
            for seat, vote in sorted(votes)
            if (vote.action, vote.about) == (about.action, about.about)
        )

    def _make_final(self) -> list[Event]:
        """Make the base final; the next step becomes the base."""
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
