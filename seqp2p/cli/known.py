"""Known players: the keys of players met before, with their names, like a shell's known hosts.

A player chooses a name freely, but cannot borrow a key. A player who has a known name and another key is told loudly,
and a person at a terminal is asked before the game begins.

This player's own other identities are not told.
"""

from functools import partial
from typing import Final

import trio

from seqp2p.api import known
from seqp2p.api.game import LiveGame
from seqp2p.api.known import Meeting, meet_others, remember
from seqp2p.cli import json_events
from seqp2p.cli.output import Output
from seqp2p.crypto.identity import fingerprint
from seqp2p.errors import NOT_CONNECTED, UserError
from seqp2p.i18n import message_of
from seqp2p.ui.language import command_line, t
from seqp2p.ui.person.console import is_confirmed
from seqp2p.ui.question import yes_or_no

ANSWER_S: Final = 60.0
"""For a person to answer: the others wait, and by default give up on a seat after twice that."""


class ChangedKey(UserError):
    """A person does not play with a player whose key is another than before."""

    code = "changed_key"

    def __init__(self, name: str) -> None:
        command = command_line("id", "--forget", name)
        hint = t("compare fingerprints (seqp2p id); {command} forgets the earlier key", command=command)
        super().__init__(t("left the table: the key of {name} has changed", name=name), hint, NOT_CONNECTED)
        self.name: Final = name


async def check_known(game: LiveGame, output: Output, *, ask: bool) -> None:
    """Compare the players of an agreed table with the known ones, tell the difference, and remember them.

    Raises ChangedKey when ``ask`` is set and the person says no to a changed key, or says nothing: the game is declined
    then. Without ``ask`` a changed key is said, and not remembered.
    """
    trusted: list[Meeting] = []
    for meeting in meet_others(game.table):
        emit_meeting(meeting, output)
        if meeting.kind != "changed":
            trusted.append(meeting)
        elif ask:
            if not await _ask(meeting, output):
                await game.decline(meeting.seat)
                raise ChangedKey(meeting.name)
            trusted.append(meeting)
    try:
        remember(trusted)
    except UserError as error:
        output.say(t("the players at this table are not remembered: {reason}", reason=message_of(error)))


def emit_meeting(meeting: Meeting, output: Output) -> None:
    """Tell the meeting in a line, loudly where the key has changed."""
    seat, name, known = meeting.seat, meeting.name, meeting.known
    loud = partial(output.say, kind="alarm") if output.screen else Output(json=True).say  # on standard error
    match meeting.kind:
        case "new":
            output.say(t("{name} is new here; this key is remembered", name=name), "detail")
        case "same" if known is not None:
            output.say(t("{name} is known since {date}", name=name, date=known.first_seen), "detail")
        case "renamed" if known is not None:
            values = {"name": name, "known": known.name, "date": known.first_seen}
            output.say(t("{name} is known as {known}, since {date}", **values))
        case "changed" if known is not None:
            output.event(json_events.ChangedKeyEvent(seat, name, meeting.key.hex(), known.key))
            loud(t("THE KEY OF {name} HAS CHANGED (seat {seat}). THIS MAY BE SOMEBODY ELSE.", name=name, seat=seat))
            mark = fingerprint(bytes.fromhex(known.key))
            loud(t("  known since {date}:  {fingerprint}", date=known.first_seen, fingerprint=mark))
            loud(t("  now at the table:      {fingerprint}", fingerprint=fingerprint(meeting.key)))
        case _:
            pass  # A name that the lobby made.


def meeting_note(meeting: Meeting) -> str:
    """Return the meeting in a few words; empty for a name that the lobby made."""
    match meeting.kind:
        case "new":
            return t("new here")
        case "same" if meeting.known is not None:
            return t("known since {date}", date=meeting.known.first_seen)
        case "renamed" if meeting.known is not None:
            return t("known as {known}", known=meeting.known.name)
        case "changed":
            return t("THE KEY HAS CHANGED")
        case _:
            return ""


def note_finished(game: LiveGame, output: Output) -> None:
    """Note that a game was played to its end with the players who are still in it."""
    try:
        known.note_finished({game.table.key(seat).hex() for seat in game.table.others if seat not in game.out})
    except UserError as error:
        output.say(message_of(error))


async def _ask(meeting: Meeting, output: Output) -> bool:
    about, text = "key", t("play with this {name}? no: leave the table", name=meeting.name)
    output.ask(about, yes_or_no(text, "", trio.current_time() + ANSWER_S))
    try:
        with trio.move_on_after(ANSWER_S):
            return await is_confirmed(output.read_line, lambda: output.say(t("type yes or no"), "answer"))
        return False
    finally:
        output.ask(about, None)
