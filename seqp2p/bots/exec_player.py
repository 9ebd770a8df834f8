"""A program of any language at a table. Its faults cost its own time, never the others' game.

Theory of operation. ``run`` starts and ends the program, and writes the lines of the queue at the speed at which it
reads. ``choose`` puts a question into the queue and reads until it is answered. A wrong answer gets a reason, a few
times; then, or when the time is over, a legal action is drawn at random, and the failure is reported. A program that
fails several times in a row, that has ended or does not read, is killed: its actions are random to the end of the game.
"""

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, TypeAlias

import trio

from seqp2p.bots import wire
from seqp2p.bots.player import TIME_S, Bot, Program
from seqp2p.bots.program import GOODBYE_S, ProgramFailed, RunningProgram, start_program
from seqp2p.i18n import message, message_of
from seqp2p.match.events import Event, Result
from seqp2p.rules import Action, Variant, View

MARGIN_S: Final = 2.0
"""The margin between a choice and the end of the table's own time; of a short time, half."""
ANSWERS_MAX: Final = 3
"""The number of answers that one question takes."""
FAILURES_MAX: Final = 3
"""After so many failures in a row no question follows."""
QUEUE_MAX: Final = 1000
"""The lines that may wait for the program to read them."""
HISTORY_MAX: Final = 500
"""The most events since the last view that the next one tells."""


@dataclass(frozen=True, slots=True)
class BotFailed:
    """A question was not answered, and an action was drawn. ``gone``: the program plays no more in this game.

    ``silent``: the time was over, and the program had written no line since the question.
    """

    reason: str
    gone: bool
    silent: bool = False


@dataclass(frozen=True, slots=True)
class Wrong:
    """The answer to this question was not possible; the program was told why."""

    number: int
    reason: str


@dataclass(frozen=True, slots=True)
class Stale:
    """An answer to a closed question. ``taken_back``: the question was taken back, so the answer is no fault."""

    number: int
    taken_back: bool


@dataclass(frozen=True, slots=True)
class ProgramEnded:
    """The program has ended after the game; ``killed``: it did not end by itself."""

    killed: bool


Notice: TypeAlias = BotFailed | Wrong | Stale | ProgramEnded


@dataclass(frozen=True, slots=True)
class Time:
    """The time for a choice: the owner's wish, within the limits of table and phase."""

    wish_s: float | None = None
    turn_time_s: float = 0.0
    patience_s: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))

    def limit_s(self, phase: str) -> float:
        """Return the seconds for a choice in this phase.

        >>> Time().limit_s("play"), Time(5.0).limit_s("play"), Time(90, turn_time_s=60).limit_s("play")
        (30.0, 5.0, 58.0)
        >>> Time(turn_time_s=3600).limit_s("play"), Time(patience_s={"draw": 3.0}).limit_s("draw")
        (3598.0, 1.5)
        """
        given = [each for each in (self.turn_time_s, self.patience_s.get(phase, 0.0)) if each]
        within = [max(each - MARGIN_S, each / 2) for each in given]
        if self.wish_s is not None:
            within.append(self.wish_s)
        elif not self.turn_time_s:
            within.append(TIME_S)
        return min(within)


@dataclass
class _ProgramQuestion:
    """An open question: the answers left, and True once one of them was possible."""

    number: int
    seen: View
    deadline: float
    answers: int = ANSWERS_MAX
    heard: bool = False
    """A line has come since the question."""
    answered: bool = False
    failed: bool = False


