"""The table on the screen: the choice by keys and clicks, and the game.

Theory of operation. The scene asks for the view of a seat whenever it paints or obeys, so it never lags the game. It
owns the unfinished choice, the clocks, and the sheets in place of the table. While a question is open the choice is
made from that question's view; otherwise from the actions that the seat would have in its turn, and then nothing can be
sent. A line that leaves it is the text of an action that the asked view allows.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple

from seqp2p.match.chain import VOTERS_MIN
from seqp2p.match.table import Settings
from seqp2p.rules import UNKNOWN, Action, CompletedSequence, Square, View, format_action
from seqp2p.ui import choice as choosing
from seqp2p.ui.cards import action_shown
from seqp2p.ui.choice import NO_CHOICE, Choice, Step, actions_of, in_own_turn, targets
from seqp2p.ui.explain import help_sheet, piles_sheet
from seqp2p.ui.frame import Frame, Painter, Target
from seqp2p.ui.language import t, translate
from seqp2p.ui.person.command_words import COMMANDS, COURTESY_KEYS, completions, shown, word_of
from seqp2p.ui.person.input_parser import read_card
from seqp2p.ui.person.seat_info import SPECTATOR_WORDS
from seqp2p.ui.plain import read_square
from seqp2p.ui.question import Answer, Question
from seqp2p.ui.scene import WIDTH_MIN, LogLine, Page, wrapped
from seqp2p.ui.styles import UNICODE, Glyphs
from seqp2p.ui.table_model import Progress, TableState, table_model
from seqp2p.ui.table_paint import Sheet, paint_final_board, paint_table
from seqp2p.ui.words import Company, Sight, Story

PAGE_LINES: Final = 5
"""Lines that PageUp and PageDown go."""
SHEET_LINES: Final = 20
"""The same in what is shown in place of the table, which has so many lines in the smallest terminal."""
COMPLETIONS_MAX: Final = 20
FRESH_S: Final = 1.0
"""A completed sequence is lit for so long before it becomes a band."""
SHEETS: Final = {"?": "help", "f1": "help", "f2": "log", "f3": "piles"}
THREATS: Final = "f4"
NO_QUESTION: Final = Question("")
HINT: Final = "f5"


class ClosingKey(NamedTuple):
    """The effect of Enter after the end of the game: the line that is typed, and what the key's help says."""

    line: str
    does: str


