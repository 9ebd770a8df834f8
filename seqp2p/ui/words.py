"""The events of a table in sentences for people, with explanations for newcomers: plain values in, text out.

A reader at the table is addressed as "you"; for a spectator, every seat has its number and name.
Where the two differ in more than that, each has a template of its own: verbs are not conjugated here.
"""

import re
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from seqp2p.i18n import Message, message
from seqp2p.match.events import DROPPED, STOPPED, Result
from seqp2p.match.names import is_bot_name, look_alike
from seqp2p.match.table import TABLE_OPTIONS, Agreement, Settings, name_fault, other_options
from seqp2p.rules import ACTION_ROWS, TABLE_TALK, Action, View, team_of
from seqp2p.ui.cards import colour_name, variant_title
from seqp2p.ui.language import current, t, tn, translate, without_accents

# What a seat that leaves by its own will has to say of it; it is the reason in its replay's last event, too.
LEFT: Final = message("left the table")
# How a seat is named in a sentence, before its number.
SEAT: Final = message("seat ")
LOG_LENGTH_MAX = 2000
MOVES_MAX: Final = 60
"""Moves that are kept: several rounds of the largest table."""
# Verbs in what the rules say of a seat in English, and what is said to the player who sits there.
VERBS = MappingProxyType({"does": "do", "has": "have", "holds": "hold", "is": "are", "gives": "give", "shows": "show"})


def seats_named(text: str, names: Mapping[int, str]) -> list[int]:
    """Return the seats that ``2``, ``seat 2``, ``seat 2 (ann)`` or a name in any case names.

    They are two where one's number is another's name.

    >>> names = {2: "ann", 3: "2"}
    >>> seats_named("2", names), seats_named("seat 2", names), seats_named("Ann", names)
    ([2, 3], [2], [2])
    """
    wanted = " ".join(text.casefold().split())
    for seat, name in names.items():
        full = t("seat {seat} ({name})", seat=seat, name=name)
        forms = f"seat {seat}", f"{translate(SEAT)}{seat}", t("seat {seat}", seat=seat), full
        if without_accents(wanted) in (without_accents(form.casefold()) for form in forms):
            return [seat]
    return [seat for seat, name in names.items() if wanted in (str(seat), name.casefold())]


OWN_WORDS: Final = (message("you"), message("free"), message("admin"))
"""Words that the log uses of others: as names they would mislead. So would the name of a seat."""


def misleads(name: str) -> bool:
    """Return True for a name that a reader may take for a word of the log, in English or in the reader's language."""
    forms = [form for word in (*OWN_WORDS, SEAT) for form in (str(word), translate(word))]
    words = [without_accents(form).strip() for form in (*forms, t("seat {seat}", seat=""))]
    parts, unnumbered = without_accents(name).split(" "), without_accents(name).rstrip("0123456789 ")
    return ":" in name or any(
        look_alike(part, word) for word in words for part in (unnumbered, " ".join(parts[: word.count(" ") + 1]))
    )


def own_name_fault(name: str) -> Message | None:
    """Return the rule that a name of one's own breaks, or None. A peer that has such a name still plays."""
    if fault := name_fault(name):
        return message("this name cannot be used: {fault}", fault=fault)
    if misleads(name) or is_bot_name(name):
        return message("{name} cannot be used as a name: the log uses this word itself", name=name)
    return None


@lru_cache
def _unclear(names: tuple[str, ...], language: str) -> frozenset[int]:
    """Return the seats whose names alone would mislead a reader of this language, which is the current one."""
    del language
    pairs = [(seat, name, names[: seat - 1] + names[seat:]) for seat, name in enumerate(names, 1)]
    return frozenset(
        seat for seat, name, others in pairs if misleads(name) or any(look_alike(name, other) for other in others)
    )