class ExecPlayer:
    """A player that asks a program: ``run`` it during the game, and ``finish`` it after. ``pace_s`` as for a bot."""

    def __init__(
        self,
        program: Program,
        table: wire.BotHello,
        variant: Variant,
        time: Time,
        lot: Bot,
        notice: Callable[[Notice], None],
        pace_s: float = 0.0,
    ) -> None:
        """``lot`` chooses if the program does not. ``notice`` is called with the program's faults."""
        self._program = program
        self._variant = variant
        self._time = time
        self._lot = lot
        self._notice = notice
        self._pace_s = pace_s
        self._queue, self._waiting = trio.open_memory_channel[bytes](QUEUE_MAX)
        self._running: RunningProgram | None = None
        self.is_gone = False  # the program no longer plays in this game
        self._reading = trio.CancelScope()
        self._history = deque[wire.BotEvent](maxlen=HISTORY_MAX)
        self._question: _ProgramQuestion | None = None
        self._taken_back = set[int]()
        self._failures = 0
        self._over = trio.Event()
        self._done = trio.Event()
        self._send(table)

    # The program's life.

    async def run(self, *, task_status: "trio.TaskStatus[None]") -> None:
        """Start the program, and write its lines until the game is over. Cancelled, it is killed."""
        try:
            running = self._running = await start_program(self._program)
        except OSError as error:
            self._fail(message("it cannot be started: {reason}", reason=error.strerror or error), gone=True)
            task_status.started()
            return
        ends = False
        try:
            task_status.started()
            await self._deliver(running)
            await self._over.wait()
            ends = not self.is_gone
        finally:
            with trio.CancelScope(shield=True):
                code = await running.end(GOODBYE_S if ends else 0.0)
                if self._over.is_set() and not self.is_gone:
                    self._notice(ProgramEnded(killed=code < 0))
                self._done.set()

    async def finish(self, result: Result) -> None:
        """Tell the program the result, and wait until it has ended, or its time is over."""
        self._send(wire.over(result))
        self._over.set()
        self._queue.close()
        if self._running is not None:
            with trio.move_on_after(2 * GOODBYE_S):
                await self._done.wait()

    def kill(self) -> None:
        """End the program at once, from any thread: this process is about to end."""
        if self._running is not None:
            self._running.kill()

    async def _deliver(self, running: RunningProgram) -> None:
        try:
            async for line in self._waiting:
                await running.write(line)
        except ProgramFailed as failure:
            self._fail(message_of(failure), gone=True)

    def _send(self, received: wire.BotMessage | wire.BotEvent) -> None:
        if self.is_gone or self._over.is_set():
            return
        try:
            self._queue.send_nowait(wire.line_of(received))
        except trio.WouldBlock:
            self._fail(message("it does not read what it is sent"), gone=True)

    def _fail(self, reason: str, *, gone: bool = False, silent: bool = False) -> None:
        """Count a failure. If the program no longer plays, an open question is not waited for."""
        if self.is_gone:
            return
        self._failures += 1
        self.is_gone = gone or self._failures >= FAILURES_MAX
        if self.is_gone and self._running is not None:
            self._running.kill()
            self._reading.cancel()
        self._notice(BotFailed(reason, self.is_gone, silent))

    # Events of the table.

    def hear(self, event: Event) -> None:
        told = wire.happening(self._variant, event)
        if told is not None:
            self.emit(told)

    def emit(self, told: wire.BotEvent) -> None:
        self._history.append(told)
        self._send(told)

    # Questions and answers.

    async def choose(self, view: View, refused: str | None) -> Action:
        """Return the program's choice, or a random one."""
        begun = trio.current_time()
        question = self._question
        if refused is None or question is None:
            question = self._put(view)
        else:
            question.seen = view
            self._refuse(question, refused)
        try:
            action = await self._answer(question)
            await trio.sleep_until(begun + self._pace_s)
        except trio.Cancelled:
            self._take_back(question)
            raise
        return action

    def ask_in_vain(self, view: View) -> None:
        """Ask a question, and take it back at once, as a table may: for testing programs."""
        self._take_back(self._put(view))

    def _take_back(self, question: _ProgramQuestion) -> None:
        self._taken_back.add(question.number)
        self._send(wire.Void(question.number))

    def _put(self, seen: View) -> _ProgramQuestion:
        last = self._question
        if last is not None and last.answered and not last.failed:
            self._failures = 0
        limit_s = self._time.limit_s(seen.phase)
        number = 1 if last is None else last.number + 1
        question = self._question = _ProgramQuestion(number, seen, trio.current_time() + limit_s)
        self._send(wire.asked(number, seen, tuple(self._history), limit_s))
        self._history.clear()
        if self._running is not None:
            self._running.expect()
        return question

    def _refuse(self, question: _ProgramQuestion, reason: str) -> None:
        """Tell the program that its answer was not possible, unless it was its last."""
        self._notice(Wrong(question.number, reason))
        question.answers -= 1
        if question.answers > 0:
            self._send(wire.Error(question.number, str(reason)))

    async def _answer(self, question: _ProgramQuestion) -> Action:
        if self._running is not None and not self.is_gone and not question.failed:
            with trio.CancelScope(deadline=question.deadline) as self._reading:
                try:
                    return await self._read(question, self._running)
                except ProgramFailed as failure:
                    self._fail(message_of(failure), gone=failure.gone)
            if self._reading.cancelled_caught:
                limit_s = self._time.limit_s(question.seen.phase)
                reason = message("it did not choose within {seconds} seconds", seconds=f"{limit_s:g}")
                self._fail(reason, silent=not question.heard)
            question.failed = True
        return self._lot.choose(question.seen)

    async def _read(self, question: _ProgramQuestion, running: RunningProgram) -> Action:
        """Return the answer to this question. Raises ProgramFailed."""
        while question.answers > 0:
            line = await running.read_line()
            question.heard = True
            try:
                choice = wire.read_choice(line)
                if choice.id == question.number:
                    action = wire.read_action(question.seen, choice.action)
                    question.answered = True
                    return action
                if choice.id > question.number:
                    self._refuse(question, message("there is no question {number}", number=choice.id))
                else:
                    self._notice(Stale(choice.id, choice.id in self._taken_back))
            except wire.WireError as error:
                self._refuse(question, message_of(error))
        raise ProgramFailed(message("none of its {count} answers was possible", count=ANSWERS_MAX))
