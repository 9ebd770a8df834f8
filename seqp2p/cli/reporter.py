"""Tells scripts and people the events of a table, by the rows of cli/events.py, and those of the router's port."""

import contextlib
import time
from collections.abc import Callable, Collection, Generator, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import trio

from seqp2p.api.port_mapping import OnPortEvent, PortEvent
from seqp2p.cli import json_events, progress
from seqp2p.cli.events import row_of, table_seats
from seqp2p.cli.output import Output
from seqp2p.i18n import message
from seqp2p.live.absence import Absent, Back
from seqp2p.live.recorder import TableEvent
from seqp2p.live.voting import AskAbout
from seqp2p.match.events import (
    Dealt,
    Drawn,
    Dropped,
    Event,
    Finished,
    Redealt,
    Remarked,
    Result,
    Shuffled,
    Skipped,
    Turned,
    Voted,
    plain_result,
)
from seqp2p.match.machine import Match
from seqp2p.rules import ACTION_ROWS, Card, view
from seqp2p.ui import words
from seqp2p.ui.language import t, translate
from seqp2p.ui.plain import Ways, board_lines, sequences_made
from seqp2p.ui.words import Sight

if TYPE_CHECKING:  # Only where there is a screen.
    from seqp2p.ui.table_scene import TableScene

# The lines of the past that a player who resumes is told; the story has all of them.
RECALLED: Final = 10
# The first line that people read of an agreed table; what is said before it belongs to the lobby.
TABLE_FULL: Final = message("the table is full")


def setup_progress(match: Match, own: int) -> str:
    """Return a line about the work before the cards are dealt; empty in the game."""
    return "" if match.game.position is not None and match.kind != "deal" else card_progress(match, own)


def card_progress(match: Match, own: int) -> str:
    """Return a line about a shuffle or a deal; else an empty text."""
    if match.kind == "deal":
        return t("the cards are being dealt…")
    if match.kind != "shuffle" or match.plan is None:
        return ""
    checked, players = _shuffled(match)
    if match.plan.subject == own:
        return t("you shuffle… proof checked {checked}/{players}", checked=checked, players=players)
    name = words.Company.of(match.game.agreement, own).name(match.plan.subject)
    return t("{name} shuffles… proof checked {checked}/{players}", name=name, checked=checked, players=players)


def _shuffled(match: Match) -> tuple[int, int]:
    """Return how many seats have shuffled in this round of shuffles, and how many shuffle."""
    assert match.plan is not None, "a shuffle is planned"
    seats = list(match.game.seats)
    return seats.index(match.plan.subject), len(seats)


def emit_lobby_left(output: Output, text: str) -> None:
    """Tell that the player left before there was a table. There is no replay; ``text`` says it to people."""
    result = plain_result(Result("unfinished", (), words.LEFT))
    output.event(json_events.OverEvent(**result, seat=None, replay=None, resumable=False))
    output.say_last(text)