@dataclass(frozen=True, slots=True)
class Company:
    """The players of a table: ``names`` and their colours in seat and team order, and the reader's seat.

    ``own`` is 0 for a reader outside the table, and for the owner of a seat that a bot plays.
    """

    names: tuple[str, ...]
    colours: tuple[str, ...]
    own: int = 0

    @classmethod
    def of(cls, agreement: Agreement, own: int = 0) -> "Company":
        return cls(tuple(seat.name for seat in agreement.seats), agreement.settings.colours, own)

    @property
    def seats(self) -> range:
        return range(1, len(self.names) + 1)

    def name(self, seat: int) -> str:
        """``ann``, or ``you``; ``seat 2 (ann)`` where a reader may take the name for another's or for a word."""
        if seat == self.own:
            return t("you")
        name = self.names[seat - 1]
        return t("seat {seat} ({name})", seat=seat, name=name) if seat in _unclear(self.names, current()) else name

    @property
    def partner(self) -> int:
        """The other seat of the reader's team in a game of pairs, or 0."""
        pairs = self.own and 2 * len(self.colours) == len(self.names)
        return (self.own + len(self.colours) - 1) % len(self.names) + 1 if pairs else 0

    def colour(self, seat: int) -> str:
        return self.colours[team_of(seat, len(self.colours)) - 1]

    def names_of(self, seats: Collection[int]) -> str:
        """``ann, bob and you``, in the order of the seats."""
        return listed([self.name(seat) for seat in sorted(seats)])

    def find(self, text: str) -> int:
        """Return the only seat named by ``2``, ``seat 2`` or a name in any case, or 0."""
        found = seats_named(text, dict(enumerate(self.names, 1)))
        return found[0] if len(found) == 1 else 0

    def to_reader(self, text: str) -> str:
        """A sentence about seats in the reader's language, with names; the reader is addressed.

        English turns to the second person; other languages, whose articles and verbs differ more, keep the seat.

        >>> company = Company(("ann", "bob"), ("blue", "green"), own=2)
        >>> company.to_reader("seat 2 does not hold QH"), company.to_reader("seat 1 (ann) does not hold QH")
        ('you do not hold QH', 'ann does not hold QH')
        """

        def named(found: re.Match[str]) -> str:
            seat, verb = int(found["seat"]), found["verb"] or ""
            if seat > len(self.names):
                return found[0]
            if current() != "en":
                name = t("you") if seat == self.own else self.names[seat - 1]
                return f"{translate(SEAT)}{seat} ({name}){verb}"
            if seat != self.own:
                return self.name(seat) + verb
            return f"you {VERBS[verb.strip()]}" if verb else "you"

        names = "|".join(re.escape(f" ({name})") for name in self.names)
        verbs = "|".join(VERBS)
        pattern = rf"\b{translate(SEAT)}(?P<seat>[1-9][0-9]?)\b(?:{names})?(?P<verb> (?:{verbs})\b)?"
        return re.sub(pattern, named, translate(text))


@dataclass(frozen=True, slots=True)
class Sight:
    """The functions that a table's screen calls whenever it is painted.

    ``view`` gives what the seat sees now, None before the deal; ``asked`` the view of the open question, None when
    nothing is asked. ``pending`` is a prepared move, or a pass that goes by itself in a moment.
    ``proposed`` is the move of a hint, which Enter sends, ``wanted`` the one that a lesson waits for. ``coached``:
    hints are given at this table.
    """

    view: Callable[[], View | None]
    asked: Callable[[], View | None] = lambda: None
    pending: Callable[[], Action | None] = lambda: None
    proposed: Callable[[], Action | None] = lambda: None
    wanted: Callable[[], Action | None] = lambda: None
    coached: bool = False


@dataclass(slots=True)
class Story:
    """The story of the game so far: its lines, and the chips placed or taken by seat, both oldest first."""

    lines: deque[str] = field(default_factory=lambda: deque[str](maxlen=LOG_LENGTH_MAX))
    moves: deque[tuple[int, Action]] = field(default_factory=lambda: deque[tuple[int, Action]](maxlen=MOVES_MAX))
    muted: set[bytes] = field(default_factory=set[bytes])
    """The keys of the players whose remarks are not shown."""

    @property
    def last(self) -> Action | None:
        return self.moves[-1][1] if self.moves else None

    def turned(self, seat: int, action: Action) -> None:
        """Keep an action that moves a chip."""
        if ACTION_ROWS[action.kind].moves_chip:
            self.moves.append((seat, action))

    def amend(self, before: str, text: str) -> bool:
        """Replace the last line with this text by another one; return False if there is none."""
        for at in range(len(self.lines) - 1, -1, -1):
            if self.lines[at] == before:
                self.lines[at] = text
                return True
        return False

    def since(self, own: int) -> list[tuple[int, Action]]:
        """Return the moves since a seat's last one, or this one if there is none; of a round where ``own`` is 0.

        >>> from seqp2p.rules import place
        >>> story = Story()
        >>> for seat in (1, 2, 3, 1, 2): story.turned(seat, place(0, seat))
        >>> [[seat for seat, _ in story.since(own)] for own in (1, 2, 3, 0)]
        [[2], [2], [1, 2], [3, 1, 2]]
        """
        found: list[tuple[int, Action]] = []
        for seat, action in reversed(self.moves):
            if found and (seat == own or (not own and seat in dict(found))):
                break
            found.append((seat, action))
            if seat == own:
                break
        return found[::-1]


