"""Browsing a replay: its moments, a cursor, and the words that move it.

Keys, clicks and typed words use the same few methods, so all of them work without a screen, too.
"""

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, pairwise
from types import MappingProxyType
from typing import Final

from seqp2p.i18n import Term, message, term
from seqp2p.rules import UNKNOWN, Action, Hand, Position, Variant, view
from seqp2p.ui.cards import card_shown, colour_letter, colour_name
from seqp2p.ui.frame import Fragment
from seqp2p.ui.language import number, percent, t, tn, translate
from seqp2p.ui.person.command_words import Vocabulary, Word
from seqp2p.ui.plain import board_answer, part_answer
from seqp2p.ui.scene import LogLine
from seqp2p.ui.words import Company, listed

ALL: Final = -1
"""Every known hand is shown."""
HIDDEN: Final = 0
"""No hand is shown."""
PACES_S: Final = (4.0, 2.0, 1.0, 0.5, 0.25)
"""Seconds a moment, from slow to fast."""
LEAP: Final = 10
LOG_LENGTH: Final = 20
BAR_LENGTH: Final = 20
_BAR, _ACTION = "\0\1"
"""In a line of the review, the places of what has a style."""
_MARK_STYLES: Final = MappingProxyType({"": "", " ?": "away", " ??": "alarm"})
COSTLY_HEADING: Final = message("the moves that cost most:")

_NUMBER: Final = re.compile(r"[0-9]{1,6}", re.ASCII)
_SEAT: Final = re.compile(r"[1-9][0-9]?", re.ASCII)


MARKED_FROM: Final = 100
"""A move that costs so much, in thousandths, or more is marked."""


@dataclass(frozen=True, slots=True)
class MoveReview:
    """The review of a move: the chances of the teams to win after it, and its cost.

    The chances are by all hands, and none if one is closed; the cost is by what the seat could know. ``better`` is the
    best move; empty if this one is. All are in thousandths.
    """

    seat: int
    move: str
    chances: tuple[int, ...]
    cost: int = 0
    better: str = ""

    @property
    def mark(self) -> str:
        """The sign of a costly move: ``?`` from 10 points on, ``??`` from 20."""
        return " ??" if self.cost >= 2 * MARKED_FROM else " ?" if self.cost >= MARKED_FROM else ""


@dataclass(frozen=True, slots=True)
class BoardMoment:
    """A moment: ``turn`` is the number of its turn, ``lines`` say what happened, ``position`` is how the table lay.

    ``moves`` are those of a round that placed or took chips, the last one last; ``made``: a sequence was completed.
    There is no position before the deal. A hand in it has UNKNOWN for every card that the replay does not open.
    """

    turn: int
    lines: tuple[LogLine, ...]
    position: Position | None = None
    moves: tuple[Action, ...] = ()
    made: bool = False
    review: MoveReview | None = None

    @property
    def last(self) -> Action | None:
        return self.moves[-1] if self.moves else None


@dataclass(frozen=True, slots=True)
class ReplayFrames:
    """A replay: its moments, one at least, what ``verify`` says of it, and the seats whose hands are known.

    ``costly`` are the moments of the moves that cost most, the highest cost first; ``no_review`` says why moves have no
    review, and is empty if all have one.
    """

    title: str
    verdict: str
    is_right: bool
    company: Company
    variant: Variant
    moments: tuple[BoardMoment, ...]
    opened: frozenset[int] = frozenset()
    costly: tuple[int, ...] = ()
    no_review: str = ""

    @property
    def turns(self) -> int:
        return self.moments[-1].turn

    def open_at(self, cursor: "Cursor") -> frozenset[int]:
        """Return the seats whose hands are shown."""
        return self.opened if cursor.sight == ALL else self.opened & {cursor.sight}

    def review_at(self, at: int) -> MoveReview | None:
        """Return the review of the last move up to a moment that has one."""
        return next((each.review for each in reversed(self.moments[: at + 1]) if each.review), None)


@dataclass(frozen=True, slots=True)
class Cursor:
    """The place in a replay: the moment's number from 0, the open hands (a seat, ALL or HIDDEN), and autoplay."""

    at: int = 0
    sight: int = ALL
    playing: bool = False
    pace_s: float = 1.0

    @property
    def pace(self) -> str:
        return t("{seconds} s per step", seconds=number(self.pace_s, 2 if self.pace_s < 1 else 0))


@dataclass(frozen=True, slots=True)
class Reply:
    """The effect of a typed line: lines to show, another place, or the end."""

    lines: tuple[str, ...] = ()
    moved: bool = False
    done: bool = False