class Reporter:
    """Tells the events of a table at once.

    ``own`` is the seat of the reading person, 0 for a spectator or a bot. ``story`` keeps the lines of the game.
    ``ways`` are how the other seats are reached.
    """

    def __init__(self, output: Output, match: Match, own: int = 0, ways: Callable[[], Ways] = dict) -> None:
        self.output = output
        self.match = match
        self.story = words.Story()
        self._company = words.Company.of(match.game.agreement, own)
        self._hear: Callable[[TableEvent], None] = lambda _: None
        self._scene: TableScene | None = None
        self._step = match.number  # the one that the scene shows
        self._made = (0,) * match.game.agreement.settings.teams
        self._votes = set[tuple[int, str, tuple[int, ...]]]()
        self._explained = set[str]()
        self._exchanged: tuple[int, list[Card], str] = (-1, [], "")  # the turn, the cards, and the line that tells it
        self._reshuffles = match.game.reshuffles
        self._shufflers, self._shuffling = list[str](), ""  # who has shuffled, and the line that tells it on a screen
        self._ways, self._relayed = ways, set[int]()  # and the seats that are said to be behind a relay
        self._accounted = set[int]()  # the seats whose vote is explained
        self._full_at = self._step_at = trio.current_time()

    def follow(self, hear: Callable[[TableEvent], None]) -> None:
        """Pass every event on to the person at this table, once it is told."""
        self._hear = hear

    def show(self, sight: Sight) -> None:
        """Show the table on the screen, if there is one."""
        if (screen := self.output.screen) is not None:
            from seqp2p.ui.table_scene import TableScene

            settings, confirms = self.match.game.agreement.settings, self.output.preferences.confirmation
            scene = TableScene(sight, self._company, self.story, trio.current_time, settings, confirms=confirms)
            self._scene = scene
            self._show_progress(scene)
            screen.show(scene)

    def seats(self) -> None:
        agreement = self.match.game.agreement
        self.output.say(translate(TABLE_FULL), "detail")
        for number, seat in enumerate(agreement.seats, 1):
            self.output.event(json_events.SeatedEvent(number, seat.name, seat.key.hex()))
        for line in (*table_seats(agreement, self._company.own), *words.settings_lines(agreement.settings)):
            self.output.say(line, "detail")
        if self.output.screen is not None:
            self.output.say(words.teams_line(self._company))

    def on_event(self, event: TableEvent) -> None:
        if isinstance(event, Voted):
            self._say_why(event.about)
        if isinstance(event, Shuffled) and event.reshuffle > self._reshuffles:  # A redeal has its own line.
            self._reshuffles = event.reshuffle
            self._log(translate(words.RESHUFFLED_LINE))
        if not isinstance(event, Drawn | Finished | AskAbout):  # For the card's holder, for ``over``, for one person.
            self._tell_row(event)
        self._explain_event(event)
        self._step_at = trio.current_time()
        if self.output.screen is None:
            progress.show(setup_progress(self.match, self._company.own))
        self._tell_relayed()
        self._hear(event)
        self._show_event(event)

    def _tell_relayed(self) -> None:
        """Say once of each seat that a relay alone leads to it."""
        for seat, way in self._ways().items():
            if way and isinstance(way, str) and seat not in self._relayed:
                self._relayed.add(seat)
                name = self._company.name(seat)
                line = t(
                    "the relay {relay} links you with {name}: it sees no card, and can cut you off",
                    name=name,
                    relay=way,
                )
                self.output.say(line, "detail")

    def _show_event(self, event: TableEvent) -> None:
        """Change the table on the screen, if there is one."""
        scene, screen = self._scene, self.output.screen
        if scene is None or screen is None:
            return
        match event:
            case Absent(seat, grace_s, _):
                scene.absent(seat, grace_s)
            case Back(seat):
                scene.back(seat)
            case AskAbout():
                pass
            case Dropped(seats):
                for seat in seats:
                    scene.back(seat)
                scene.changed()
            case _:
                scene.changed(is_new_step=self.match.number != self._step)
        self._step = self.match.number
        self._show_progress(scene)
        screen.refresh()

    def _show_progress(self, scene: "TableScene") -> None:
        """Show the present work while no player chooses."""
        text = card_progress(self.match, self._company.own)
        scene.progress(text, *(_shuffled(self.match) if text and self.match.kind == "shuffle" else ()))

    def _tell_row(self, event: Event | Absent | Back) -> None:
        row = row_of(event, self.match.game.variant)
        now, fields = trio.current_time(), row.fields
        if "seconds" in fields:
            fields["seconds"] = round(now - (self._full_at if isinstance(event, Dealt) else self._step_at), 3)
        if isinstance(event, Absent):
            fields["name"] = self._company.names[event.seat - 1]
        self.output.event(json_events.GAME_EVENTS[row.name](**fields))
        if isinstance(event, Remarked) and self.match.game.agreement.seats[event.seat - 1].key in self.story.muted:
            return
        if isinstance(event, Voted):
            vote = (event.seat, event.action, event.about)
            if vote in self._votes:
                return  # People were told of it, in an earlier round.
            self._votes.add(vote)
        if isinstance(event, Turned) and event.action.kind == "exchange":
            self._log_exchange(event)
            return
        lines = row.lines(self._company)
        if row.tone == "setup":
            self._tell_setup(event, lines)
        elif isinstance(event, Turned) and self.output.screen is None:
            self._log(t("; ").join([*lines, *self._sequences_told()]), row.tone)  # One line for those who hear it.
        else:
            colour = self._company.colour(event.seat) if isinstance(event, Turned) else ""
            for line in lines:
                self._log(line, row.tone, colour)
            for line in self._sequences_told() if isinstance(event, Turned) else ():
                self._log(line)

    def _tell_setup(self, event: Event | Absent | Back, lines: Iterable[str]) -> None:
        """Tell the work before the cards: on a screen in one line, which grows by those whose shuffles are checked."""
        is_dealing = isinstance(event, Dealt) or (isinstance(event, Shuffled) and not event.reshuffle)
        if self.output.screen is None or not is_dealing:
            for line in lines:
                self.output.say(line, "detail")
            return
        if isinstance(event, Shuffled):
            self._shufflers.append(self._company.name(event.seat))
        before, names = self._shuffling, words.listed(self._shufflers)
        self._shuffling = t("shuffled by {names}…", names=names)
        if isinstance(event, Dealt):
            self._shuffling = t("shuffled by {names}, all proofs checked; the cards are dealt", names=names)
            self._shufflers.clear()
        if not before or not self.output.screen.amend(before, self._shuffling):
            self.output.say(self._shuffling)
        if isinstance(event, Dealt):
            self._shuffling = ""

    def _log_exchange(self, event: Turned) -> None:
        """Tell all exchanges of a turn in one line, where a line can be changed."""
        variant, screen, colour = self.match.game.variant, self.output.screen, self._company.colour(event.seat)
        if screen is None:
            self._log(row_of(event, variant).lines(self._company)[0], colour=colour)
            return
        turn, cards, before = self._exchanged
        cards = [*cards, event.action.card] if turn == event.turn else [event.action.card]
        shown = [*(screen.card(variant, card) for card in cards[:-1]), screen.action(variant, event.action)]
        who = self._company.name(event.seat)
        line = t("{turn:>3}. {who}  {action}", turn=event.turn, who=who, action=words.listed(shown))
        self._exchanged = event.turn, cards, line
        if turn == event.turn and self.story.amend(before, line):
            screen.amend(before, line)
        else:
            self._log(line, colour=colour)

    def _explain_event(self, event: TableEvent) -> None:
        """Explain the consequences of an event, and a phase of the game that is new to people."""
        match event:
            case Turned(_, seat, action) if ACTION_ROWS[action.kind].moves_chip:
                self.story.turned(seat, action)
            case Absent(seat, grace_s) if seat != self._company.own and grace_s is not None:
                self._explain("absent", words.away_explained(self._company, seat, len(self.match.game.seats)))
            case Voted(_, _, action, about):
                self._explain(action, words.vote_explained(self._company, action, about))
            case Skipped() | Dropped():
                self._votes.clear()
            case _:
                pass  # The line of the event says it all.

    def _sequences_told(self) -> list[str]:
        """Return the lines on sequences that were made or broken since the last call."""
        position = self.match.game.table_position()
        before, self._made = self._made, sequences_made(view(position, 0))
        return words.sequences_lines(self._company, before, self._made, position.table.sequences_to_win)

    def over(self, result: Result, seat: int | None, replay: Path, *, resumable: bool = False) -> None:
        """Tell the result and the replay of this seat; None for a spectator."""
        self.output.event(
            json_events.OverEvent(**plain_result(result), seat=seat, replay=str(replay), resumable=resumable)
        )
        screen = self.output.screen
        if self._scene is not None and screen is not None:
            if board := self._scene.final_board():
                screen.remains[:] = [*(line for line in screen.remains if isinstance(line, str)), board]
        elif self.match.game.position is not None:
            seen = view(self.match.game.position, seat or 0)
            self.output.leave("", *board_lines(seen, self._company.colours, self.story.last))
        heirs = () if self.match.forfeit is None else self.match.forfeit.winners
        outcome = words.result_line(self._company, result, resumable=resumable, heirs=heirs)
        if seat is None and result.kind == "unfinished":  # The others may play on.
            outcome = t("you no longer see the game: {reason}", reason=words.reason_text(self._company, result.reason))
        self.output.say_last(outcome)
        self.output.say_last(t("replay: {path}", path=replay))
        if self._scene is not None and self.output.screen is not None:
            self.output.screen.close_questions()
            self._scene.over([outcome], lost=bool(seat and result.winners) and seat not in result.winners)
            self.output.screen.refresh()

    def resumed(self, seat: int, step: int, events: Iterable[Event] = ()) -> None:
        """Tell a resumed seat, at this step, after these events: the seats, and the lines of the events.

        The newest comes last, so that it is visible on few lines.
        """
        self.output.event(json_events.ResumedEvent(seat, step))
        self.seats()
        for line in self._recall(events)[-RECALLED:]:
            self.output.say(*line)
        position = self.match.game.position
        if position is not None:
            self._made = sequences_made(view(position, 0))
        self._log(words.resumed_line(self._company, seat))

    def _recall(self, events: Iterable[Event]) -> list[tuple[str, str, str]]:
        """Keep the lines and moves of events; return the lines with their kinds and the colours of their teams."""
        told = list[tuple[str, str, str]]()
        for event in events:
            if isinstance(event, Turned):
                self.story.turned(event.seat, event.action)
            if isinstance(event, Turned | Remarked | Skipped | Dropped | Redealt):  # Votes and absences are over.
                colour = self._company.colour(event.seat) if isinstance(event, Turned) else ""
                row = row_of(event, self.match.game.variant)
                kind = "remark" if isinstance(event, Remarked) else "log"
                told += [(line, kind, colour) for line in row.lines(self._company)]
        self.story.lines.extend(line for line, *_ in told)
        return told

    def _say_why(self, seats: Collection[int]) -> None:
        """Explain once why seats are voted on, if their own signatures are the reason."""
        for seat in sorted(self.match.proven.keys() & {*seats} - self._accounted):
            violation = self.match.proven[seat]
            self.output.event(json_events.ProvedEvent(seat, violation.step, violation.reason))
            self._log(words.proven_line(self._company, seat, violation.step, violation.reason), "alarm")
            self._explain("proof", words.proof_explained())
        left = self.match.left.keys() & {*seats} - self._accounted - self.match.proven.keys()
        if left:
            self._log(words.left_line(self._company, left), "alarm")
        self._accounted |= {*seats} & (self.match.proven.keys() | self.match.left.keys())

    def _explain(self, what: str, line: str) -> None:
        """Say once in a game what happens now, for people who have not seen it before."""
        if what not in self._explained:
            self._explained.add(what)
            self._log(line)

    def _log(self, line: str, kind: str = "log", colour: str = "") -> None:
        self.story.lines.append(line)
        self.output.say(line, kind, colour)


