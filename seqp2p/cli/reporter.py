"""Tells scripts and people what happens at a table: one place where an event becomes JSON and a sentence."""

from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Final

import trio

from seqp2p.cli import progress
from seqp2p.cli.output import Output
from seqp2p.cli.table_view import TableView
from seqp2p.crypto.identity import fingerprint
from seqp2p.i18n import message
from seqp2p.live.absence import Absent, Back
from seqp2p.live.recorder import TableEvent
from seqp2p.match.events import (
    Dealt,
    Dropped,
    Event,
    Redealt,
    Remarked,
    Result,
    Seated,
    Shuffled,
    Skipped,
    Turned,
    Undone,
    Voted,
)
from seqp2p.match.machine import Match
from seqp2p.match.play_steps import PLACINGS
from seqp2p.rules import Action, View, format_action, view
from seqp2p.ui.cards import action_shown, card_shown, colour_name
from seqp2p.ui.language import t, translate
from seqp2p.ui.plain import board_lines, sequences_made
from seqp2p.ui.trouble import away_explained, left_line, proof_explained, proven_line, vote_explained
from seqp2p.ui.words import (
    LEFT,
    REDEAL_LINE,
    RESHUFFLED_LINE,
    Company,
    Story,
    absent_line,
    back_line,
    dealer_line,
    dropped_line,
    listed,
    remark_line,
    result_line,
    resumed_line,
    sequences_lines,
    settings_lines,
    shuffled_line,
    skipped_line,
    undone_line,
    vote_line,
)

# Of what had happened before, so many lines are told to whoever comes back; all of it is in the story.
RECALLED: Final = 10
# The first line that people read of an agreed table; what is said before it belongs to the lobby.
TABLE_FULL: Final = message("the table is full")


def tell_lobby_left(output: Output, words: str) -> None:
    """Whoever is here has left before there was a table: that is how it ends, without a replay; ``words`` say it."""
    output.event("over", result="unfinished", winners=(), forfeit=(), reason=LEFT, seat=None, replay=None)
    output.say_last(words)


