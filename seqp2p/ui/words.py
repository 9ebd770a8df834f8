"""What happens at a table, in sentences for people: plain values in, text out.

A reader who sits at the table is spoken to as "you"; for one who only watches, every seat has its number and name.
"""

import re
from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from seqp2p.match.events import Result
from seqp2p.match.table import Agreement, Settings
from seqp2p.rules import Action, team_of

# What a seat that leaves by its own will has to say of it; it is the reason in its replay's last event, too.
LEFT = "left the table"
INPUT_ENDED = "the player's input ended"
LOG_LENGTH_MAX = 2000
NUMBERS = MappingProxyType({1: "one", 2: "two"})  # of sequences that win
# Verbs in what the rules say of a seat, and what is said to the player who sits there.
VERBS = MappingProxyType(
    {
        "does": "do",
        "has": "have",
        "holds": "hold",
        "is": "are",
        "gives": "give",
        "shows": "show",
        "cannot": "cannot",
        "can": "can",
        "may": "may",
    }
)


@dataclass(frozen=True, slots=True)
class Company:
    """Who sits at the table: ``names`` and their colours in seat and team order, and the reader's seat.

    ``own`` is 0 for a reader who is not at the table, and for one whose seat a bot plays.
    """

    names: tuple[str, ...]
    colours: tuple[str, ...]
    own: int = 0

    @classmethod
    def of(cls, agreement: Agreement, own: int = 0) -> "Company":
        """The company of an agreed table."""
        return cls(tuple(seat.name for seat in agreement.seats), agreement.settings.colours, own)

    def name(self, seat: int) -> str:
        """``ann``, or ``you``."""
        return "you" if seat == self.own else self.names[seat - 1]

    def who(self, seat: int) -> str:
        """``seat 2 (ann)``, or ``you``."""
        return "you" if seat == self.own else f"seat {seat} ({self.names[seat - 1]})"

    def colour(self, seat: int) -> str:
        """The colour of the seat's team."""
        return self.colours[team_of(seat, len(self.colours)) - 1]

    def find(self, text: str) -> int:
        """The seat that is meant by ``2``, ``seat 2`` or a name in any case; 0 where none is."""
        wanted = text.lower().removeprefix("seat ").strip()
        for seat, name in enumerate(self.names, 1):
            if wanted in (str(seat), name.lower()):
                return seat
        return 0

    def to_reader(self, text: str) -> str:
        """A sentence about seats, said to the reader where it is about the reader's own.

        >>> Company(("ann", "bob"), ("blue", "green"), own=2).to_reader("seat 2 does not hold QH")
        'you do not hold QH'
        """
        if not self.own:
            return text

        def you(found: re.Match[str]) -> str:
            verb = found["verb"]
            return "you" + (f" {VERBS[verb]}" if verb else "")

        name = re.escape(f" ({self.names[self.own - 1]})")
        return re.sub(rf"\bseat {self.own}\b(?:{name})?(?: (?P<verb>{'|'.join(VERBS)})\b)?", you, text)


@dataclass(slots=True)
class Story:
    """What has been told of the game so far: its lines, oldest first, and the last chip placed or taken."""

    lines: deque[str] = field(default_factory=lambda: deque[str](maxlen=LOG_LENGTH_MAX))
    last: Action | None = None


def listed(parts: Sequence[str]) -> str:
    """Parts of a sentence, one after the other.

    >>> listed(["ann"]), listed(["ann", "bob"]), listed(["ann", "bob", "cat"])
    ('ann', 'ann and bob', 'ann, bob and cat')
    """
    return " and ".join(part for part in (", ".join(parts[:-1]), *parts[-1:]) if part)


def clock(seconds: float) -> str:
    """Minutes and seconds.

    >>> clock(120), clock(5)
    ('2:00', '0:05')
    """
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def settings_lines(settings: Settings) -> list[str]:
    """How a table plays, in words."""
    variant, players, teams = settings.rules, settings.players, settings.teams
    made = dict(variant.sequences_to_win)[teams]
    sequences = f"{NUMBERS[made]} {'sequence wins' if made == 1 else 'sequences win'}, {variant.line_length} in a row"
    sides = "each on their own" if teams == players else f"in {teams} teams"
    lines = [f"{variant.title}, {players} players {sides}: {sequences}"]
    chosen = [
        "a completed sequence can be broken by a one-eyed jack" if settings.advanced else "",
        "cards are drawn by hand (draw), and can be forgotten" if settings.manual_draw else "",
        TALK_RULE if talk_is_callable(settings) else "",
        "hands are opened for the replay at the end" if settings.open_hands else "hands stay closed at the end",
        f"a turn takes at most {clock(settings.turn_time_s)}" if settings.turn_time_s else "no turn clock",
        f"a seat that is away is waited for up to {clock(settings.grace_s)}",
    ]
    return lines + [f"  {text}" for text in chosen if text]