class PortTeller:
    """Tells people and scripts the events of the router's port."""

    def __init__(self, output: Output) -> None:
        self.output = output
        self._last = ""

    @contextlib.contextmanager
    def telling(self, output: Output) -> Generator[None]:
        """Tell events to this output until the block ends. Tell the last one again on a screen, which hides it."""
        before, self.output = self.output, output
        if self._last and output.screen is not None:
            output.say(self._last)
        try:
            yield
        finally:
            self.output = before

    def asking(self, *, wanted: bool) -> OnPortEvent | None:
        """Say that the router is asked, and return the listener for its answers; None if no port is wanted."""
        if not wanted:
            return None
        self.output.say(t("asking the router to open a port…"))
        return self.on_event

    def on_event(self, event: PortEvent) -> None:
        address = None if event.address is None else str(event.address)
        self.output.event(json_events.MappedPortEvent(event.state, address, round(event.until, 1), event.reason))
        self._last = port_line(event)
        if event.state in {"closed", "left"}:
            self.output.say_last(self._last)
        else:
            self.output.say(self._last, "log" if event.state == "open" else "alarm")


def port_line(event: PortEvent) -> str:
    until = time.strftime("%H:%M", time.localtime(event.until))
    values = {"address": event.address, "time": until, "reason": translate(event.reason)}
    match event.state:
        case "open":
            return t(
                "the port {address} is open to the internet until {time}; it is renewed as long as you play, and closed"
                " at the end",
                **values,
            )
        case "not_open":
            return t("no port is open to the internet: {reason}", **values)
        case "lost":
            return t("the port {address} was not renewed: {reason}; it closes at {time}", **values)
        case "closed":
            return t("the port {address} is closed", **values)
        case "left":
            return t("the port {address} could not be closed: {reason}; it closes by itself at {time}", **values)