class Reporter:
    """Tells what happens at the table, as it happens.

    ``own`` is the seat of the person who reads it, 0 where a bot plays or somebody only watches. ``story`` keeps what
    was told of the game.
    """

    def __init__(self, output: Output, match: Match, own: int = 0) -> None:
        self.output = output
        self.match = match
        self.story = Story()
        self._company = Company.of(match.game.agreement, own)
        self._hear: Callable[[TableEvent], None] = lambda _: None
        self._table: TableView | None = None
        self._made = (0,) * match.game.agreement.settings.teams
        self._votes = set[tuple[int, str, tuple[int, ...]]]()
        self._explained = set[str]()
        self._reshuffles = match.game.reshuffles
        self._accounted = set[int]()  # the seats of which it is said why they are voted on
        self._full_at = self._step_at = trio.current_time()

    def follow(self, hear: Callable[[TableEvent], None]) -> None:
        """Pass every event on to the person at this table, once it is told."""
        self._hear = hear

    def show(self, sees: Callable[[], View | None], asked: Callable[[], View | None]) -> None:
        """Show the table on the screen, if there is one: what this reader ``sees``, and is ``asked`` about."""
        self._table = TableView(self.output, self.match, self._company.own, self.story, sees, asked)

    def seats(self) -> None:
        """Who sits where, and how the table plays."""
        agreement = self.match.game.agreement
        self.output.say(translate(TABLE_FULL))
        for number, seat in enumerate(agreement.seats, 1):
            self.output.event("seated", seat=number, name=seat.name, key=seat.key.hex())
            name = t("{name} (you)", name=seat.name) if number == self._company.own else seat.name
            self.output.say(
                t(
                    "seat {seat}: {name}  {colour}  {fingerprint}",
                    seat=number,
                    name=name,
                    colour=colour_name(self._company.colour(number)),
                    fingerprint=fingerprint(seat.key),
                )
            )
        for line in settings_lines(agreement.settings):
            self.output.say(line)

    def tell(self, event: TableEvent) -> None:
        """One event of the match."""
        now = trio.current_time()
        match event:
            case Seated(draw):
                self._tell_dealer(draw.rounds, draw.dealer)
            case Shuffled(seat, number, reshuffle):
                self._tell_reshuffle(reshuffle)
                seconds = round(now - self._step_at, 3)
                self.output.event("shuffle", seat=seat, seconds=seconds, reshuffle=reshuffle)
                self.output.say(shuffled_line(self._company, seat, number, self.match.game.players))
            case Dealt():
                self.output.event("dealt", seconds=round(now - self._full_at, 3))
                self.output.say(t("the cards are dealt"))
            case Turned(turn, seat, action):
                self._tell_action(turn, seat, action)
            case Remarked(seat, number, text, courtesy):
                self.output.event("remark", seat=seat, number=number, text=text, courtesy=courtesy)
                self._log(remark_line(self._company, seat, text, courtesy=courtesy), "remark")
            case _:
                self._tell_absence(event)
        self._step_at = now
        self._show_progress()
        self._hear(event)
        if self._table is not None:
            self._table.hear(event)

    def _tell_reshuffle(self, number: int) -> None:
        """Say once why seats shuffle in the middle of a game. A deal anew says so by itself."""
        if number > self._reshuffles:
            self._reshuffles = number
            self._log(translate(RESHUFFLED_LINE))

    def _show_progress(self) -> None:
        if self.output.screen is None:
            progress.show(progress.of_setup(self.match, self._company.own))

    def over(self, result: Result, seat: int | None, replay: Path) -> None:
        """How it ended, and where the replay of this seat is; None for one who only watches."""
        self.output.event(
            "over",
            result="unfinished" if result.kind == "forfeit" else result.kind,
            winners=() if result.kind == "forfeit" else result.winners,
            forfeit=result.winners if result.kind == "forfeit" else (),
            reason=result.reason or None,
            seat=seat,
            replay=str(replay),
        )
        if self.match.game.position is not None:
            seen = view(self.match.game.position, seat or 0)
            self.output.leave("", *board_lines(seen, self._company.colours, self.story.last))
        outcome = result_line(self._company, result)
        self.output.say_last(outcome)
        self.output.say_last(t("replay: {path}", path=replay))
        if self._table is not None:
            self._table.over(outcome)

    # Seats that are away, and what the others decide.

    def _tell_absence(self, event: TableEvent) -> None:
        match event:
            case Voted(seat, number, action, about):
                self._say_why(about)
                self.vote(seat, action, about, number)
            case Skipped(seat):
                self.skipped(seat)
            case Dropped(seats):
                self.dropped(seats)
            case Redealt():
                self.redeal()
            case Undone(step):
                self.undone(step)
            case Absent(seat, grace_s):
                self.absent(seat, grace_s)
            case Back(seat):
                self.back(seat)
            case _:
                pass  # What is drawn, its holder sees; how it ended, ``over`` says.

    def absent(self, seat: int, grace_s: float) -> None:
        """A seat cannot be reached; the others wait up to ``grace_s`` seconds."""
        self.output.event("absent", seat=seat, name=self._company.names[seat - 1], grace_s=grace_s)
        self._log(absent_line(self._company, seat, grace_s), "alarm")
        if seat != self._company.own:
            self._explain("absent", away_explained(self._company, seat, self.match.game.players))

    def back(self, seat: int) -> None:
        """A seat that was away is there again."""
        self.output.event("back", seat=seat)
        self._log(back_line(self._company, seat))

    def vote(self, seat: int, action: str, seats: Collection[int], number: int) -> None:
        """A seat votes, in the round of this number, to ``skip`` or to ``drop`` others; people hear it once."""
        others = tuple(sorted(seats))
        self.output.event("vote", seat=seat, action=action, seats=others, round=number)
        if (seat, action, others) not in self._votes:
            self._votes.add((seat, action, others))
            self._log(vote_line(self._company, seat, action, others), "alarm")
            self._explain(action, vote_explained(self._company, action, others))

    def skipped(self, seat: int) -> None:
        """The turn of a seat has passed without it."""
        self.output.event("skipped", seat=seat)
        self._votes.clear()
        self._log(skipped_line(self._company, seat))

    def dropped(self, seats: Collection[int]) -> None:
        """Seats have left the game for good."""
        self.output.event("dropped", seats=sorted(seats))
        self._votes.clear()
        self._log(dropped_line(self._company, seats), "alarm")

    def redeal(self) -> None:
        """All cards that do not lie open are shuffled and dealt again."""
        self.output.event("redeal")
        self._log(translate(REDEAL_LINE))

    def resumed(self, seat: int, step: int, events: Iterable[Event] = ()) -> None:
        """A seat has been taken again, at this step, after these events: who sits where, and what was told of them.

        The newest stands last, so that it is seen where few lines are.
        """
        self.output.event("resumed", seat=seat, step=step)
        self.seats()
        told = len(self.story.lines)
        self._recall(events)
        for line in list(self.story.lines)[told:][-RECALLED:]:
            self.output.say(line)
        position = self.match.game.position
        if position is not None:
            self._made = sequences_made(view(position, 0))
        self._log(resumed_line(self._company, seat, step))

    def _recall(self, events: Iterable[Event]) -> None:
        lines = self.story.lines
        for event in events:
            match event:
                case Turned(turn, seat, action):
                    lines.append(self._action_line(turn, seat, action))
                    if action.kind in ("place", "remove"):
                        self.story.last = action
                case Remarked(seat, _, text, courtesy):
                    lines.append(remark_line(self._company, seat, text, courtesy=courtesy))
                case Skipped(seat):
                    lines.append(skipped_line(self._company, seat))
                case Dropped(seats):
                    lines.append(dropped_line(self._company, seats))
                case Redealt():
                    lines.append(translate(REDEAL_LINE))
                case _:
                    pass  # Who voted, who was away: that is over.

    def undone(self, step: int) -> None:
        """A step that was closed for the time being has to be played again."""
        self.output.event("undone", step=step)
        self._log(undone_line(step))

    def _say_why(self, seats: Collection[int]) -> None:
        """Why seats are voted on, where their own signatures say it; once."""
        for seat in sorted(self.match.proven.keys() & {*seats} - self._accounted):
            violation = self.match.proven[seat]
            self.output.event("proved", seat=seat, step=violation.step, reason=violation.reason)
            self._log(proven_line(self._company, seat, violation.step, violation.reason), "alarm")
            self._explain("proof", proof_explained())
        left = self.match.left.keys() & {*seats} - self._accounted - self.match.proven.keys()
        if left:
            self._log(left_line(self._company, left), "alarm")
        self._accounted |= {*seats} & (self.match.proven.keys() | self.match.left.keys())

    def _explain(self, what: str, line: str) -> None:
        """Say once in a game what happens now, for people who have not seen it before."""
        if what not in self._explained:
            self._explained.add(what)
            self._log(line)

    def _log(self, line: str, kind: str = "log") -> None:
        self.story.lines.append(line)
        self.output.say(line, kind)

    def _tell_action(self, turn: int, seat: int, action: Action) -> None:
        text = format_action(self.match.game.variant, action)
        name = "turn" if action.kind in PLACINGS else action.kind
        self.output.event(name, turn=turn, seat=seat, action=text)
        self._log(self._action_line(turn, seat, action))
        if action.kind in ("place", "remove"):
            self.story.last = action
            seen = view(self.match.game.table_position(), 0)
            made, needed = sequences_made(seen), self.match.game.table_position().table.sequences_to_win
            for line in sequences_lines(self._company, self._made, made, needed):
                self._log(line)
            self._made = made

    def _action_line(self, turn: int, seat: int, action: Action) -> str:
        shown = action_shown(self.match.game.variant, action)
        return t("{turn:>3}. {who}: {action}", turn=turn, who=self._company.who(seat), action=shown)

    def _tell_dealer(self, rounds: Sequence[Sequence[tuple[int, int]]], dealer: int) -> None:
        variant = self.match.game.variant
        for turned in rounds:
            cards = [f"{self._company.who(seat)} {card_shown(variant, card)}" for seat, card in turned]
            self.output.say(t("turned over: {cards}", cards=listed(cards)))
        self.output.say(dealer_line(self._company, dealer))
        self.output.event("dealer", seat=dealer)
