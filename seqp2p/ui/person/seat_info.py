"""Answers, as lines, to the words that show something of the table at any time of the game."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from seqp2p.i18n import message
from seqp2p.match.machine import Match
from seqp2p.match.seat import SeatKeys
from seqp2p.match.steps import why_not_callable
from seqp2p.rules import PASS, View, team_of
from seqp2p.ui import plain
from seqp2p.ui.cards import card_shown, colour_name
from seqp2p.ui.choice import in_own_turn
from seqp2p.ui.language import t, translate
from seqp2p.ui.person.command_words import Answers, shown, word_of
from seqp2p.ui.person.input_parser import read_card
from seqp2p.ui.words import Company, Story, listed, talk_is_callable

LOG_LINES: Final = 20
LOG_DIGITS_MAX: Final = 6
NOT_DEALT: Final = message("the cards are not dealt yet")
GAME_OVER: Final = message("the game is over")


class SeatInfo:
    """One seat's knowledge of the match, as answers to words. Nothing here changes the game.

    ``safety`` gives the two safety words with another seat, None before there are any; ``ways`` how seats are
    reached.
    """

    def __init__(
        self,
        match: Match,
        seat: SeatKeys,
        story: Story,
        safety: Callable[[int], Sequence[str] | None],
        ways: Callable[[], plain.Ways] = dict,
    ) -> None:
        self.match = match
        self.seat = seat
        self.company = Company.of(match.game.agreement, seat.number)
        self.story = story
        self.ways = ways
        self._safety = safety

    @property
    def view(self) -> View | None:
        """Return what this seat sees now, None before the deal."""
        return None if self.match.game.position is None else self.seat.view(self.match)

    @property
    def is_over(self) -> bool:
        position = self.match.game.position
        return position is not None and position.over

    def must_pass(self, seen: View) -> bool:
        """Return True if nothing can be placed, removed or exchanged, and no remark called."""
        game = self.match.game
        return (seen.phase, seen.legal) == ("play", (PASS,)) and not any(
            talk_is_callable(game.agreement.settings)
            and team_of(remark.said.seat, seen.teams) != seen.team
            and why_not_callable(game, remark, self.seat.number, self.match.number) is None
            for remark in self.match.remarks.after((0,) * game.players)
        )

    def help(self, *, painted: bool = False, coached: bool = False) -> Iterable[str]:
        """Tell the player's seat, how to read the board unless it is ``painted``, and what can be typed."""
        seen, company = self.view, self.company
        if seen is None:
            return [t("the cards are not dealt yet; meanwhile: seats, words, say TEXT, leave")]
        seat, own = company.own, company.colour(company.own)
        mates = [mate for mate in self.match.game.seats if company.colour(mate) == own and mate != seat]
        values = {"seat": seat, "name": company.names[seat - 1], "colour": colour_name(own)}
        place = t("you are seat {seat} ({name}) and play {colour}", **values)
        if mates:
            place = t("{place} with {mates}", place=place, mates=listed(list(map(company.name, mates))))
        legend = plain.legend_lines(seen.variant, company.colours, painted=painted)
        return [place, *legend, *plain.help_lines(seen, coached=coached)]

    def words(self) -> Iterable[str]:
        others = [seat for seat in self.match.game.seats if seat != self.seat.number]
        pairs = [(seat, words) for seat in others if (words := self._safety(seat)) is not None]
        if not pairs:
            return [t("there are no safety words yet: they come with the keys of the game")]
        lines = [t("  {who}: {words}", who=self.company.name(seat), words=" ".join(words)) for seat, words in pairs]
        return [t("Read these two words to each other: if they match, nobody is between you."), *lines]


@dataclass(frozen=True, slots=True)
class TableInfo:
    """The table as one reader sees it, and what the words of ``TABLE_ANSWERS`` need.

    ``sees`` gives the view, None before the deal; ``asked`` the view of the open question, None if there is none;
    ``away`` the seats that cannot be reached, ``ways`` how others are reached.
    """

    company: Company
    story: Story
    sees: Callable[[], View | None]
    asked: Callable[[], View | None] = lambda: None
    away: Callable[[], Collection[int]] = tuple
    ways: Callable[[], plain.Ways] = dict

    def answer(self, word: str, text: str) -> Iterable[str]:
        """Answer one of ``TABLE_ANSWERS``, with the text typed after it."""
        seen = self.sees()
        if word == "log":
            return log_answer(self.story, text)
        if seen is None:
            return map(self.company.name, self.company.seats) if word == "seats" else [translate(NOT_DEALT)]
        return TABLE_ANSWERS[word](self, seen, text)

    def answers(self, words: Iterable[str]) -> Answers:
        return {word: partial(self.answer, word) for word in words}


TABLE_ANSWERS: Final[Mapping[str, Callable[[TableInfo, View, str], Iterable[str]]]] = {
    "hand": lambda _, seen, __: [plain.hand_line(seen)],
    "board": lambda info, seen, text: plain.board_answer(seen, text, info.company.colours, info.story.last),
    "moves": lambda info, seen, _: _moves(info.asked(), seen),
    "where": lambda info, seen, text: where_answer(seen, text, info.company.colours),
    "seats": lambda info, seen, _: plain.seats_lines(seen, info.company, info.away(), info.ways()),
    "threats": lambda info, seen, _: plain.threat_lines(seen, info.company.colours),
    "score": lambda info, seen, _: [plain.score_line(seen, info.company.colours)],
    "log": lambda info, _, text: log_answer(info.story, text),
}
"""The words that are answered alike for a player, in the tutorial and for a spectator, with their answers."""
SPECTATOR_WORDS: Final = ("board", "where", "threats", "seats", "score", "log")
"""Those of them that a spectator has."""


def _moves(asked: View | None, seen: View) -> Iterable[str]:
    """List what the seat can do, or could do if it were its turn."""
    if asked is not None:
        return plain.legal_lines(asked)
    if seen.over:
        return [translate(GAME_OVER)]
    turn = in_own_turn(seen, seen.seat)
    return [t("it is not your turn; if it were, with the board as it is:"), *plain.legal_lines(turn)]


def where_answer(seen: View, text: str, colours: Sequence[str]) -> list[str]:
    if (square := plain.read_square(seen.variant, text)) is not None:
        return [plain.square_line(seen, square, colours)]
    if (card := read_card(seen.variant, text)) is not None:
        return plain.where_lines(seen, card, colours)
    typed = f"{shown('where')} {text}".rstrip()
    example = f"{shown('where')} {card_shown(seen.variant, seen.variant.board.grid[1])}"
    return [t("{typed} names no card or square; {example} does", typed=typed, example=example)]


def log_answer(story: Story, text: str) -> list[str]:
    """Answer ``log`` and the text typed after it: the newest lines, so many of them, or ``all``."""
    lines = list(story.lines)
    if word_of(text) == "all" or not lines:
        return lines or [t("nothing has been played yet")]
    if text.isdecimal():
        return lines[-max(int(text[:LOG_DIGITS_MAX]), 1) :]
    if len(lines) <= LOG_LINES:
        return lines
    first = t("the last {shown} of {count} lines; log all shows them all", shown=LOG_LINES, count=len(lines))
    return [first, *lines[-LOG_LINES:]]