TALK_RULE = "an opponent may call a remark: each of the speaker's team gives up a card"


def talk_is_callable(settings: Settings) -> bool:
    """Whether the rule against table talk holds: the table has chosen it, and there are team-mates to talk to."""
    return not settings.table_talk and settings.teams < settings.players


def winners_text(winners: Sequence[int], names: Sequence[str]) -> str:
    """Who has won: one seat by its name, a whole team by its number.

    >>> winners_text((2,), ("ann", "bob")), winners_text((1, 3, 5), ("a", "b", "c", "d", "e", "f"))
    ('seat 2 (bob)', 'team 1 (seats 1, 3, 5)')
    """
    if len(winners) == 1:
        return f"seat {winners[0]} ({names[winners[0] - 1]})"
    seats = ", ".join(map(str, winners))
    first, step = winners[0], winners[1] - winners[0]
    if first <= step and list(winners) == list(range(first, len(names) + 1, step)):
        return f"team {first} (seats {seats})"
    return f"seats {seats}"


def named(text: str, names: Sequence[str]) -> str:
    """Seats in a sentence with their names, where they have none yet.

    >>> named("awaiting seat 2, seat 1 (ann) is there", ("ann", "bob"))
    'awaiting seat 2 (bob), seat 1 (ann) is there'
    """

    def with_name(found: re.Match[str]) -> str:
        seat = int(found[1])
        return f"{found[0]} ({names[seat - 1]})" if seat <= len(names) else found[0]

    return re.sub(r"\bseat ([1-9][0-9]?)\b(?! \()", with_name, text)


def result_line(company: Company, result: Result) -> str:
    """How the game ended, to the reader."""
    if result.kind == "unfinished":
        return f"unfinished: {reason_text(company, result.reason)}"
    if result.kind == "drawn":
        return "drawn: nobody has won"
    how = f" by forfeit: {reason_text(company, result.reason)}" if result.kind == "forfeit" else ""
    winners = winners_text(result.winners, company.names)
    if not company.own:
        return f"won by {winners}{how}"
    if company.own not in result.winners:
        return f"you lost: won by {winners}{how}"
    mates = [company.who(seat) for seat in result.winners if seat != company.own]
    return f"you won{', with ' + listed(mates) if mates else ''}{how}"


def reason_text(company: Company, reason: str) -> str:
    """Why a game ended as it did. What this seat did by itself has no subject in the record: it is the reader's."""
    if reason == LEFT:
        return "you left the table" if company.own else "this seat left the table"
    if reason == INPUT_ENDED:
        return "your input ended, so you left the table"
    return company.to_reader(reason)


def sequences_lines(company: Company, before: Sequence[int], after: Sequence[int], needed: int) -> list[str]:
    """What has changed in the numbers of sequences, which are in team order."""
    lines: list[str] = []
    for colour, old, new in zip(company.colours, before, after, strict=True):
        if new != old:
            what = "has completed a sequence" if new > old else "has lost a sequence"
            lines.append(f"{colour} {what}: {new} of {needed}")
    return lines


def absent_line(company: Company, seat: int, grace_s: float) -> str:
    """A seat cannot be reached."""
    return f"{company.name(seat)} cannot be reached; waiting up to {clock(grace_s)}"


def back_line(company: Company, seat: int) -> str:
    """A seat can be reached again."""
    return f"{company.name(seat)} {_is(company, seat)} back"


def vote_line(company: Company, seat: int, action: str, seats: Collection[int]) -> str:
    """A seat votes to pass over the turn of others (``skip``), or to go on without them for good (``drop``)."""
    verb = "vote" if seat == company.own else "votes"
    others = listed([company.name(other) for other in sorted(seats)])
    what = f"go on without {others}" if action == "drop" else f"pass over {others}"
    return f"{company.name(seat)} {verb} to {what}"


def skipped_line(company: Company, seat: int) -> str:
    """A seat's turn has passed without it."""
    whose = "your turn" if seat == company.own else f"the turn of {company.name(seat)}"
    return f"{whose} is passed over"


def dropped_line(company: Company, seats: Collection[int]) -> str:
    """Seats have left the game for good."""
    out = sorted(seats)
    verb = _is(company, out[0]) if len(out) == 1 else "are"
    return f"{listed([company.name(seat) for seat in out])} {verb} out of the game"


REDEAL_LINE = "the cards that are left are dealt anew"


def resumed_line(company: Company, seat: int, step: int) -> str:
    """A seat is taken again after its program had ended."""
    verb = "have" if seat == company.own else "has"
    return f"{company.name(seat)} {verb} come back to the game, which is at step {step}"


def undone_line(step: int) -> str:
    """A step that was closed for the time being is open again: the table has decided otherwise."""
    return f"step {step} is taken back: the table has decided otherwise, and it is played again"


def _is(company: Company, seat: int) -> str:
    return "are" if seat == company.own else "is"
