"""The tutorial: a fixed game, played on the engine alone, with explanations.

``Tutorial`` is the game and the place in it, and answers a table's scene; ``tutor`` leads through it by
typed lines.
"""

from collections.abc import Callable, Iterable
from typing import Final

import trio

from seqp2p.i18n import message, message_of
from seqp2p.match.table import USUAL_OPTIONS, Settings
from seqp2p.rules import (
    CLASSIC,
    UNKNOWN,
    Action,
    Card,
    NotationError,
    Options,
    Position,
    RulesError,
    apply,
    format_action,
    parse_card,
    start,
    view,
)
from seqp2p.rules.view import View
from seqp2p.ui.cards import action_shown
from seqp2p.ui.language import t, translate
from seqp2p.ui.person import lessons
from seqp2p.ui.person.command_words import LEAVING, Answers, answer_to, word_of
from seqp2p.ui.person.console import Console
from seqp2p.ui.person.input_parser import one_line, read_action, read_card
from seqp2p.ui.person.person import Hints
from seqp2p.ui.person.seat_info import TABLE_ANSWERS, TableInfo, where_answer
from seqp2p.ui.plain import hand_line, help_lines, legend_lines, read_square, sequences_made
from seqp2p.ui.words import Company, Story, sequences_lines

SETTINGS: Final = Settings(
    variant="classic", players=2, teams=2, colours=("blue", "green"), turn_time_s=0, grace_s=60, **USUAL_OPTIONS
)
NAMES: Final = (message("pupil"), message("opponent"))


class Tutorial:
    """The game of the lessons, and the next lesson; ``story`` has the events so far."""

    def __init__(self) -> None:
        hands = [cards_of(lessons.HAND), cards_of(lessons.OPPONENTS_HAND)]
        self.position: Position = start(CLASSIC, SETTINGS.players, SETTINGS.teams, Options(), lessons.PUPIL, hands)
        self.company = Company(tuple(map(translate, NAMES)), SETTINGS.colours, lessons.PUPIL)
        self.settings = SETTINGS
        self.story = Story()
        self.info = TableInfo(self.company, self.story, self.sees, self.sees)
        self.answers: Answers = {
            **self.info.answers(TABLE_ANSWERS),
            "say": lambda _: [t("nobody listens here but you")],
            "words": lambda _: [t("there are no safety words here: nobody else sits at this table")],
        }
        self._done = 0
        self._question: View | None = self.sees()

    @property
    def lesson(self) -> lessons.Lesson | None:
        return lessons.LESSONS[self._done] if self._done < len(lessons.LESSONS) else None

    def sees(self) -> View:
        return view(self.position, lessons.PUPIL)

    def asked(self) -> View | None:
        """Return the question to the pupil, the same object as long as it is open; None while no action is due."""
        return self._question

    def ask_again(self) -> None:
        """Ask the pupil once more, after an action that the lesson does not want."""
        self._question = self.sees()

    def fulfils(self, action: Action) -> bool:
        return self.lesson is not None and format_action(CLASSIC, action) in self.lesson.fulfils

    def do(self, action: Action) -> list[str]:
        """Take the pupil's action, which fulfils the lesson; return the events. The reply is due then."""
        assert self.lesson is not None, "there is a lesson"
        self._question = None
        return self._play(lessons.PUPIL, action, self.lesson.draws)

    def reply(self) -> list[str]:
        """Take the opponent's reply, if any; return the events. The next lesson is due then."""
        lesson = self.lesson
        assert lesson is not None, "there is a lesson"
        self._done += 1
        action = read_action(view(self.position, lessons.OPPONENT), lesson.reply) if lesson.reply else None
        lines = self._play(lessons.OPPONENT, action, lesson.reply_draws) if action else []
        self._question = self.sees() if self.lesson else None
        return lines

    def help(self, *, painted: bool) -> Iterable[str]:
        """Tell how to read the board unless it is ``painted``, what can be typed, and the task."""
        task = [translate(self.lesson.task)] if self.lesson else []
        return [*legend_lines(CLASSIC, self.company.colours, painted=painted), *help_lines(self.sees()), *task]

    def _play(self, seat: int, action: Action, draws: str) -> list[str]:
        before = view(self.position, 0)
        self.position = apply(self.position, action, UNKNOWN if draws == "?" else parse_card(CLASSIC, draws))
        self.story.turned(seat, action)
        text = action_shown(CLASSIC, action)
        lines = [t("{turn:>3}. {who}: {action}", turn=before.turn + 1, who=self.company.who(seat), action=text)]
        made = (sequences_made(before), sequences_made(view(self.position, 0)))
        lines += sequences_lines(self.company, *made, self.position.table.sequences_to_win)
        self.story.lines.extend(lines)
        return lines