MOVED: Final = Reply(moved=True)


class ReplayBrowser:
    """A replay and the cursor in it."""

    def __init__(self, frames: ReplayFrames) -> None:
        self.frames = frames
        self.cursor = Cursor(sight=ALL if frames.opened else HIDDEN)

    @property
    def moment(self) -> BoardMoment:
        return self.frames.moments[self.cursor.at]

    # Going about.

    def go(self, at: int) -> Reply:
        """Go to a moment by its number, or to the nearest there is; stop playing at the end."""
        last = len(self.frames.moments) - 1
        at = min(max(at, 0), last)
        self.cursor = replace(self.cursor, at=at, playing=self.cursor.playing and at < last)
        return MOVED

    def end(self) -> Reply:
        return self.go(len(self.frames.moments) - 1)

    def to_sequence(self, direction: int = 1) -> bool:
        """Go to the next completed sequence, or to the one before. Return True if there is one."""
        at = self.cursor.at + direction
        while 0 <= at < len(self.frames.moments):
            if self.frames.moments[at].made:
                self.go(at)
                return True
            at += direction
        return False

    def toggle(self) -> None:
        """Play, or stop; at the end play from the beginning."""
        if not self.cursor.playing and self.cursor.at == len(self.frames.moments) - 1:
            self.go(0)
        self.cursor = replace(self.cursor, playing=not self.cursor.playing)

    def look(self, by: int) -> None:
        """Show other hands: all, then those of one seat after the other, then none."""
        views = [ALL, *sorted(self.frames.opened), HIDDEN] if self.frames.opened else [HIDDEN]
        self.cursor = replace(self.cursor, sight=views[(views.index(self.cursor.sight) + by) % len(views)])

    # What is typed.

    def obey(self, typed: str) -> Reply:
        line = " ".join(typed.split())
        if _NUMBER.fullmatch(line):
            return self._to_turn(int(line))
        first, _, given = line.partition(" ")
        word = word_of(first)
        if word in _WITH_TEXT:
            handler = _HANDLERS[word]
        else:
            handler, given = _HANDLERS.get(word_of(line or "next")), ""
        if handler is not None:
            return handler(self, given)
        near = difflib.get_close_matches(word, [shown(each) for each in WORDS.words], n=1)
        if near:
            return Reply((t("{typed} is not a word here; did you mean {word}?", typed=line, word=near[0]),))
        return Reply((t("{typed} is not a word here; {help} has a list of them", typed=line, help=shown("help")),))

    def board(self, text: str = "", answer: Callable[..., Sequence[str]] = board_answer) -> tuple[str, ...]:
        """Return the board, or the part of it that the text names."""
        if self.moment.position is None:
            return (t("the cards are not dealt yet"),)
        return tuple(answer(view(self.moment.position, 0), text, self.frames.company.colours, self.moment.last))

    def hands(self) -> tuple[str, ...]:
        position, company = self.moment.position, self.frames.company
        if position is None:
            return (t("the cards are not dealt yet"),)
        if not self.frames.opened:
            return (t("the hands stayed closed in this game"),)
        variant, opened = self.frames.variant, self.frames.open_at(self.cursor)
        return tuple(
            t("{who}: {hand}", who=company.name(seat), hand=hand_text(variant, hand, open_=seat in opened))
            for seat, hand in enumerate(position.hands, 1)
        )

    def log(self, *, everything: bool = False) -> tuple[str, ...]:
        lines = [line.text for moment in self.frames.moments[: self.cursor.at + 1] for line in moment.lines]
        return tuple(lines if everything else lines[-LOG_LENGTH:])

    def review(self) -> tuple[str, ...]:
        """Return the review of the shown move, and the moves that cost most."""
        here = self.frames.review_at(self.cursor.at)
        return (*(review_lines(self.frames, here) if here else ()), *costly_lines(self.frames))

    def whereabouts(self) -> str:
        place = t("turn {turn} of {turns}", turn=self.moment.turn, turns=self.frames.turns)
        return t("{place}, step {at} of {count}", place=place, at=self.cursor.at + 1, count=len(self.frames.moments))

    def _to_turn(self, turn: int) -> Reply:
        if not 0 <= turn <= self.frames.turns:
            count = self.frames.turns
            return Reply((tn("the game has {count} turn", "the game has {count} turns", count),))
        return self.go(next(at for at, moment in enumerate(self.frames.moments) if moment.turn >= turn))

    def open_hands(self, whose: str) -> Reply:
        """Show the hands, or those of one seat, all or none, as typed."""
        seat = self.frames.company.find(whose)
        if not whose:
            return Reply(self.hands())
        if whose in ("all", "none"):
            self.cursor = replace(self.cursor, sight=ALL if whose == "all" and self.frames.opened else HIDDEN)
        elif seat in self.frames.opened:
            self.cursor = replace(self.cursor, sight=seat)
        elif seat or _SEAT.fullmatch(whose):
            return Reply((t("that hand is not opened in this replay"),))
        else:
            words = {"hands": shown("hands"), "all": shown("all"), "none": shown("none")}
            return Reply((t("write {hands} {all}, {hands} {none}, or a seat, like {hands} 1", **words),))
        return Reply(self.hands())

    def move(self, by: int) -> Reply:
        """Go on or back; say so at either end."""
        before = self.cursor.at
        self.go(before + by)
        if self.cursor.at != before:
            return MOVED
        return Reply((t("this is the end of the replay") if by > 0 else t("this is the beginning of the replay"),))

    def next_sequence(self) -> Reply:
        return MOVED if self.to_sequence() else Reply((t("no sequence is completed after this"),))

    def start(self) -> Reply:
        if not self.cursor.playing:
            self.toggle()
        return Reply((t("playing, {pace}; {stop} stops it", pace=self.cursor.pace, stop=shown("stop")),))

    def rest(self) -> Reply:
        self.cursor = replace(self.cursor, playing=False)
        return Reply((self.whereabouts(),))

    def pace(self, by: int) -> Reply:
        at = PACES_S.index(self.cursor.pace_s) + by
        self.cursor = replace(self.cursor, pace_s=PACES_S[min(max(at, 0), len(PACES_S) - 1)])
        return Reply((self.cursor.pace,))