def listed(parts: Sequence[str]) -> str:
    """Parts of a sentence, one after the other.

    >>> listed(["ann"]), listed(["ann", "bob"]), listed(["ann", "bob", "cat"])
    ('ann', 'ann and bob', 'ann, bob and cat')
    """
    return t("{parts} and {last}", parts=", ".join(parts[:-1]), last=parts[-1]) if len(parts) > 1 else "".join(parts)


def clock(seconds: float) -> str:
    """Minutes and seconds.

    >>> clock(120), clock(5)
    ('2:00', '0:05')
    """
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def settings_lines(settings: Settings) -> list[str]:
    variant, players, teams, time_s = settings.rules, settings.players, settings.teams, settings.turn_time_s
    title, length = variant_title(variant.name), variant.line_length
    if dict(variant.sequences_to_win)[teams] == 1:
        wins = t("one sequence wins, {length} in a row", length=length)
    else:
        wins = t("two sequences win, {length} in a row", length=length)
    values = {"title": title, "players": players, "teams": teams, "wins": wins}
    if teams == players:
        first = t("{title}, {players} players, each on their own: {wins}", **values)
    else:
        first = t("{title}, {players} players in {teams} teams: {wins}", **values)
    other = other_options(settings)
    options = [row.sentence if row in other else row.usual_sentence for row in TABLE_OPTIONS]
    chosen = [
        *(translate(sentence) for sentence in options if sentence),
        t("a turn takes at most {time}", time=clock(time_s)) if time_s else t("no turn clock"),
        t("the others wait up to {time} for a seat that is away", time=clock(settings.grace_s)),
    ]
    return [first, *(f"  {text}" for text in chosen)]


def teams_line(company: Company) -> str:
    """Return the teams with their players and colours: the reader's team first."""
    teams = range(1, len(company.colours) + 1)
    seats = [company.seats[team - 1 :: len(company.colours)] for team in teams]
    own = [team for team in teams if company.own in seats[team - 1]]
    told = [f"{colour_name(company.colour(team))} ({company.names_of(seats[team - 1])})" for team in teams]
    if not own:
        return ", ".join(told)
    mates = [seat for seat in seats[own[0] - 1] if seat != company.own]
    values = {"colour": colour_name(company.colour(company.own)), "names": company.names_of(mates)}
    place = t("you play {colour} with {names}", **values) if mates else t("you play {colour}", **values)
    return t("{place} against {teams}", place=place, teams=", ".join(told[: own[0] - 1] + told[own[0] :]))


def talk_is_callable(settings: Settings) -> bool:
    """Return True if a remark may be called: the table has chosen it, and there are team-mates to talk to."""
    return TABLE_TALK in other_options(settings)


def winners_text(company: Company, winners: Sequence[int]) -> str:
    """Return the winners: one seat by its name, several with their colour where the company has colours.

    >>> winners_text(Company(("ann", "bob", "cat", "dan"), ("blue", "green")), (2, 4))
    'green (bob and dan)'
    """
    names, colours = company.names_of(winners), {company.colour(seat) for seat in winners} if company.colours else ()
    if len(winners) == 1 or len(colours) != 1:
        return names
    return t("{colour} ({names})", colour=colour_name(*colours), names=names)


def score_line(company: Company, wins: Mapping[int, int], *, resumed: bool = False) -> str:
    """Return the games that each team has won at a table; since one has ``resumed`` a game at it.

    >>> score_line(Company(("ann", "bob", "cat", "dan"), ("blue", "green")), {2: 1})
    'score at this table: blue 0 : 1 green'
    >>> score_line(Company(("ann", "bob", "cat"), ("blue", "green", "red")), {}, resumed=True)
    'score since you came back: ann 0, bob 0, cat 0'
    """
    teams = range(1, len(company.colours) + 1)
    alone = len(company.colours) == len(company.names)
    names = [company.name(team) if alone else colour_name(company.colour(team)) for team in teams]
    won = [wins.get(team, 0) for team in teams]
    score = ", ".join(f"{name} {count}" for name, count in zip(names, won, strict=True))
    if len(names) == 2:
        score = f"{names[0]} {won[0]} : {won[1]} {names[1]}"
    if resumed:
        return t("score since you came back: {score}", score=score)
    return t("score at this table: {score}", score=score)


