"""The tutorial: a game of two players, played on the engine alone, that is fixed from the first card to the last.

``Tutorial`` is the game and the place in it, and answers a table's scene; ``tutor`` leads through it by
typed lines.

Every lesson is one action of the pupil, who has seat 1, and the opponent's reply. Ten turns, one of them with a dead
card exchanged, lead to two sequences that share a chip.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import trio

from seqp2p.i18n import Message, message, message_of
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
    View,
    apply,
    parse_action,
    parse_card,
    start,
    view,
)
from seqp2p.ui.cards import action_shown
from seqp2p.ui.language import t, translate
from seqp2p.ui.person.command_words import LEAVING, Answers, answer_to, suggestible, word_of
from seqp2p.ui.person.console import Console
from seqp2p.ui.person.input_parser import misread, one_line, read_action, read_card
from seqp2p.ui.person.seat_info import TABLE_ANSWERS, TableInfo, where_answer
from seqp2p.ui.plain import hand_line, help_lines, legend_lines, read_square, sequences_made
from seqp2p.ui.question import Question
from seqp2p.ui.words import Company, Story, sequences_lines

PUPIL: Final = 1
OPPONENT: Final = 2
HAND: Final = "2S 3S 5S JS 4D TD JC"
OPPONENTS_HAND: Final = "QD KD TD JD 5S 2H JH"
WELCOME: Final = (
    message("Ten turns that show the whole game. Type what you want to do; help lists the words, leave ends it."),
    message("You play blue, against an opponent who plays green. The first with two sequences wins."),
)
WELCOME_KEYS: Final = message(
    "Tab chooses a card, the arrows a square; Enter prepares the move, and sends it. The mouse and typed words do the"
    " same; in words ♠ is S, ♥ H, ♦ D and ♣ C."
)
"""Said where there is a screen."""
LEFT: Final = message("you have left the tutorial; seqp2p play --tutorial begins it again")
FAREWELL: Final = (
    message("That is all; seqp2p rules has the teams, other rules and the kids' game."),
    message("seqp2p play is a game against a bot; seqp2p host opens a table for others."),
)
SETTINGS: Final = Settings(
    variant="classic", players=2, teams=2, colours=("blue", "green"), turn_time_s=0, grace_s=60, **USUAL_OPTIONS
)
NAMES: Final = (message("pupil"), message("opponent"))


@dataclass(frozen=True, slots=True)
class Lesson:
    """``text`` is said first, ``task`` whenever the pupil asks or errs; ``hint`` answers another legal action.

    ``turn`` has the pupil's action and the opponent's reply, if there is one, each with the card drawn for it, as the
    text of a game has them (``rules.game_text``). ``moral`` are the last words.
    """

    text: tuple[Message, ...]
    task: Message
    hint: Message
    turn: str
    moral: tuple[Message, ...] = ()

    @property
    def moves(self) -> list[tuple[str, Card]]:
        """The texts of the actions of the turn, with the cards drawn for them."""
        parts = (part.partition(" +") for part in self.turn.split("; "))
        return [(action, parse_card(CLASSIC, card) if card else UNKNOWN) for action, _, card in parts]


LESSONS: Final = (
    Lesson(
        text=(
            message("1. A card and its squares"),
            message(
                "Your hand is yours alone. Every card but the jacks is printed twice on the board: 3S is c1 and f9."
            ),
            message("On your turn you put a chip on a free square of one of your cards; then you draw a new card."),
        ),
        task=message("Put a chip on c1: type 3S c1. (Type where 3S to see both its squares.)"),
        hint=message("the rules allow that; but here the game goes on in row 1"),
        turn="3S c1 +4C; QD h7 +7S",
        moral=(message("That is a turn. Your card lies face up now, and you have drawn 4C for it."),),
    ),
    Lesson(
        text=(
            message("2. The corners"),
            message("Five in a row, in a column or on a diagonal are a sequence."),
            message(
                "The four corners count for everybody, as if your own chip lay there: next to a corner, four"
                " chips are enough."
            ),
        ),
        task=message("Put a chip between the corner and your first one: type 2S b1."),
        hint=message("the rules allow that; but the square between the corner and your chip is worth more"),
        turn="2S b1 +5H; KD h8 +4S",
    ),
    Lesson(
        text=(
            message("3. Two-eyed jacks"),
            message("d1 would be next, and you do not hold its card, 4S. But you hold JC."),
            message("JC and JD, the two-eyed jacks, put a chip on any free square."),
        ),
        task=message("Go on in row 1: type JC d1."),
        hint=message("the rules allow that; but row 1 goes on at d1, and only JC can go there now"),
        turn="JC d1 +4S; 5S e1 +3S",
        moral=(message("Your opponent has seen what you are up to: it blocks your row on e1."),),
    ),
    Lesson(
        text=(
            message("4. One-eyed jacks"),
            message("JS and JH, the one-eyed jacks, take an opponent's chip off the board."),
            message("The square is free after that; whoever wants it still has to put a chip there, on another turn."),
        ),
        task=message("Take the chip off e1: type JS xe1."),
        hint=message("the rules allow that; but the chip on e1 is the one that blocks you"),
        turn="JS xe1 +AH; 2H h9 +9D",
    ),
    Lesson(
        text=(
            message("5. A sequence"),
            message("The corner, b1, c1 and d1 are four. e1 is free again, and you hold its card."),
        ),
        task=message("Complete the five: type 5S e1."),
        hint=message("the rules allow that; but your fifth square is free now, and may not be for long"),
        turn="5S e1 +KH; JD h10 +QC",
        moral=(message("A sequence, your first. Your opponent has used a two-eyed jack, too: look at column h."),),
    ),
    Lesson(
        text=(
            message("6. Blocking"),
            message("Your opponent has h7, h8, h9 and h10; the fifth chip would lie on h6. You hold TD, its card."),
        ),
        task=message("Block the column: type TD h6."),
        hint=message("the rules allow that; but then your opponent completes column h"),
        turn="TD h6 +9C; JH xh6 +8H",
        moral=(message("Your opponent takes your chip off h6 again, with a one-eyed jack."),),
    ),
    Lesson(
        text=(
            message("7. What is protected"),
            message(
                "It would rather have taken a chip from row 1. But nobody can take a chip from a completed sequence."
            ),
            message("So those five are yours for good. And a second sequence may share one chip with the first:"),
            message("column e begins with your chip on e1, and you hold cards for e3, e4 and e5."),
        ),
        task=message("Begin the second sequence: type 4D e3."),
        hint=message("the rules allow that; but you hold cards for three squares of column e"),
        turn="4D e3 +JH; TD h6 +6C",
        moral=(message("Your opponent has its first sequence, too."),),
    ),
    Lesson(
        text=(
            message("8. Reading the board"),
            message("You have drawn JH, a one-eyed jack. It cannot take a chip from column h: they are protected."),
            message(
                "board shows sequences in square brackets and the last move in angle brackets; moves"
                " shows what you can do."
            ),
        ),
        task=message("Go on in column e: type 4C e4."),
        hint=message("the rules allow that; but column e is the shortest way to your second sequence"),
        turn="4C e4 +QS; 4S e9 +KC",
    ),
    Lesson(
        text=(
            message("9. Dead cards"),
            message(
                "Your 4S has no free square left: your own chip lies on d1, your opponent's on e9. The card is dead."
            ),
            message("Once per turn, before you play, you may exchange a dead card for a new one."),
        ),
        task=message("Exchange it: type 4S dead."),
        hint=message("the rules allow that; but a new card for a dead one costs you nothing"),
        turn="4S dead +2C",
    ),
    Lesson(
        text=(message("You have drawn 2C, and your turn goes on."),),
        task=message("Go on in column e: type 5H e5."),
        hint=message("the rules allow that; but with e5 and e2 column e is complete: e5 comes first here"),
        turn="5H e5 +8S; 3S f9 +AS",
    ),
    Lesson(
        text=(message("10. The end"), message("e1, e3, e4 and e5 are yours. e2 is the fifth, and you hold its card.")),
        task=message("Win: type 2C e2."),
        hint=message("the rules allow that; but there is a move that wins at once"),
        turn="2C e2",
        moral=(message("Two sequences, with one chip in both: you have won."),),
    ),
)


@dataclass(frozen=True, slots=True)
class Showing:
    """The part that a screen has in the tutorial.

    ``changed`` is told of every new position, and ``pause_s`` seconds pass before the opponent's, so that both can be
    seen. ``page`` shows a lesson in place of the table, ``forget`` puts a chosen card back, ``dressed`` writes cards
    with their suits' signs.
    """

    changed: Callable[[], None] = lambda: None
    pause_s: float = 0.0
    page: Callable[[Sequence[str]], None] = lambda _: None
    forget: Callable[[], None] = lambda: None
    dressed: Callable[[str], str] = str


class Tutorial:
    """The game of the lessons, and the next lesson; ``story`` has the events so far. ``name`` is the pupil's."""

    def __init__(self, name: str = "") -> None:
        hands = [[parse_card(CLASSIC, name) for name in hand.split()] for hand in (HAND, OPPONENTS_HAND)]
        self.position: Position = start(CLASSIC, SETTINGS.players, SETTINGS.teams, Options(), PUPIL, hands)
        self.company = Company((name or translate(NAMES[0]), translate(NAMES[1])), SETTINGS.colours, PUPIL)
        self.settings = SETTINGS
        self.story = Story()
        self.info = TableInfo(self.company, self.story, self.sees, self.sees)
        self.answers: Answers = {
            **self.info.answers(TABLE_ANSWERS),
            "say": lambda _: [t("nobody is listening here but you")],
            "words": lambda _: [t("there are no safety words here: nobody else sits at this table")],
        }
        self._done = 0
        self._question: View | None = self.sees()

    @property
    def lesson(self) -> Lesson | None:
        return LESSONS[self._done] if self._done < len(LESSONS) else None

    def sees(self) -> View:
        return view(self.position, PUPIL)

    def asked(self) -> View | None:
        """Return the question to the pupil, the same object as long as it is open; None while no action is due."""
        return self._question

    def wanted(self) -> Action | None:
        """Return the action that the lesson waits for."""
        return parse_action(CLASSIC, self.lesson.moves[0][0]) if self.lesson else None

    def ask_again(self) -> None:
        """Ask the pupil once more, after an action that the lesson does not want."""
        self._question = self.sees()

    def do(self, action: Action) -> list[str]:
        """Take the pupil's action, which fulfils the lesson; return the events. The reply is due then."""
        assert self.lesson is not None, "there is a lesson"
        self._question = None
        return self._play(PUPIL, action, self.lesson.moves[0][1])

    def reply(self) -> list[str]:
        """Take the opponent's reply, if any; return the events. The next lesson is due then."""
        lesson = self.lesson
        assert lesson is not None, "there is a lesson"
        self._done += 1
        replies = ((parse_action(CLASSIC, text), drawn) for text, drawn in lesson.moves[1:])
        lines = [line for action, drawn in replies for line in self._play(OPPONENT, action, drawn)]
        self._question = self.sees() if self.lesson else None
        return lines

    def help(self, *, painted: bool) -> Iterable[str]:
        """Tell how to read the board unless it is ``painted``, what can be typed, and the task."""
        task = [translate(self.lesson.task)] if self.lesson else []
        legend = legend_lines(CLASSIC, self.company.colours, painted=painted)
        return [*legend, *help_lines(self.sees(), coached=True), *task]

    def _play(self, seat: int, action: Action, drawn: Card) -> list[str]:
        before = view(self.position, 0)
        self.position = apply(self.position, action, drawn)
        self.story.turned(seat, action)
        text = action_shown(CLASSIC, action)
        lines = [t("{turn:>3}. {who}  {action}", turn=before.turn + 1, who=self.company.name(seat), action=text)]
        made = (sequences_made(before), sequences_made(view(self.position, 0)))
        lines += sequences_lines(self.company, *made, self.position.table.sequences_to_win)
        self.story.lines.extend(lines)
        return lines