_WORDS: Final[Mapping[Term, Callable[[ReplayBrowser, str], Reply] | None]] = {
    term("typed at a replay", "next, n"): lambda browser, _: browser.move(1),
    term("typed at a replay", "back, b"): lambda browser, _: browser.move(-1),
    term("typed at a replay", "first, start"): lambda browser, _: browser.go(0),
    term("typed at a replay", "last, end"): lambda browser, _: browser.end(),
    term("typed at a replay", "play"): lambda browser, _: browser.start(),
    term("typed at a replay", "stop"): lambda browser, _: browser.rest(),
    term("typed at a replay", "faster, +"): lambda browser, _: browser.pace(1),
    term("typed at a replay", "slower, -"): lambda browser, _: browser.pace(-1),
    term("typed at a replay", "sequence, sequences"): lambda browser, _: browser.next_sequence(),
    term("typed at a replay", "hands, hand"): lambda browser, whose: browser.open_hands(word_of(whose)),
    term("typed at a replay", "all"): None,
    term("typed at a replay", "none, closed"): None,
    term("typed at a replay", "board"): lambda browser, text: Reply(browser.board(text)),
    term("typed at a replay", "where"): lambda browser, text: Reply(browser.board(text, part_answer)),
    term("typed at a replay", "log"): lambda browser, text: Reply(browser.log(everything=word_of(text) == "all")),
    term("typed at a replay", "verdict"): lambda browser, _: Reply((browser.frames.verdict, browser.whereabouts())),
    term("typed at a replay", "review"): lambda browser, _: Reply(browser.review()),
    term("typed at a replay", "help, ?"): lambda _, __: Reply(help_lines()),
    term("typed at a replay", "quit, leave, exit, q"): lambda _, __: Reply(done=True),
}
"""The words with their handlers, which get the text typed after the word; None for a word that only follows another."""
WORDS: Final = Vocabulary(*map(Word, _WORDS))
word_of: Final[Callable[[str], str]] = WORDS.word_of
shown: Final[Callable[[str], str]] = WORDS.shown
_HANDLERS: Final = dict(zip(WORDS.words, _WORDS.values(), strict=True))
_WITH_TEXT: Final = ("hands", "board", "where", "log")


def help_lines() -> tuple[str, ...]:
    words = {word: shown(word) for word in WORDS.words}
    return (
        t("{next}, {back}  one step forward, one back (an empty line: forward)", **words),
        t("12  to turn 12    {first}, {last}  to the beginning, to the end", **words),
        t("{sequence}  to the next sequence that was completed", **words),
        t("{play}, {stop}, {faster}, {slower}  let it play", **words),
        t("{board}  the board    {board} 5, {board} e, {where} e5  a part of it    {log}, {log} {all}", **words),
        t("{hands}  the hands    {hands} 2, {hands} {all}, {hands} {none}  whose are shown", **words),
        t("{verdict}  what was verified, and where you are", **words),
        t("{review}  the chance to win here, and the moves that cost most", **words),
        t("{help}, {quit}", **words),
    )