def result_line(company: Company, result: Result, *, resumable: bool = False, heirs: Sequence[int] = ()) -> str:
    """Return the result for people. ``heirs`` win by forfeit because the reader has left. It may be ``resumable``."""
    if result.kind == "unfinished":
        reason = reason_text(company, result.reason)
        if resumable:
            return t("unfinished: {reason}", reason=reason)
        if heirs and result.reason == LEFT:
            names = company.names_of(heirs)
            return t("you left the game unfinished: {names} won by forfeit, unless they left too", names=names)
        may_go_on = result.reason in (LEFT, DROPPED)
        return reason if may_go_on else t("ended without a winner: {reason}", reason=reason)
    if result.kind == "drawn":
        return t("drawn: nobody has won")
    line = _won_line(company, result.winners)
    if result.kind == "forfeit":
        return t("{who_won} by forfeit: {reason}", who_won=line, reason=reason_text(company, result.reason))
    return line


def _won_line(company: Company, winning: Sequence[int]) -> str:
    winners = winners_text(company, winning)
    if not company.own:
        return t("{winners} won", winners=winners)
    if company.own not in winning:
        return t("you lost: {winners} won", winners=winners)
    mates = [company.name(seat) for seat in winning if seat != company.own]
    return t("you won, with {mates}", mates=listed(mates)) if mates else t("you won")


def reason_text(company: Company, reason: str) -> str:
    """Return the reason of a result. A reason without a subject in the record is the reader's own act."""
    if reason == LEFT:
        return t("you left the table") if company.own else t("this seat left the table")
    if reason == STOPPED:
        return t("you have stopped for now") if company.own else t("this seat has stopped for now")
    return company.to_reader(plain_reason(reason))


def sequences_lines(company: Company, before: Sequence[int], after: Sequence[int], needed: int) -> list[str]:
    """Return a line for each team whose number of sequences has changed; ``before`` and ``after`` are in team order."""
    lines: list[str] = []
    for colour, old, new in zip(company.colours, before, after, strict=True):
        values = {"colour": colour_name(colour), "made": new, "needed": needed}
        if new > old:
            lines.append(t("{colour} has completed a sequence: {made} of {needed}", **values))
        elif new < old:
            lines.append(t("{colour} has lost a sequence: {made} of {needed}", **values))
    return lines


def shuffled_line(company: Company, seat: int, number: int, players: int) -> str:
    if seat == company.own:
        return t("you have shuffled, the proof is checked ({number}/{players})", number=number, players=players)
    who = company.name(seat)
    return t("{who} has shuffled, the proof is checked ({number}/{players})", who=who, number=number, players=players)


def remark_line(company: Company, seat: int, text: str, *, courtesy: bool) -> str:
    """Return a remark of a seat; a courtesy in the reader's language."""
    text = translate(text) if courtesy else text
    if seat == company.own:
        return t("you say: {text}", text=text)
    return t("{who}: {text}", who=company.name(seat), text=text)


def mute_line(name: str, *, muted: bool) -> str:
    if muted:
        return t("{name} is muted; type it again to unmute", name=name)
    return t("{name} is no longer muted", name=name)


def absent_line(company: Company, seat: int, grace_s: float | None) -> str:
    if grace_s is None:
        return t("{name} is not back yet; the game waits", name=company.name(seat))
    if seat == company.own:
        return t("you cannot be reached; waiting up to {time}", time=clock(grace_s))
    return t("{name} cannot be reached; waiting up to {time}", name=company.name(seat), time=clock(grace_s))


def stopped_line(company: Company, seat: int, grace_s: float | None) -> str:
    if grace_s is None:
        return t("{name} stops for now", name=company.name(seat))
    return t("{name} stops for now; waiting up to {time}", name=company.name(seat), time=clock(grace_s))