class TableScene:
    """The table of one seat, or of one who only watches (``company.own`` 0).

    ``clock`` gives the time in seconds, from any beginning. Unless the player ``confirms``, a chosen move is sent
    without a second Enter.
    """

    def __init__(
        self,
        sight: Sight,
        company: Company,
        story: Story,
        clock: Callable[[], float],
        settings: Settings,
        *,
        confirms: bool = True,
    ) -> None:
        words = [word for word in COMMANDS.words if sight.coached or word != "hint"]
        self._words = completions(words if company.own else (*SPECTATOR_WORDS, "help", "leave"))
        self._sight = sight
        self._company = company
        self._story = story
        self._clock = clock
        self._settings = settings
        self._confirms = confirms
        self._choice = NO_CHOICE
        self._question: View | None = None  # the one that the choice was last fitted to
        self._answered: View | None = None  # the one whose answer is on its way
        self._sent: Action | None = None
        self._since_s = clock()
        self._until_s = dict[int, float]()
        self._progress: Progress | None = None
        self._result: tuple[str, ...] = ()
        self._closing: ClosingKey | None = None
        self._lost = False
        self._sheet = ""
        self._seat_shown = 0
        self._answers_below: tuple[Answer, ...] = ()  # those of the question that the sheet was opened above
        self._top = 0  # the first line shown of what is read from its beginning
        self._below = 0  # the lines passed over at the end of the log
        self._shows_threats = False
        self._lines: tuple[LogLine, ...] = ()
        self._page: Sequence[str] = ()
        self._proposed: Action | None = None
        self._glyphs: Glyphs = UNICODE
        self._open = NO_QUESTION
        self._sequences: tuple[CompletedSequence, ...] | None = None
        self._fresh = frozenset[Square]()
        self._fresh_until_s = 0.0

    @property
    def _is_covered(self) -> bool:
        """True if lines are shown in place of the table: a question comes above those that were there before it."""
        return bool(self._sheet) and self._open.answers in ((), self._answers_below)

    # What happens at the table.

    def changed(self, *, is_new_step: bool = True) -> None:
        """Handle an event: drop the illegal part of the choice. A new step restarts the turn's clock; talk does not."""
        if is_new_step:
            self._since_s = self._clock()
            self._sent = None
        self._fit(self._view()[0])

    def absent(self, seat: int, grace_s: float | None) -> None:
        """Note that a seat cannot be reached: it is waited for ``grace_s`` seconds from now, or for ever."""
        self._until_s[seat] = math.inf if grace_s is None else self._clock() + grace_s

    def back(self, seat: int) -> None:
        self._until_s.pop(seat, None)

    def progress(self, text: str = "", done: int = 0, total: int = 0) -> None:
        """Show slow work, none without a text; ``total`` is 0 if its length is unknown."""
        self._progress = Progress(text, done, total) if text else None

    def over(self, lines: Sequence[str], closing: ClosingKey | None = None, *, lost: bool = False) -> None:
        """Show how the game has ended and what can be done now; without a line the game goes on after all."""
        self._result, self._closing, self._lost = tuple(lines), closing, lost
        self._choice = NO_CHOICE

    def show_page(self, lines: Sequence[str]) -> None:
        """Show lines in place of the table, until a key closes them."""
        self._page, self._sheet, self._top, self._choice = lines, "page", 0, NO_CHOICE

    def forget_choice(self) -> None:
        """Put a chosen card and square back."""
        self._choice = NO_CHOICE

    def final_board(self) -> Frame | None:
        return paint_final_board(table_model(replace(self._state(), choice=NO_CHOICE, fresh=frozenset())))

    # The scene.

    def painter(self, page: Page) -> Painter:
        self._lines, self._glyphs, self._open = page.lines, page.glyphs, page.question or NO_QUESTION
        self._below = min(self._below, max(len(page.lines) - 1, 0))
        model = table_model(self._state())
        return partial(paint_table, model, page.lines, scroll=self._below, sheet=self._shown_sheet())

    def press(self, key: str) -> str | None:
        if key in SHEETS:
            self._show(SHEETS[key])
        elif self._is_covered:
            self._scroll_sheet(key)
        elif key == HINT and self._company.own:
            return "hint"
        elif key == THREATS:
            self._shows_threats = not self._shows_threats
        elif key in COURTESY_KEYS and self._company.own:
            return f"{shown('say')} {translate(COURTESY_KEYS[key])}"
        elif key in ("pageup", "pagedown") or (key == "end" and self._below):
            steps = {"pageup": self._below + PAGE_LINES, "pagedown": self._below - PAGE_LINES, "end": 0}
            self._below = min(max(steps[key], 0), max(len(self._lines) - 1, 0))
        else:
            return self._choose(key)
        return None

    def enter(self, line: str) -> str | None:
        """Take a typed line: a card of the hand is chosen, then a square is enough. Return any other line.

        The words ``help`` and ``threats`` do what their keys do; the answer to ``threats`` comes as it does without a
        screen. Any other word takes away what hides the log, and with it the word's answer.
        """
        word = word_of(line.strip().partition(" ")[0])
        if word == "help":
            self._show("help")
            return None
        if word in COMMANDS.words:
            self._shows_threats = word == "threats" and not self._shows_threats
        self._sheet = "log" if self._sheet == "log" else ""
        view, _ = self._view()
        if view is None or self._result or not self._company.own:
            return line
        card, square = read_card(view.variant, line), read_square(view.variant, line)
        if card in view.hand and view.phase == "play":
            self._choice = choosing.named(self._choice, view, card)
            return None
        if square in targets(view, self._choice.card):
            action = next(each for each in actions_of(view, self._choice.card) if each.square == square)
            return self._take((Choice(square), action))
        return line

    def click(self, target: Target) -> str | None:
        what, number = target
        if what == "seat" and not self._is_covered:
            self._show("piles", number)
        view, is_asked = self._view()
        step = {"square": choosing.pointed, "card": choosing.picked}.get(what)
        if self._is_covered or view is None or step is None or self._result:
            return None
        return self._take(step(self._choice, view, number, asked=is_asked))

    def completions(self, typed: str) -> Sequence[str]:
        view, is_asked = self._view()
        legal = view.legal if view and is_asked else ()
        shown = [action_shown(view.variant, action) for action in legal] if view else []
        small = typed.lower()
        return [line for line in (*shown, *self._words) if line.lower().startswith(small)][:COMPLETIONS_MAX]

    # The choice.

    def _view(self) -> tuple[View | None, bool]:
        """Return the view that the choice is made from, and True if it is asked for."""
        question = self._sight.asked()
        if self._result or question is self._answered:
            question = None
        view = question or self._looked_at()
        if question is not self._question:
            self._question = question
            self._sent = None if question else self._sent
            self._fit(view)
        if (proposed := self._sight.proposed()) is not self._proposed:
            self._proposed = proposed
            if question is not None and proposed is not None:
                self._choice = choosing.proposed(question, proposed)
        return view, question is not None

    def _looked_at(self) -> View | None:
        """Return the view without a question, with the actions that the seat would have in its turn."""
        seen, own = self._sight.view(), self._company.own
        if seen is None or seen.over or not own or own in seen.out:
            return seen
        return replace(seen, legal=()) if self._result else in_own_turn(seen, own)

    def _fit(self, view: View | None) -> None:
        self._choice = NO_CHOICE if view is None else choosing.settled(self._choice, view)

    def _choose(self, key: str) -> str | None:
        view, is_asked = self._view()
        if self._result and self._closing and key in ("enter", "space"):
            return self._closing.line
        if view is None or self._result:
            return None
        choice = self._choice
        if key in ("enter", "space"):
            return self._take(choosing.entered(choice, view, asked=is_asked))
        if key in choosing.DIRECTIONS:
            self._choice = choosing.moved(choice, view, key)
        elif key == "tab" and choice == NO_CHOICE and is_asked and (wanted := self._sight.wanted()) is not None:
            # The card of the lesson comes first, with its square.
            self._choice = replace(choosing.named(choice, view, wanted.card), cursor=wanted.square)
        elif key in ("tab", "s-tab"):
            self._choice = choosing.turned(choice, view, 1 if key == "tab" else -1)
        elif key in ("home", "end"):
            self._choice = choosing.to_edge(choice, view, last=key == "end")
        elif key == "escape" and choice.card == UNKNOWN and not choice.staged and self._sight.pending():
            return "undo"
        elif key == "escape":
            self._choice = choosing.taken_back(choice)
            # With nothing left to undo, an answer that never arrived can be given again.
            self._answered = self._answered if choice != NO_CHOICE else None
        return None

    def _take(self, step: Step) -> str | None:
        """Take the choice after a step, and return the line to send, if any."""
        view, is_asked = self._view()
        if is_asked and not self._confirms and step[0].staged and len(step[0].ways) < 2 and view is not None:
            step = choosing.entered(step[0], view)
        self._choice, action = step
        if action is None or view is None or (self._question is None and self._sent):
            return None
        if self._question is not None:
            self._answered, self._sent = self._question, action
        return format_action(view.variant, action)

    # What is shown.

    def _state(self) -> TableState:
        view, is_asked = self._view()
        now_s, turn_time_s = self._clock(), self._settings.turn_time_s
        runs = bool(turn_time_s) and view is not None and not view.over and not self._result
        rest_s = turn_time_s - (now_s - self._since_s)
        if view is not None and rest_s < 0 and view.players - len(view.out) < VOTERS_MIN:
            rest_s += turn_time_s  # Nobody can vote: the others wait for the time of two turns.
        return TableState(
            variant=self._settings.variant,
            company=self._company,
            view=view,
            asked=is_asked,
            sent=None if is_asked else self._sent,
            pending=self._sight.pending(),
            moves=tuple(self._story.since(self._company.own)),
            latest=dict(self._story.moves),
            shows_threats=self._shows_threats,
            choice=self._choice,
            wanted=self._sight.wanted() if is_asked else None,
            coached=self._sight.coached and is_asked,
            clock_s=rest_s if runs else None,
            away_s={seat: until_s - now_s for seat, until_s in self._until_s.items()},
            progress=self._progress,
            result=self._result,
            lost=self._lost,
            closing=self._closing.does if self._closing else "",
            scrolled=self._below > 0,
            fresh=self._fresh_squares(view, now_s),
            is_covered=self._is_covered,
            question=self._open if self._open.answers or (self._open.text and not self._choice.staged) else None,
            glyphs=self._glyphs,
        )

    def _fresh_squares(self, view: View | None, now_s: float) -> frozenset[Square]:
        """Return the squares of the sequences completed within the last second, none of those that were there first."""
        if view is not None and view.sequences != self._sequences:
            known, self._sequences = self._sequences, view.sequences
            new = [each.squares for each in view.sequences if known is not None and each not in known]
            self._fresh, self._fresh_until_s = frozenset(itertools.chain(*new)), now_s + FRESH_S
        return self._fresh if now_s < self._fresh_until_s else frozenset()

    def _show(self, sheet: str, seat: int = 0) -> None:
        """Show a sheet in place of the table, or the table again if the sheet is there already."""
        again = self._is_covered and self._sheet == sheet and self._seat_shown == seat
        self._sheet, self._seat_shown, self._answers_below = "" if again else sheet, seat, self._open.answers
        self._top = self._below = 0

    def _scroll_sheet(self, key: str) -> None:
        if key in ("escape", "enter", "space"):
            self._show(self._sheet, self._seat_shown)
            return
        lines = len(self._sheet_lines())
        ends = {"home": -lines, "end": lines, "up": -1, "down": 1, "pageup": -SHEET_LINES, "pagedown": SHEET_LINES}
        on, most = ends.get(key, 0), max(lines - SHEET_LINES, 0)
        if self._sheet == "log":
            self._below = min(max(self._below - on, 0), most)
        else:
            self._top = min(max(self._top + on, 0), most)

    def _sheet_lines(self) -> tuple[LogLine, ...]:
        if self._sheet == "log":
            return self._lines
        if self._sheet == "page":
            lines = self._page
        elif self._sheet == "piles":
            lines = piles_sheet(self._state(), self._seat_shown)
        else:
            lines = help_sheet(self._state())
        return tuple(LogLine("log", part) for line in lines for part in wrapped(line, WIDTH_MIN - 4))

    def _shown_sheet(self) -> Sheet | None:
        titles = {"help": t("help"), "log": t("log"), "piles": t("discards"), "page": t("lesson")}
        if not self._is_covered:
            return None
        title = self._open.text if self._open.answers else titles[self._sheet]
        return Sheet(title, self._sheet_lines(), self._top, self._below if self._sheet == "log" else None)
