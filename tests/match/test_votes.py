"""Votes at a table in memory: ``votes.txt`` has what seats sign, word by word, and what that changes."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from seqp2p.crypto.hashing import BALLOT, HEAD, LEAVE
from seqp2p.crypto.identity import sign
from seqp2p.match.ballots import AHEAD_MAX, ROUND_MAX, VOTES_MAX
from seqp2p.match.contribution import Contribution
from seqp2p.match.encoding import decode, pack
from seqp2p.match.errors import MatchError, Refusal, Violation
from seqp2p.match.events import Dealt, Drawn, Dropped, Event, Redealt, Result, Shuffled, Turned, Undone, plain
from seqp2p.match.intake import Applied, Cheating, Intake
from seqp2p.match.machine import Match
from seqp2p.match.seat import SeatKeys
from seqp2p.match.signed import (
    BallotPayload,
    HeadPayload,
    LastRecord,
    LeavePayload,
    OfferedEvidence,
    SignedBallot,
    SignedHead,
    SignedThing,
    Word,
)
from seqp2p.replay.format import CertificateRecord, EvidenceRecord, records
from seqp2p.replay.verify import verify
from seqp2p.replay.writer import ReplayWriter
from tests.match.voting import at_turn, hear, mover_of, nth, play_on, show, staying, table, vote, wish
from tests.replay.tools import verified
from tests.sim import MINIATURE
from tests.table import (
    POLICIES,
    Until,
    altered,
    at_random,
    contribution_of,
    fork,
    identity,
    make_seats,
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


# Votes where seats know different things: two versions of a turn, votes that some missed, a seat that comes back.


class Four(Voting):
    """A table of four at its third turn, all steps before it final; and the other three."""

    def __init__(self) -> None:
        super().__init__("4 kids turn 3")
        self.mover = mover_of(self.match)
        self.others = [seat for seat in self.seats if seat.number != self.mover]
        self.against = wish("drop", self.mover)
        self.turn = self.named["first"]
        self.equivocation = self.turn, self.named["second"]

    def views(self, *taken: Contribution | None) -> dict[int, Match]:
        """The others' own matches, each of which has taken one of these contributions."""
        views = {}
        for seat, contribution in zip(self.others, taken, strict=True):
            views[seat.number] = view = fork(self.match)
            view.own_seat = seat.number
            if contribution is not None:
                view.receive(contribution)
        return views

    def accused(self, views: dict[int, Match], *evidence: Contribution) -> list[Contribution]:
        """All views are shown the evidence; the ballots of the others then."""
        for view in views.values():
            view.accuse(proof(self.match, *evidence))
        return [seat.ballot(views[seat.number], 1, self.against, "cheated") for seat in self.others]


@pytest.fixture
def four() -> Four:
    return Four()


def proof(match: Match, *evidence: Contribution) -> Violation:
    with pytest.raises(Violation) as caught:
        match.weigh(evidence)
    return caught.value


def test_one_vote_against_an_honest_seat_is_overtaken_by_its_contribution(four: Four) -> None:
    """It contributes; the seat that voted does not close the step so, but follows the majority of the others."""
    enemy, *friends = four.others
    match, enemys = four.match, fork(four.match)
    enemys.own_seat = enemy.number
    against, move = enemy.ballot(match, 1, four.against, "late"), four.turn
    for each in (match, enemys):
        hear(each, against)
        each.receive(move)
    assert match.record[-1].contributions == ((four.mover, move),)
    assert enemys.number == match.number - 1, "it has promised not to close by the contribution"
    assert not enemys.may_sign or enemys.number not in enemys.awaited
    hear(enemys, *(next(iter(seat.heads(match))) for seat in (four.seats[four.mover - 1], *friends)))
    assert enemys.record == match.record


def test_an_equivocation_in_a_step_that_is_not_final_is_voted_on(four: Four) -> None:
    """Two took one version and one the other: with the cheat, the first can have been final, so it stands."""
    first, second = four.equivocation
    views = four.views(first, first, second)
    ballots = four.accused(views, first, second)
    for seat in four.others:
        assert not views[seat.number].may_sign
        assert seat.heads(views[seat.number]) == (), "nobody signs on it"
    for view in views.values():
        hear(view, *ballots)
    heads = [head for seat in four.others for head in seat.heads(views[seat.number])]
    for view in views.values():
        hear(view, *heads)
        assert view.record[-1].contributions == ((four.mover, first),)
        assert view.final == four.match.number
    assert len({view.head for view in views.values()}) == 1