def chances_shown(frames: ReplayFrames, review: MoveReview) -> str:
    """Return the chances of all teams: ``blue 53.2%, green 46.8%``."""
    teams = zip(frames.company.colours, review.chances, strict=True)
    return listed([f"{colour_name(colour)} {percent(chance / 1000, 1)}" for colour, chance in teams])


def review_lines(frames: ReplayFrames, review: MoveReview) -> tuple[str, ...]:
    chances = t("chance to win, by all hands: {teams}", teams=chances_shown(frames, review)) if review.chances else ""
    return tuple(line for line in (chances, _better(review) if review.better else "") if line)


def _better(review: MoveReview) -> str:
    points = number(review.cost / 10, 1)
    return t("{move} cost {points} points; better: {better}", move=review.move, points=points, better=review.better)


def curve_lines(frames: ReplayFrames, *, bars: bool) -> tuple[tuple[Fragment, ...], ...]:
    """Return a line for each move with a review: the chances after it, with ``bars`` also as a bar of letters.

    The bar has the styles of the teams, and a costly move that of its mark.
    """
    reviewed = [(moment.turn, moment.review) for moment in frames.moments if moment.review and moment.review.chances]
    found = [_curve_line(frames, turn, review, bars=bars) for turn, review in reviewed]
    heading = t("the chances to win after each turn, by all hands:")
    return ((("", heading),), *found, ()) if found else ()


def _curve_line(frames: ReplayFrames, turn: int, review: MoveReview, *, bars: bool) -> tuple[Fragment, ...]:
    line = t(
        "{turn:>3}. {bar}{teams}  {who}  {action}",
        turn=turn,
        bar=_BAR if bars else "",
        teams=chances_shown(frames, review),
        who=frames.company.name(review.seat),
        action=_ACTION,
    )
    styled = {_BAR: _bar(frames, review), _ACTION: [(_MARK_STYLES[review.mark], review.move + review.mark)]}
    return tuple(chain(*(styled.get(part, [("", part)]) for part in re.split(f"([{_BAR}{_ACTION}])", line))))


def _bar(frames: ReplayFrames, review: MoveReview) -> list[Fragment]:
    """Return the letters of the teams, each as often as its share of the bar, and a blank."""
    ends = [BAR_LENGTH * mark // sum(review.chances) for mark in accumulate(review.chances)]
    shares = zip(frames.company.colours, pairwise((0, *ends)), strict=True)
    bar = [(f"fill.{colour}", colour_letter(colour) * (end - begin)) for colour, (begin, end) in shares]
    return [*bar, ("", " ")]


def costly_lines(frames: ReplayFrames) -> tuple[str, ...]:
    """Return the moves that cost most under a heading, and the reason why moves have no review."""
    found = [text for _, text in costly_moves(frames)]
    reviewed = any(moment.review for moment in frames.moments)
    heading = [translate(COSTLY_HEADING)] if found else [t("no costly move")] if reviewed else []
    signs = [t("points of the chance to win by what the player knew; ? from 10 on, ?? from 20")] if found else []
    return (*heading, *found, *signs, *([frames.no_review] if frames.no_review else []))


def costly_moves(frames: ReplayFrames) -> list[tuple[int, str]]:
    found = list[tuple[int, str]]()
    for at in frames.costly:
        moment = frames.moments[at]
        assert moment.review is not None, "a costly move is a reviewed one"
        who = frames.company.name(moment.review.seat)
        found.append((at, t("{turn:>3}. {who}  {action}", turn=moment.turn, who=who, action=_better(moment.review))))
    return found


def hand_text(variant: Variant, hand: Hand, *, open_: bool) -> str:
    """Return a hand: its cards, or their number. A card still being drawn is shown as ``?``.

    >>> from seqp2p.rules import CLASSIC
    >>> hand_text(CLASSIC, (-1, 0, 1), open_=True), hand_text(CLASSIC, (0, 1), open_=False)
    ('? 2C 3C', '2 cards')
    """
    if open_ and hand:
        return " ".join("?" if card == UNKNOWN else card_shown(variant, card) for card in hand)
    return tn("{count} card", "{count} cards", len(hand))
