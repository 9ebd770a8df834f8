"""Turns as a script takes them: the session asks (``Questions`` is its player), and the script answers when it likes.

Theory of operation. Every time the session asks there is a question; a script sees it as a turn. The action handed in
by ``Turn.play`` settles the question in one of three ways: the table has it (this seat's own ``Turned`` is told), the
session asks again with the reason, or the moment has passed (asked again, skipped, dropped, the game is over).
"""

from typing import Final

import msgspec
import trio

from seqp2p.i18n import message_of
from seqp2p.live.recorder import TableEvent
from seqp2p.match.events import Dropped, Skipped, Turned
from seqp2p.match.machine import Match
from seqp2p.match.seat import SeatKeys
from seqp2p.rules import Action, IllegalAction, NotationError, View, parse_action

# Between a draw that was chosen ahead and its own step, the game goes through these.
_BEFORE_DRAW: Final = frozenset({"late", "draw"})


class Turn:
    """One time that this seat is asked. ``play`` answers; until then, or until the moment passes, the turn is open."""

    def __init__(self, questions: "Questions", view: View) -> None:
        """Made by the seat."""
        self._questions = questions
        self._view = view
        self._refused: str | None = None

    @property
    def view(self) -> View:
        """The view of this seat: board, own hand, counts, and in ``view.legal`` its legal actions."""
        return self._view

    @property
    def refused(self) -> str | None:
        """The reason why the last action for this turn was not possible, or None."""
        return self._refused

    @property
    def open(self) -> bool:
        """True while an action for this turn is awaited."""
        return self._questions.is_open(self)

    async def play(self, action: Action | str) -> bool:
        """Do this: an action, or its notation, as in ``"QH e5"``.

        Returns when it is signed, on the disk and on its way to the others: True. False where the turn had passed by
        then: its time was up, the table voted, the seat left, the game is over. Raises NotationError for a text that
        is no action and IllegalAction for one that is not possible now, with the reason, and TypeError for what is
        neither text nor action; the turn stays open then, and is given again. If cancelled, the turn is given again
        while it is open. The action may have been done.
        """
        try:
            await trio.lowlevel.checkpoint()
            action = parse_action(self._view.variant, action) if isinstance(action, str) else _typed(action)
        except (NotationError, TypeError, trio.Cancelled) as error:
            self._questions.misread(self, error)
            raise
        return await self._questions.answer(self, action)

    def ask_again(self, view: View, refused: str | None) -> None:
        """Note that the action played was not possible: for ``Questions``."""
        self._view, self._refused = view, refused


def _typed(action: object) -> Action:
    """Return the action. Raises TypeError, in the script and not in the session, if it is none."""
    try:
        # An Action is a tuple, and as one its parts are looked at.
        return msgspec.convert(tuple(action) if isinstance(action, Action) else action, Action)
    except msgspec.ValidationError:
        raise TypeError(f"{action!r} is not an action, nor its text") from None


class _OpenTurn:
    def __init__(self, turn: Turn, step: int) -> None:
        self.turn = turn
        self.step = step
        self.action: Action | None = None
        self.answered = trio.Event()
        self.settled = trio.Event()
        self.played = False
        self.refused: str | None = None

    def settle(self, *, played: bool = False, refused: str | None = None) -> None:
        if not self.settled.is_set():
            self.played, self.refused = played, refused
            self.settled.set()


class Questions:
    """The SeatPlayer of a script: it passes the session's questions to the script as turns."""

    def __init__(self, match: Match, seat: SeatKeys) -> None:
        self._match = match
        self._seat = seat
        self._question: _OpenTurn | None = None
        self._fresh = False
        self._ended = False
        self._news = trio.lowlevel.ParkingLot()

    # For the session.

    async def choose(self, view: View, refused: str | None) -> Action:
        """Ask the script: a new turn, or the last one once more where its action was not possible."""
        last = self._question
        if refused is not None and last is not None:
            turn = last.turn
            turn.ask_again(view, refused)
        else:
            turn = Turn(self, view)
        question = self._question = _OpenTurn(turn, self._match.number)
        if last is not None:
            last.settle(refused=refused)
        self.give_again()
        try:
            await question.answered.wait()
        except trio.Cancelled:
            question.settle()  # Taken back.
            raise
        assert question.action is not None, "an answer is an action"
        return question.action

    def on_event(self, event: TableEvent) -> None:
        """Take an event: it may settle the action handed in last."""
        question = self._question
        if question is None or question.action is None:
            return
        own = self._seat.number
        match event:
            case Turned(_, seat, action) if seat == own:
                question.settle(played=action.kind == question.action.kind)
            case Skipped(seat) if seat == own:
                question.settle()
            case Dropped(seats) if own in seats:
                question.settle()
            case _:
                match = self._match
                is_due = match.number == question.step or match.kind in _BEFORE_DRAW or self._seat.owes(match)
                if not is_due:
                    question.settle()

    def end(self) -> None:
        """Nothing more will be asked."""
        self._ended = True
        if self._question is not None:
            self._question.settle()
        self._news.unpark_all()

    # For the script.

    def give_again(self) -> None:
        """Let ``next`` return the open turn, if there is one, though the script has seen it."""
        self._fresh = True
        self._news.unpark_all()

    async def next(self) -> Turn | None:
        """Return the open turn that is to be given, once there is one; None at the end."""
        await trio.lowlevel.checkpoint()
        while not self._ended:
            question = self._question
            if self._fresh and question is not None and question.action is None and not question.settled.is_set():
                self._fresh = False
                return question.turn
            await self._news.park()
        return None

    def is_open(self, turn: Turn) -> bool:
        """Return True if this turn's question waits for an answer."""
        question = self._question
        return question is not None and question.turn is turn and not (question.action or question.settled.is_set())

    def misread(self, turn: Turn, error: BaseException) -> None:
        """Ask once more about an open turn: what was played is no action, or was cancelled."""
        if self.is_open(turn):
            turn.ask_again(turn.view, turn.refused if isinstance(error, trio.Cancelled) else message_of(error))
            self.give_again()

    async def answer(self, turn: Turn, action: Action) -> bool:
        """Hand this in, and wait for what becomes of it: see ``Turn.play``."""
        question = self._question
        if question is None or not self.is_open(turn):
            return False
        question.action = action
        question.answered.set()
        await question.settled.wait()
        if question.refused is not None:
            raise IllegalAction(question.refused)
        return question.played