def test_of_two_versions_neither_of_which_can_be_final_the_action_stands(four: Four) -> None:
    first, second = four.equivocation
    views = four.views(first, second, None)
    ballots = four.accused(views, second, first)
    lasts = [decode(BallotPayload, signed.payload, 512).last for signed in ballots]
    assert [last is None for last in lasts] == [False, False, True]
    *_, third = four.others
    for number, view in views.items():
        assert (Undone(four.match.number) in hear(view, *ballots)) == (number != third.number)
        hear(view, *(head for seat in four.others for head in seat.heads(view)))
        assert view.game.gone == (four.mover,)
    # The verifier does not see who closed it how, but the evidence, which lets it take the ballots for what they are.
    view = views[third.number]
    play_on(view, four.seats, at_random(1))
    report = verify(replay_of(view, third))
    assert (report.verdict, report.steps) == ("verified", len(view.record)), report.reason


def test_evidence_that_decides_how_a_step_closed_stands_before_it(four: Four, tmp_path: Path) -> None:
    """All votes are here, and tell nothing without the evidence: it makes the step final as soon as it comes."""
    first, second = four.equivocation
    views, number, path = four.views(first, second, None), four.match.number, tmp_path / "late.seqp2p"
    ballots = four.accused(views, second, first)
    things: list[SignedThing] = [SignedBallot(signed) for signed in ballots]
    for seat in four.others:
        hear(views[seat.number], *ballots)
        things += [SignedHead(shown) for shown in seat.heads(views[seat.number])]
    late, writer = Intake(four.match), four.others[0]
    with ReplayWriter(path, late.match) as replay:
        replay.record(late.match)
        for thing in (*things, OfferedEvidence((second, first))):
            outcome = late.take(late.check(thing), 0)
            assert isinstance(outcome, Applied | Cheating)
            assert (late.match.final >= number) == isinstance(outcome, Cheating)
            replay.keep(late.match, outcome)
        replay.finish(late.match, writer.identity_key, writer.sign)
    kinds = [type(placed.record) for placed in records(path.read_bytes())]
    assert kinds.index(EvidenceRecord) < kinds.index(CertificateRecord)
    report = verify(path.read_bytes())
    assert (report.verdict, report.steps) == ("unfinished", number), report.reason


def test_one_closed_it_by_an_action_and_the_others_by_the_turn() -> None:
    """The ballots of a round got to one seat only; the others went on to the next, and have the turn. That seat too."""
    alone, seats = at_turn(1, 6, MINIATURE.name)
    play_on(alone, seats, at_random(1), lambda match: match.kind == "turn" and mover_of(match) != 1)
    mover, number = mover_of(alone), alone.number
    turn = contribution_of(alone, seats[mover - 1], at_random(2))
    wrong = with_body(identity(mover), turn, more=1)
    others = [seat for seat in seats if seat.number not in (1, mover)]
    rest, its = fork(alone), fork(alone)
    its.receive(turn)
    first = [voter.ballot(alone, 1, wish("skip", mover), "late") for voter in others]
    hear(alone, seats[0].ballot(alone, 1, wish("skip", mover), "late"), *first)
    for each in (rest, its):
        hear(each, *first)
    assert (alone.number, alone.final) == (number + 1, number - 1)
    second = [seat.ballot(rest, 2, wish("drop", 1), "late") for seat in others]
    second.append(seats[mover - 1].ballot(its, 2, wish("drop", 1), "late"))
    for each in (rest, its):
        hear(each, *second)
    rest.receive(turn)
    assert rest.record == its.record
    assert not rest.record[-1].action
    heads = [head for seat in others for head in seat.heads(rest)]

    assert alone.receive(wrong) == ()
    assert alone.record[-1].action == "skip"
    assert alone.receive(turn) == ()
    assert alone.receive(wrong) == ()
    hear(alone, *second, *heads)
    assert alone.final == number
    assert alone.record == rest.record


def test_no_share_for_one_card_to_two_seats(four: Four) -> None:
    """A draw is undone by a vote that no honest majority makes; the card would go to another seat."""
    one, *_ = four.others
    before, match = fork(four.match), four.match
    match.receive(four.turn)
    assert (match.kind, mover_of(match)) == ("draw", four.mover)
    given = match.game.deck.drawn
    # What it gave it knows again when it comes back.
    again = make_seats(4)[one.number - 1]
    again.remember(match, one.contribute(match))
    vote(before, four.seats, wish("skip", four.mover))
    play_on(before, four.seats, at_random(3), lambda match: match.kind == "draw")
    drawer = mover_of(before)
    assert before.game.deck.drawn == given
    assert drawer not in {one.number, four.mover}
    for seat in four.others:
        assert seat.owes(before) == (seat.number not in {one.number, drawer})
    assert not again.owes(before)


def test_what_a_seat_signed_binds_it_when_it_comes_back(four: Four) -> None:
    voter, again = four.others[0], fork(four.match)
    again.own_seat = voter.number
    four.match.receive(four.turn)
    (shown,) = voter.heads(four.match)
    hear(again, shown)
    voted = decode(BallotPayload, voter.ballot(again, 1, four.against, "late").payload, 512)
    assert voted.last == LastRecord(0, four.match.head)
    assert decode(HeadPayload, shown.payload, 512).head == four.match.head
