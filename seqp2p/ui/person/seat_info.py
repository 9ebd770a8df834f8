"""What a person at the table can ask to be shown, at any time of the game: each word's answer, as lines."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final

from seqp2p.i18n import message
from seqp2p.match.machine import Match
from seqp2p.match.seat import SeatKeys
from seqp2p.rules import Action, View, view
from seqp2p.ui.cards import card_shown, colour_name
from seqp2p.ui.language import t, translate
from seqp2p.ui.person.command_words import shown, word_of
from seqp2p.ui.person.input_parser import read_card
from seqp2p.ui.plain import (
    board_lines,
    card_lines,
    hand_line,
    help_lines,
    legal_lines,
    score_line,
    seats_lines,
    sign_lines,
    where_lines,
)
from seqp2p.ui.spoken_board import part_lines, read_square, square_line
from seqp2p.ui.words import Company, Story, listed

LOG_LINES: Final = 20
LOG_DIGITS_MAX: Final = 6
NOT_DEALT: Final = message("the cards are not dealt yet")
GAME_OVER: Final = message("the game is over")


class SeatInfo:
    """What lies before one seat. Nothing in here changes the game.

    ``safety`` gives the two safety words with another seat, None before there are any.
    """

    def __init__(
        self, match: Match, seat: SeatKeys, story: Story, safety: Callable[[int], Sequence[str] | None]
    ) -> None:
        self.match = match
        self.seat = seat
        self.company = Company.of(match.game.agreement, seat.number)
        self._story = story
        self._safety = safety

    @property
    def view(self) -> View | None:
        """What this seat sees now, None before the deal."""
        return None if self.match.game.position is None else self.seat.view(self.match)

    @property
    def is_over(self) -> bool:
        """Whether nothing more can be played."""
        position = self.match.game.position
        return position is not None and position.over

    def help(self, *, painted: bool = False) -> Iterable[str]:
        """Who one is, how to read the board unless it is ``painted``, and what can be typed."""
        seen, company = self.view, self.company
        if seen is None:
            return [t("the cards are not dealt yet; meanwhile: seats, words, say TEXT, leave")]
        own = company.colour(company.own)
        mates = [seat for seat in self.match.game.seats if company.colour(seat) == own and seat != company.own]
        place = t(
            "you are seat {seat} ({name}) and play {colour}",
            seat=company.own,
            name=company.names[company.own - 1],
            colour=colour_name(own),
        )
        if mates:
            place = t("{place} with {mates}", place=place, mates=listed([company.who(seat) for seat in mates]))
        signs = [] if painted else sign_lines(company.colours)
        return [place, *signs, *card_lines(seen.variant), *help_lines(seen)]

    def hand(self) -> Iterable[str]:
        """The seat's own cards."""
        return self._seen(lambda seen: [hand_line(seen)])

    def board(self, text: str = "") -> Iterable[str]:
        """The board and the score; or in a sentence the row, column or square that is named."""
        return self._seen(lambda seen: board_answer(seen, text, self.company.colours, self._story.last))

    def score(self) -> Iterable[str]:
        """Sequences by team, the pile and the discards."""
        return self._seen(lambda seen: [score_line(seen, self.company.colours)])

    def moves(self) -> Iterable[str]:
        """What this seat could do if it were its turn."""
        return self._seen(self._moves)

    def _moves(self, seen: View) -> Iterable[str]:
        if seen.over:
            return [translate(GAME_OVER)]
        asked = view(seen.position._replace(to_move=seen.seat, pending=None, exchanged=0), seen.seat)
        return [t("it is not your turn; if it were, with the board as it is:"), *legal_lines(asked)]

    def where(self, text: str) -> Iterable[str]:
        """Where a card goes, or what lies on a square, as typed."""
        return self._seen(lambda seen: where_answer(seen, text, self.company.colours))

    def log(self, text: str) -> Iterable[str]:
        """What has been played and said: the newest lines, so many of them, or ``all``."""
        return log_answer(self._story, text)

    def seats(self, away: Collection[int] = ()) -> Iterable[str]:
        """Who sits where, with how many cards, and who cannot be reached."""
        seen = self.view
        if seen is None:
            return [self.company.who(seat) for seat in self.match.game.seats]
        return seats_lines(seen, self.company, away)

    def words(self) -> Iterable[str]:
        """The safety words with every other seat."""
        others = [seat for seat in self.match.game.seats if seat != self.seat.number]
        pairs = [(seat, words) for seat in others if (words := self._safety(seat)) is not None]
        if not pairs:
            return [t("there are no safety words yet: they come with the keys of the game")]
        lines = [t("  {who}: {words}", who=self.company.who(seat), words=" ".join(words)) for seat, words in pairs]
        return [t("compare by voice: who hears the same two words has nobody sitting in between"), *lines]

    def _seen(self, lines: Callable[[View], Iterable[str]]) -> Iterable[str]:
        seen = self.view
        return [translate(NOT_DEALT)] if seen is None else lines(seen)


def board_answer(seen: View, text: str, colours: Sequence[str], last: Action | None) -> list[str]:
    """What ``board`` and what is typed behind it are answered by."""
    if not text:
        return [*board_lines(seen, colours, last), score_line(seen, colours)]
    board = shown("board")
    ask = t("{board} takes a row, a column or a square, like: {board} 5, {board} e, {board} e5", board=board)
    return part_lines(seen, text, colours, last) or [ask]


def where_answer(seen: View, text: str, colours: Sequence[str]) -> list[str]:
    """What ``where`` and what is typed behind it are answered by."""
    if (square := read_square(seen.variant, text)) is not None:
        return [square_line(seen, square, colours)]
    if (card := read_card(seen.variant, text)) is not None:
        return where_lines(seen, card, colours)
    example = f"{shown('where')} {card_shown(seen.variant, seen.variant.board.grid[1])}"
    return [t("write a card or a square behind it, like: {example}", example=example)]


def log_answer(story: Story, text: str) -> list[str]:
    """What ``log`` and what is typed behind it are answered by: the newest lines, so many of them, or ``all``."""
    lines = list(story.lines)
    if word_of(text) == "all" or not lines:
        return lines or [t("nothing has been played yet")]
    if text.isdecimal():
        return lines[-max(int(text[:LOG_DIGITS_MAX]), 1) :]
    if len(lines) <= LOG_LINES:
        return lines
    first = t("the last {shown} of {count} lines; log all shows them all", shown=LOG_LINES, count=len(lines))
    return [first, *lines[-LOG_LINES:]]