async def tutor(
    desk: Console,
    tutorial: Tutorial,
    showing: Showing = Showing(),  # frozen
) -> bool:
    """Lead through the tutorial. Return True if it was played to its end, and not left."""
    welcome = [*map(translate, WELCOME), *([translate(WELCOME_KEYS)] if desk.shows_table else [])]
    desk.show(*welcome)
    while (lesson := tutorial.lesson) is not None:
        text = [showing.dressed(translate(line)) for line in lesson.text]
        desk.show("", *text)
        if desk.shows_table:
            showing.page([*welcome, *([""] if welcome else []), *text, "", t("Enter: to the table")])
            desk.ask("lesson", Question(by_keys(lesson, showing.dressed), details=(translate(lesson.task),)))
            welcome = []
        else:
            desk.show(*(() if desk.hears else tutorial.info.answer("board", "")), hand_line(tutorial.sees()))
        desk.show(translate(lesson.task))
        action = await _answer(desk, tutorial, showing)
        desk.ask("lesson", None)
        if action is None:
            return False
        desk.show(*tutorial.do(action))
        showing.changed()
        await trio.sleep(showing.pause_s)
        desk.show(*tutorial.reply(), *(showing.dressed(translate(line)) for line in lesson.moral))
        showing.changed()
    if not (desk.shows_table or desk.hears):
        desk.show(*tutorial.info.answer("board", ""))
    desk.show("", *map(translate, FAREWELL))
    return True