def back_line(company: Company, seat: int) -> str:
    return t("you are back") if seat == company.own else t("{name} is back", name=company.name(seat))


def vote_line(company: Company, seat: int, action: str, seats: Collection[int]) -> str:
    """Say that a seat votes to pass over the turn of others (``skip``), or to go on without them (``drop``)."""
    name, others = company.name(seat), company.names_of(seats)
    if seat == company.own:
        if action == "drop":
            return t("you vote to go on without {others}", others=others)
        return t("you vote to skip {others}", others=others)
    if action == "drop":
        return t("{name} votes to go on without {others}", name=name, others=others)
    return t("{name} votes to skip {others}", name=name, others=others)


def skipped_line(company: Company, seat: int) -> str:
    if seat == company.own:
        return t("your turn is skipped")
    return t("{name}'s turn is skipped", name=company.name(seat))


def dropped_line(company: Company, seats: Collection[int]) -> str:
    if {*seats} == {company.own}:
        return t("you are out of the game")
    names = company.names_of(seats)
    return tn("{names} is out of the game", "{names} are out of the game", len(seats), names=names)


RESHUFFLED_LINE: Final = message("the draw pile is used up: all discards are shuffled into a new one")
REDEAL_LINE: Final = message("the cards that are left are dealt again")


def resumed_line(company: Company, seat: int) -> str:
    if seat == company.own:
        return t("you have come back to the game")
    return t("{name} has come back to the game", name=company.name(seat))


FORM: Final = message("a record is not in the form that it has in a replay")
NO_FORM: Final = message("what it signed is not in the form that it has in a game")


def away_explained(company: Company, seat: int, players: int) -> str:
    """Say what becomes of a seat that is away, in a game that so many ``players`` are still in."""
    name = company.name(seat)
    if players == 2:
        return t("{name} can come back with seqp2p resume; after that time the game ends unfinished", name=name)
    return t(
        "{name} can come back with seqp2p resume; after that time the table decides whether to go on without {name}",
        name=name,
    )


def is_of_library(reason: str) -> bool:
    """Return True for the words of a library, which speak of fields and types."""
    return any(sign in reason for sign in ("`", "msgpack", "canonical"))


def plain_reason(reason: str) -> str:
    """A reason in the reader's language, without the text of a library, which speaks of the record's fields and types.

    >>> plain_reason("Object missing required field `v` - at `$.table`")
    'a record is not in the form that it has in a replay'
    >>> plain_reason("seat 2 broke the rules at step 9: Expected `int`, got `str`")
    'seat 2 broke the rules at step 9: what it signed is not in the form that it has in a game'
    """
    who, colon, what = reason.rpartition(": ") if reason.startswith("seat ") else ("", "", reason)
    if not is_of_library(what):
        return translate(reason)
    if not isinstance(reason, Message):
        return f"{who}{colon}{translate(NO_FORM)}" if who else translate(FORM)
    values = {name: NO_FORM if is_of_library(str(value)) else value for name, value in reason.values.items()}
    return t(reason.template, **values) if who else translate(FORM)


def proven_line(company: Company, seat: int, step: int, reason: str) -> str:
    """Say what a seat has signed and must not have signed."""
    what = translate(NO_FORM) if is_of_library(reason) else company.to_reader(reason)
    if seat == company.own:
        return t("it is proved that you cheated at step {step}: {reason}", step=step, reason=what)
    name = company.name(seat)
    return t("it is proved that {name} cheated at step {step}: {reason}", name=name, step=step, reason=what)


def proof_explained() -> str:
    return t("everybody at the table has the evidence and has checked it; it is in the replay too")


def left_line(company: Company, seats: Collection[int]) -> str:
    names = company.names_of(seats)
    return tn("{names} has left the table", "{names} have left the table", len(seats), names=names)


def vote_explained(company: Company, action: str, seats: Collection[int]) -> str:
    names = company.names_of(seats)
    if action == "skip" and {*seats} == {company.own}:
        return t(
            "that is a vote: once more than half of the seats have voted for it, your turn is skipped, nothing more"
        )
    if action == "skip":
        return t(
            "that is a vote: once more than half of the seats have voted for it, the turn of {names} is"
            " skipped, nothing more",
            names=names,
        )
    return t(
        "that is a vote: once more than half of the seats have voted for it, the game goes on without"
        " {names}, and all cards not yet played are dealt again",
        names=names,
    )
