"""Votes at a table in memory: ``votes.txt`` has what seats sign, word by word, and what that changes."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from seqp2p.crypto.hashing import BALLOT, HEAD, LEAVE
from seqp2p.crypto.identity import sign
from seqp2p.match.ballots import AHEAD_MAX, ROUND_MAX, VOTES_MAX
from seqp2p.match.contribution import Contribution
from seqp2p.match.encoding import pack
from seqp2p.match.errors import MatchError, Refusal, Violation
from seqp2p.match.events import Dealt, Drawn, Dropped, Event, Redealt, Result, Shuffled, Turned, plain
from seqp2p.match.machine import Match
from seqp2p.match.seat import SeatKeys
from seqp2p.match.signed import BallotPayload, HeadPayload, LeavePayload, Word
from seqp2p.replay.verify import verify
from tests.match.voting import at_turn, hear, mover_of, nth, play_on, show, staying, table, vote, wish
from tests.replay.tools import verified
from tests.sim import MINIATURE
from tests.table import (
    POLICIES,
    Until,
    altered,
    at_random,
    contribution_of,
    identity,
    replay_of,
    snapshot,
    soon,
    with_body,
)
from tests.ui.kept import Talk, talks

WORDS: dict[str, type[Word]] = {"ballot": BallotPayload, "head": HeadPayload, "leave": LeavePayload}
COMMON = Turned, Drawn, Shuffled
LABELS = {"ballot": BALLOT, "head": HEAD, "leave": LEAVE}


def state(match: Match) -> dict[str, object]:
    """What votes may change."""
    base, position, closed = match.chain.base, match.game.position, match.record[-1]
    if closed.action:
        last = f"{closed.action} of {[*closed.about]} by {len(closed.ballots)}"
    else:
        last = f"contributions of {[seat for seat, _ in closed.contributions]}"
    return {
        "step": f"{match.number}, {match.kind or 'none'} of {sorted(match.awaited)}",
        "last": last,
        "final": match.final,
        "turn": position and f"{position.turn}, draws {position.draws}",
        "hands": position and [len(hand) for hand in position.hands],
        "cards": position and sum(map(len, position.hands)) + position.pile + len(match.game.deck.discards),
        "votes": base and [f"{seat} in {round_}" for round_, seat in sorted(base.ballots)],
        "cheats": base and sorted(base.decree.cheats),
        "held": [seat for seat, _ in match.held],
        "skipped": sorted(match.game.skipped),
        "gone": [*match.game.gone],
        "left": sorted(match.left),
        "proven": sorted(match.proven),
        "forfeit": match.forfeit and f"for {[*match.forfeit.winners]}: {match.forfeit.reason}",
        "may sign": match.may_sign,
        "votable": base and base.votable,
        "hindering": base and match.own_seat and sorted(base.decree.hindering(wish("drop", base.plan.subject))),
    }


def until(kind: str, count: int) -> Until:
    """The so manieth step of this kind after the deal, or the step of a number."""
    return (lambda match: match.number == count) if kind == "step" else nth(kind, count)


class Voting:
    """A table, and what its seats do there."""

    def __init__(self, place: str) -> None:
        players, variant, kind, count, *more = place.split()
        given: dict[str, Any] = {name: json.loads(value) for name, value in (word.split("=") for word in more)}
        own = given.pop("own", 0)
        self.match, self.seats = table(int(players), MINIATURE.name if variant == "mini" else variant, **given)
        policy = POLICIES["peaceful" if kind == "shuffle" else "random"]
        play_on(self.match, self.seats, policy(1), until(kind, int(count)))
        show(self.match, self.seats)
        self.match.own_seat = own
        self.heads = {"x": b"x" * 32, "y": b"y" * 32}
        self.named = dict(self.turns(mover_of(self.match))) if kind == "turn" else {}

    def turns(self, mover: int) -> Iterator[tuple[str, Contribution]]:
        """Two turns of the mover that are right in themselves, and one that is not."""
        turns = {contribution_of(self.match, self.seats[mover - 1], at_random(seed)) for seed in range(6)}
        first, second, *_ = sorted(turns, key=lambda each: each.payload)
        yield from {"first": first, "second": second, "wrong": with_body(identity(mover), first, more=1)}.items()

    def word(self, signer: int, kind: str, changes: dict[str, str]) -> Contribution:
        """A ballot of this seat to drop the mover, a head or a leave, but for the changes."""
        base, label = self.match.chain.base, LABELS[changes.pop("label", kind)]
        assert base is not None
        place = {"step": base.number, "prev": base.prev, "seat": signer}
        vote = {"action": "drop", "about": [mover_of(self.match)], "reason": "late", "last": None}
        forms: dict[str, dict[str, Any]] = {
            "ballot": {**place, "round": 1, **vote},
            "head": {**place, "round": 0, "head": bytes(32)},
            "leave": {"seat": signer},
        }
        fields = {"v": 1, "game": self.match.game.id, **forms[kind]}
        for name, value in changes.items():
            match name:
                case "about":
                    fields[name] = [int(seat) for seat in value.split(",")]
                case "last":
                    fields[name] = {"round": int(value[0]), "head": self.heads[value[2:]]}
                case "game" | "prev" | "head":
                    fields[name] = self.heads[value]
                case "action":
                    fields[name] = value
                case _:
                    fields[name] = int(value) + (base.number if name == "step" else 0)
        payload = pack(fields)
        return Contribution(payload, sign(identity(signer), label, payload))

    def seats_in(self, text: str, about: Iterable[int] = ()) -> list[SeatKeys]:
        """These seats, or all that stay and are not voted about."""
        if text != "all":
            return [self.seats[int(number) - 1] for number in text.split(",")]
        return [seat for seat in staying(self.match, self.seats) if seat.number not in about]

    def follow(self, line: str) -> Iterable[Event] | str | None:
        """Do what a line says. None: it does not count."""
        text, _, changes = line.partition(": ")
        match text.split():
            case [signer, "signs", "a", kind, *name]:
                fields = dict(word.split("=") for word in changes.split())
                taken_as = WORDS[fields.pop("as", kind)]
                word = self.word(int(signer), kind, fields)
                self.named |= dict.fromkeys(name, word)
                return self.match.receive_word(taken_as, word)
            case [seats, "vote" | "votes", "skip" | "drop" as action, about, *round_]:
                wanted = wish(action, *map(int, about.split(",")))
                ballots = [
                    seat.ballot(self.match, int(*round_ or "1"), wanted, "late")
                    for seat in self.seats_in(seats, wanted.about)
                ]
                return hear(self.match, *ballots)
            case [seats, "show" | "shows"]:
                words = [head for seat in self.seats_in(seats) for head in seat.heads(self.match)]
                return hear(self.match, *words) if words else None
            case [number, "plays", *name]:
                return self.play(self.seats[int(number) - 1], *name)
            case [number, "repeats", name, "as", new]:
                now = {"step": self.match.number, "prev": self.match.head}
                self.named[new] = altered(identity(int(number)), self.named[name], **now)
                return ()
            case [number, "leaves"]:
                return self.match.receive_word(LeavePayload, self.seats[int(number) - 1].leave(self.match))
            case [number, "calls", talker]:
                return self.call(int(number), int(talker))
            case [number, "opens"]:
                self.match.open_seat(int(number), self.seats[int(number) - 1].release())
                return ()
            case ["accuse", *names]:
                return self.accuse(*(self.named[name] for name in names))
            case ["on", "to", kind, count]:
                return play_on(self.match, self.seats, at_random(1), until(kind, int(count)))
            case ["look"]:
                return ()
            case ["end"]:
                return self.end()
            case ["replay", "of", writer]:
                report = verify(replay_of(self.match, self.seats[int(writer) - 1]))
                return f"{report.verdict}, {report.steps} steps, {report.result}, {report.reason}"
            case _:
                raise AssertionError(line)

    def play(self, seat: SeatKeys, name: str = "") -> Iterable[Event] | None:
        """A seat contributes this, or what it owes."""
        if not name and not seat.owes(self.match):
            return None
        contribution = self.named[name] if name else contribution_of(self.match, seat, at_random(1))
        events = self.match.receive(contribution)
        self.heads["after"] = self.match.head
        return events

    def accuse(self, *evidence: Contribution) -> str:
        """Offer evidence, and keep it if it proves something."""
        try:
            self.match.weigh(evidence)
        except Violation as violation:
            found = violation
        else:
            return "proves nothing"
        assert found.evidence == evidence
        self.match.accuse(found)
        return str(found)

    def call(self, caller: int, talker: int) -> Iterable[Event]:
        """A seat calls what another says."""
        remark = self.match.receive_remark(*self.seats[talker - 1].say(self.match, "the queen!"))
        assert remark is not None
        return self.match.receive(self.seats[caller - 1].call(self.match, remark))

    def end(self) -> str:
        """Those who stay go on to the end and open their hands; their replay verifies."""
        events = play_on(self.match, self.seats, soon(1))
        stay, again = staying(self.match, self.seats), sum(isinstance(event, Redealt) for event in events)
        assert not any(isinstance(event, Dealt) for event in events)
        for seat in stay:
            self.match.open_seat(seat.number, seat.release())
        report = verified(replay_of(self.match, stay[0]))
        assert (report.steps, report.result) == (len(self.match.record), self.match.game.result)
        assert report.result is not None
        return f"verified, dealt again {again} times: {report.result.kind} {[*report.result.winners]}"


@talks(__file__, "votes.txt")
def test_talk(talk: Talk) -> None:
    """After each line: its events or the error, and what has changed. A seat signs one thing on top of each head."""
    table = Voting(talk.place)
    match, signed = table.match, dict[tuple[bytes, int], Contribution]()

    def told(events: Iterable[Event]) -> Iterator[str]:
        for event in events:
            if not isinstance(event, COMMON):
                name, fields = plain(event, match.game.variant)
                yield " ".join([name, *(str(value) for value in fields.values() if value not in (None, ()))])

    def answer(line: str) -> list[str]:
        before, unchanged = state(match) if line != "> look" else {}, snapshot(match)
        try:
            outcome = table.follow(line[2:])
        except (MatchError, Refusal) as error:
            assert (snapshot(match), state(match)) == (unchanged, before)
            evidence = error.evidence if isinstance(error, Violation) else ()
            names = [name for each in evidence for name, signed in table.named.items() if signed == each]
            return [f"{type(error).__name__}: {error}", *(f"evidence: {name}" for name in names)]
        if outcome is None:
            assert (snapshot(match), state(match)) == (unchanged, before)
            return ["does not count"]
        for seat, contribution in match.held:
            assert signed.setdefault((match.head, seat), contribution) == contribution
        if match.kind == "turn":
            hands = [len(match.game.deck.hand(seat.number)) for seat in table.seats]
            assert hands == [len(hand) for hand in match.game.table_position().hands]
        changed = [f"{name}: {now}" for name, now in state(match).items() if now != before.get(name)]
        if isinstance(outcome, str):
            return [outcome] if match.kind is None else [outcome, *changed]
        return [*told(outcome), *changed] or ["taken" if snapshot(match) != unchanged else "as before"]

    talk.check(map(answer, talk.lines))


def test_ballots_for_rounds_far_ahead_are_bounded_and_not_followed() -> None:
    table = Voting("4 kids turn 3")
    base, out, against = table.match.chain.base, wish("drop", 1), wish("drop", 3)
    assert base is not None
    taken = [table.follow(f"1 signs a ballot: round={round_}") for round_ in range(ROUND_MAX, 0, -1)]
    assert sum(events is not None for events in taken) == VOTES_MAX == len(base.ballots)
    assert base.decree.newest() <= AHEAD_MAX
    due = base.decree.ballot_due(2, against, stuck=True)
    assert due is not None
    assert due[0] <= AHEAD_MAX
    # A seat that wants to drop it does not hear it at all.
    assert base.decree.ballot_due(2, out, stuck=False) == (1, out)
    assert Dropped((1,)) in vote(table.match, table.seats[1:], out)
    table.end()


def test_new_hands_after_a_drop_are_not_those_from_before() -> None:
    match, seats = at_turn(4, 3)
    before = {seat.number: seat.hand(match) for seat in seats}
    vote(match, seats, wish("drop", 2))
    play_on(match, seats, at_random(1), nth("turn"))
    for seat in staying(match, seats):
        assert not before[seat.number].keys() & seat.hand(match).keys()
        faces = [match.game.deck.face(card) for card in seat.hand(match).values()]
        assert sorted(faces) == sorted(seat.position(match).hands[seat.number - 1])


def test_a_drop_that_decides_the_position_is_followed_by_the_end() -> None:
    """The turn that was broken off was the last that may pass without a chip."""
    match, seats = at_turn(2, 3)
    match.game.position = match.game.table_position()._replace(quiet=match.game.variant.quiet_turns_max - 1)
    vote(match, seats, wish("drop", mover_of(match)))
    assert match.game.table_position().over
    assert match.kind == "over"
    play_on(match, seats, at_random(1))
    assert match.game.result == Result("drawn")
