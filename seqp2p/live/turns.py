"""The choices of this seat's player: asking for them, and signing them."""

from seqp2p.i18n import message, message_of
from seqp2p.live.asking import Asker, Chosen
from seqp2p.match.contribution import Contribution
from seqp2p.match.machine import Match
from seqp2p.match.remark import Remark
from seqp2p.match.seat import SeatKeys
from seqp2p.match.steps import why_not_callable
from seqp2p.net.relay import AnyRelay
from seqp2p.rules import WAIVE, Action, IllegalAction, RulesError, apply


class Turns:
    """The turns of one seat, and its player's other choices."""

    def __init__(self, match: Match, seat: SeatKeys, mesh: AnyRelay, asking: Asker) -> None:
        self._match = match
        self._seat = seat
        self._mesh = mesh
        self._asking = asking

    def chosen(self, choice: Chosen) -> Contribution | None:
        """Sign the player's choice. Return None where it is void, or impossible: then the player is told why."""
        if choice.step != self._match.number:
            return None  # Chosen ahead, and the draw that it would have hurried is made: kept for when its own opens.
        if choice.ahead:
            if self._match.kind == "late":  # Not if the step before was undone, and another kind is open now.
                self._choose_ahead(choice)
            return None
        if not self._seat.owes(self._match):
            self._asking.take_back()  # A vote is going on; it is asked again if the turn is still this seat's.
            return None
        try:
            return self._signed(choice.action)
        except RulesError as error:
            self._asking.ask(self._match.number, self._seat.view(self._match), message_of(error))
            return None

    def _choose_ahead(self, chosen: Chosen) -> None:
        """Note what the player will do once its draw is open: a draw still owed is not waited for much longer."""
        next_seen = self._seat.view_after(self._match, WAIVE)
        try:
            apply(next_seen.position, chosen.action)
        except RulesError as error:
            self._asking.ask(chosen.step, next_seen, message_of(error), ahead=True)
        else:
            self._mesh.send_hurry(chosen.step)

    def _signed(self, action: Action) -> Contribution:
        """Sign this action. A call names the speaker's newest callable remark. Raises RulesError."""
        if action.kind != "call":
            return self._seat.play(self._match, action)
        last = self._match.remarks.last_of(action.seat)
        if last is None:
            raise IllegalAction(message("seat {seat} has said nothing", seat=action.seat))
        return self._seat.call(self._match, self._newest_callable(action.seat) or last)

    def _newest_callable(self, speaker: int) -> Remark | None:
        # Not just the last one: a courtesy said quickly would cover up what was said before it.
        game = self._match.game
        for remark in reversed(self._match.remarks.after((0,) * game.players)):
            if remark.said.seat == speaker and not why_not_callable(
                game, remark, self._seat.number, self._match.number
            ):
                return remark
        return None

    def ask(self) -> None:
        """Ask for the open choice, unless it is asked already; take back a void question."""
        number = self._match.number
        if self._seat.owes(self._match):
            if self._asking.open != (number, False):
                self._asking.ask(number, self._seat.view(self._match), None)
        elif self._match.kind == "late" and self._asking.open != (number, True):
            # Another seat still owes a draw. If this seat draws next, its choice is asked for now: it ends the wait.
            next_seen = self._seat.view_after(self._match, WAIVE)
            if next_seen.phase == "draw" and next_seen.to_move == self._seat.number:
                self._asking.ask(number, next_seen, None, ahead=True)
        elif self._void(number):
            self._asking.take_back()

    def _void(self, number: int) -> bool:
        """Return True if the last question is void. One asked ahead stands until the late card is dealt."""
        if self._asking.open is None:
            return False
        step, ahead = self._asking.open
        return step != number and not (ahead and self._match.kind == "draw")

    def hurry(self, sender: int, step: int) -> None:
        """The next player has chosen to draw: a draw still owed is made now, or forgotten."""
        owes_draw = step == self._match.number and self._match.kind == "late" and self._seat.owes(self._match)
        if owes_draw and sender == self._match.game.table_position().mover:
            self._asking.hurry()