def cards_of(text: str) -> list[Card]:
    """The cards with these names.

    >>> cards_of("2C JH")
    [0, 35]
    """
    return [parse_card(CLASSIC, name) for name in text.split()]


async def tutor(
    desk: Console,
    tutorial: Tutorial,
    changed: Callable[[], None] = lambda: None,
    pause_s: float = 0.0,
    *,
    hints: Hints,
) -> bool:
    """Lead through the tutorial. Return True if it was played to its end, and not left.

    ``hints`` answers the word; ``changed`` is told of every new position, and ``pause_s`` seconds pass before the
    opponent's, so that a scene can show both.
    """
    desk.show(*map(translate, lessons.WELCOME), *([translate(lessons.WELCOME_KEYS)] if desk.shows_table else []))
    while (lesson := tutorial.lesson) is not None:
        desk.show("", *map(translate, lesson.text))
        if not desk.shows_table:
            desk.show(*(() if desk.hears else tutorial.info.answer("board", "")), hand_line(tutorial.sees()))
        desk.show(translate(lesson.task))
        action = await _answer(desk, tutorial, lesson, hints)
        if action is None:
            return False
        desk.show(*tutorial.do(action))
        changed()
        await trio.sleep(pause_s)
        desk.show(*tutorial.reply(), *map(translate, lesson.moral))
        changed()
    if not (desk.shows_table or desk.hears):
        desk.show(*tutorial.info.answer("board", ""))
    desk.show("", *map(translate, lessons.FAREWELL))
    return True


async def _answer(desk: Console, tutorial: Tutorial, lesson: lessons.Lesson, hints: Hints) -> Action | None:
    """Read lines until one fulfils the lesson; None where the pupil leaves."""
    answers: Answers = {**tutorial.answers, "help": lambda _: tutorial.help(painted=desk.shows_table)}
    while (typed := await desk.read()) is not None:
        line = one_line(typed)
        if word_of(line) in LEAVING:
            desk.show(translate(lessons.LEFT))
            return None
        if word_of(line) == "hint":
            desk.show(await hints(tutorial.sees()), translate(lesson.task))
        elif (found := answer_to(line, answers)) is not None:
            desk.show(*found)
        elif not line:
            desk.show(translate(lesson.task))
        else:
            action = _taken(desk, tutorial, lesson, line)
            if action is not None:
                return action
    return None


def _taken(desk: Console, tutorial: Tutorial, lesson: lessons.Lesson, line: str) -> Action | None:
    """The action that a line means, if it fulfils the lesson; else it is said why not."""
    seen = tutorial.sees()
    if read_card(CLASSIC, line) is not None or read_square(CLASSIC, line) is not None:
        desk.show(*where_answer(seen, line, tutorial.company.colours), translate(lesson.task))
        return None
    try:
        action = read_action(seen, line)
        if tutorial.fulfils(action):
            return action
        tutorial.ask_again()
        apply(seen.position, action)
    except NotationError as error:
        desk.show(translate(message_of(error)), translate(lesson.task))
    except RulesError as error:
        desk.show(tutorial.company.to_reader(message_of(error)), translate(lesson.task))
    else:
        desk.show(translate(lesson.hint), translate(lesson.task))
    return None