def by_keys(lesson: Lesson, dressed: Callable[[str], str]) -> str:
    """Return how the action of a lesson is done by keys."""
    card, _, where = dressed(lesson.moves[0][0]).partition(" ")
    if where == "dead":
        return t("Tab for {card}, then Enter.", card=card)
    square = where.removeprefix("x")
    return t("Tab for {card} on {square}, then Enter twice.", card=card, square=square)


async def _answer(desk: Console, tutorial: Tutorial, showing: Showing) -> Action | None:
    """Read lines until one fulfils the lesson; None where the pupil leaves."""
    lesson = tutorial.lesson
    assert lesson is not None, "there is a lesson"
    answers: Answers = {**tutorial.answers, "help": lambda _: tutorial.help(painted=desk.shows_table)}
    while (typed := await desk.read()) is not None:
        line = one_line(typed)
        if word_of(line) in LEAVING:
            desk.show(translate(LEFT))
            return None
        if word_of(line) == "hint":
            desk.show(*([by_keys(lesson, showing.dressed)] if desk.shows_table else []), translate(lesson.task))
        elif (found := answer_to(line, answers)) is not None:
            desk.show(*found)
        elif not line:
            desk.show(translate(lesson.task))
        elif (action := _taken(desk, tutorial, lesson, line)) is not None:
            return action
        else:
            showing.forget()
    return None


def _taken(desk: Console, tutorial: Tutorial, lesson: Lesson, line: str) -> Action | None:
    """The action that a line means, if it fulfils the lesson; else it is said why not."""
    seen = tutorial.sees()
    if read_card(CLASSIC, line) is not None or read_square(CLASSIC, line) is not None:
        desk.show(*where_answer(seen, line, tutorial.company.colours), translate(lesson.task))
        return None
    try:
        action = read_action(seen, line)
        if action == tutorial.wanted():
            return action
        tutorial.ask_again()
        apply(seen.position, action)
    except NotationError as error:
        words = suggestible([*tutorial.answers.keys() - {"say"}, "help", "hint"])  # Nobody is there to hear it.
        desk.show(misread(seen, line, words, error), translate(lesson.task))
    except RulesError as error:
        desk.show(tutorial.company.to_reader(message_of(error)), translate(lesson.task))
    else:
        desk.show(translate(lesson.hint), translate(lesson.task))
    return None
