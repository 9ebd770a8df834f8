"""What seats sign on disk before it is sent, seats that come back with what they promised, and floods of votes."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import trio

from seqp2p.crypto.hashing import BALLOT, HEAD, LEAVE
from seqp2p.crypto.identity import sign
from seqp2p.live.seat_session import Leaving, Saying
from seqp2p.live.session import TICK_S, SeatRunner
from seqp2p.match import intake
from seqp2p.match.contribution import Contribution
from seqp2p.match.encoding import decode, encode
from seqp2p.match.events import Dropped, Result, Undone
from seqp2p.match.intake import Deferred, Room
from seqp2p.match.machine import Match
from seqp2p.match.signed import (
    BALLOT_SIZE_MAX,
    BallotPayload,
    HeadPayload,
    LastRecord,
    LeavePayload,
    SignedBallot,
    SignedHead,
)
from seqp2p.net.frames import HEADER_SIZE
from seqp2p.net.links import Link
from seqp2p.net.messages import (
    BallotMessage,
    ContributionMessage,
    HeadMessage,
    LeaveMessage,
    LinkStage,
    RemarkMessage,
    WireMessage,
    decode_message,
    signed_thing,
)
from seqp2p.net.relay import Moved, Received
from seqp2p.replay.resume import feed, load
from seqp2p.replay.sidecar import Logged, LoggedKind
from tests.live.parties import WITHOUT_THREADS, Party, Place, Scribe, Thinker, checked, went_on
from tests.net.tools import address_of, said
from tests.table import fields_of, identity

GRACE_S = 30
SOON_S = 3 * TICK_S
SIGNED = ContributionMessage | BallotMessage | HeadMessage | LeaveMessage | RemarkMessage


@dataclass
class Notes:
    """A journal in memory; what is not synced is lost in a crash."""

    logged: list[Logged] = field(default_factory=list)
    synced: int = 0

    def log(self, kind: LoggedKind, payload: bytes, signature: bytes) -> None:
        self.logged.append(Logged(kind, payload, signature))

    def sync(self) -> None:
        self.synced = len(self.logged)

    def renew(self) -> None:
        pass

    @property
    def on_disk(self) -> list[Logged]:
        return self.logged[: self.synced]

    def kinds(self, seat: int) -> set[str]:
        """What this seat has signed of its own."""
        return {each.kind for each in self.on_disk if signer(each.payload) == seat}


def signer(payload: bytes) -> int:
    return int(fields_of(Contribution(payload, b""))["seat"])


def seated(directory: Path, players: int, sleep_s: float = 5.0) -> tuple[Party, trio.Event, dict[int, Notes]]:
    """Everybody thinks about its second question, and keeps a journal."""
    party = Party(directory, players, grace_s=GRACE_S)
    asleep = trio.Event()
    notes = {seat: Notes() for seat in range(1, players + 1)}
    for seat, journal in notes.items():
        party.sit(seat, Thinker(1, sleep_s=sleep_s, asleep=asleep), journal=journal)
    return party, asleep, notes


def told(place: Place, kind: type) -> list[Any]:
    return [event for event in place.events if isinstance(event, kind)]


# On disk before it is sent.


async def test_new_addresses_of_a_seat_are_kept(virtual_time: object, tmp_path: Path) -> None:
    party, _, notes = seated(tmp_path, 3)
    statement = said(2, party.agreement.seats[1].nonce, address_of(9), count=2)
    await party[1].session.core.take(Moved(2, statement))
    assert notes[1].logged[-1] == Logged("here", statement.payload, statement.signature)
    for place in party.places.values():
        with place.writer:
            pass


async def test_nothing_own_is_sent_before_it_is_on_disk(
    virtual_time: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever sends it first: of every kind that a seat signs, in every frame on every link."""
    party, asleep, notes = seated(tmp_path, 4)
    sent: set[tuple[int, str]] = set()
    real = Link.send_frame

    def send_frame(link: Link, data: bytes) -> None:
        message = decode_message(data[HEADER_SIZE:], LinkStage.GAME)
        if isinstance(message, SIGNED):
            seat = signer(message.payload)
            assert message.payload in {each.payload for each in notes[seat].on_disk}, (seat, type(message))
            sent.add((seat, type(message).__name__))
        real(link, data)

    monkeypatch.setattr(Link, "send_frame", send_frame)
    async with party.playing():
        await asleep.wait()
        await party[1].session.put(Saying("hello"))
        await party[2].session.put(Leaving("you left"))
    went_on(party, 2)
    kinds = {"contribution", "ballot", "head"}
    assert [notes[seat].kinds(seat) for seat in (1, 2, 3, 4)] == [
        kinds | {"remark"},
        {"contribution", "leave"},
        kinds,
        kinds,
    ]
    assert (2, "LeaveMessage") in sent
    assert (1, "RemarkMessage") in sent
    assert {(3, "ContributionMessage"), (3, "BallotMessage"), (3, "HeadMessage")} <= sent


async def test_a_journal_has_all_that_was_taken_in_its_order(virtual_time: object, tmp_path: Path) -> None:
    """A new match that takes it comes as far; nothing is in it twice."""
    party, asleep, notes = seated(tmp_path, 3)
    async with party.playing():
        await asleep.wait()
        await party[2].session.put(Leaving("you left"))
    for seat in (1, 3):
        fresh = Match(party[seat].match.agreement_bytes, seat)
        with Scribe(tmp_path / f"again-{seat}", fresh) as writer:
            feed(fresh, tuple(notes[seat].logged), writer)
        assert fresh.record == party[seat].match.record
        assert fresh.final == party[seat].match.final
        assert fresh.left.keys() == {2}
        assert len({each.payload for each in notes[seat].logged}) == len(notes[seat].logged)


# Seats that die while others vote.


def come_back(party: Party, seat: int, notes: Notes, nursery: trio.Nursery) -> None:
    """The process starts again: from what is on its disk."""
    place = party[seat]
    place.writer.__exit__(None, None, None)
    agreement = place.match.agreement_bytes
    match = load(place.writer.path, agreement, seat).match
    writer = Scribe(place.writer.path, match, reopened=True)
    own = party.own_seat(seat)
    own.waits_to_sign = True
    feed(match, tuple(notes.on_disk), writer, own)
    again = Notes(list(notes.on_disk), notes.synced)
    events: list[tuple[float, Any]] = []
    party.away.discard(seat)
    session = SeatRunner(
        match,
        own,
        party.mesh(seat),
        Thinker(0, sleep_s=0),
        writer,
        lambda event: events.append((trio.current_time(), event)),
        again,
        runtime=WITHOUT_THREADS,
    )
    party.places[seat] = Place(seat, session, session._questions._player, writer, events)
    nursery.start_soon(party.run, party.places[seat])


@pytest.mark.parametrize(("kind", "back_s"), [("ballot", 1.0), ("ballot", 10.0), ("ballot", None), ("head", 1.0)])
async def test_a_voter_that_dies_when_it_has_signed(
    virtual_time: object, tmp_path: Path, kind: str, back_s: float | None
) -> None:
    """It comes back and is bound by what it has signed; or it does not, and with it the majority is gone."""
    party, asleep, notes = seated(tmp_path, 4, sleep_s=100)
    async with party.playing() as nursery:
        await asleep.wait()
        await trio.sleep(1)
        (mover,) = party[1].match.awaited
        voter = mover % 4 + 1

        class Dying(Notes):
            def sync(self) -> None:
                super().sync()
                if kind in self.kinds(voter) and voter not in party.away:
                    party.crash(voter)

        dying = Dying(notes[voter].logged, notes[voter].synced)
        party[voter].session.core._recorder._journal = dying
        await party[mover].session.put(Leaving("you left"))
        await trio.sleep(0.5)
        assert voter in party.away
        signed = [each for each in dying.on_disk if each.kind == kind and signer(each.payload) == voter]
        if back_s is not None:
            await trio.sleep(back_s)
            come_back(party, voter, dying, nursery)
    if back_s is None:
        stay = party.places.keys() - {mover, voter}
        assert all(party[seat].reason.endswith("and those who stay are no majority") for seat in stay)
        return
    assert signed
    went_on(party, mover)
    ballots = [each.payload for each in notes[voter % 4 + 1].logged if each.kind == "ballot"]
    fields = [fields_of(Contribution(payload, b"")) for payload in ballots if signer(payload) == voter]
    rounds = [(each["step"], each["round"]) for each in fields]
    assert rounds
    assert len(rounds) == len(set(rounds)), "nobody votes twice in one round of a step"
    assert all(voter not in place.match.proven for place in party.places.values())


async def test_a_seat_that_comes_back_after_it_was_dropped_from_its_own_disk(
    virtual_time: object, tmp_path: Path
) -> None:
    party, asleep, notes = seated(tmp_path, 3, sleep_s=GRACE_S + 30)
    async with party.playing() as nursery:
        await asleep.wait()
        (dead,) = party[1].match.awaited
        party.crash(dead)
        await trio.sleep(GRACE_S + 10)
        come_back(party, dead, notes[dead], nursery)
    went_on(party, dead)
    assert party[dead].result == Result("unfinished", (), "the others have voted to go on without you")
    assert told(party[dead], Dropped) == [Dropped((dead,))]


# Votes that come out of turn, and too many of them.


def ballot(match: Match, seat: int, signer_: int = 0, **changes: Any) -> BallotMessage:
    """A ballot by this seat on the first step that is not final, about somebody else."""
    base = match.chain.base
    assert base is not None
    about = (seat % match.game.players + 1,)
    fields: dict[str, Any] = {"v": 1, "game": match.game.id, "step": base.number, "prev": base.prev, "seat": seat}
    fields |= {"round": 1, "action": "drop", "about": about, "reason": "absent", "last": None}
    payload = encode(BallotPayload(**{**fields, **changes}))
    return BallotMessage(payload, sign(identity(signer_ or seat), BALLOT, payload))


def head(match: Match, seat: int, signer_: int = 0, **changes: Any) -> HeadMessage:
    fields: dict[str, Any] = {"v": 1, "game": match.game.id, "step": match.number, "prev": match.head, "seat": seat}
    payload = encode(HeadPayload(**{**fields, "round": 0, "head": bytes(32), **changes}))
    return HeadMessage(payload, sign(identity(signer_ or seat), HEAD, payload))


# So many messages, and room for so many that are too early.
FLOOD, ROOM = 120, 50


def rounds_of_ballots(match: Match, seat: int) -> Iterator[WireMessage]:
    return (ballot(match, seat, round=round_) for round_ in range(1, FLOOD))


def ballots_ahead(match: Match, seat: int) -> Iterator[WireMessage]:
    return (ballot(match, seat, step=match.number + 1 + ahead) for ahead in range(FLOOD))


def ballots_of_another_past(match: Match, seat: int) -> Iterator[WireMessage]:
    return (ballot(match, seat, prev=bytes([at % 256]) * 32, round=1 + at) for at in range(FLOOD))


def ballots_of_old(match: Match, seat: int) -> Iterator[WireMessage]:
    return (ballot(match, seat, step=step) for step in range(1, match.final + 1))


def ballots_with_a_false_last(match: Match, seat: int) -> Iterator[WireMessage]:
    return (ballot(match, seat, round=2 + at, last=LastRecord(1 + at, bytes(32))) for at in range(FLOOD))


def heads_of_nothing(match: Match, seat: int) -> Iterator[WireMessage]:
    return (head(match, seat, round=at, head=bytes([at % 256]) * 32) for at in range(FLOOD))


def heads_ahead(match: Match, seat: int) -> Iterator[WireMessage]:
    return (head(match, seat, step=match.number + 1 + at) for at in range(FLOOD))


def heads_of_old(match: Match, seat: int) -> Iterator[WireMessage]:
    return (head(match, seat, step=step, prev=match.record[step - 1].prev) for step in range(1, match.final + 1))


FLOODS = (
    rounds_of_ballots,
    ballots_ahead,
    ballots_of_another_past,
    ballots_of_old,
    ballots_with_a_false_last,
    heads_of_nothing,
    heads_ahead,
    heads_of_old,
)


@pytest.mark.parametrize("flood", FLOODS, ids=lambda flood: flood.__name__)
async def test_floods_are_bounded_and_harm_nobody(
    virtual_time: object,
    tmp_path: Path,
    flood: Callable[[Match, int], Iterator[WireMessage]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One seat alone decides nothing, whatever it signs; the game is played on to its end."""
    monkeypatch.setitem(intake.ROOMS, SignedBallot, Room(ROOM, ROOM))
    monkeypatch.setitem(intake.ROOMS, SignedHead, Room(ROOM, ROOM))
    party, asleep, _ = seated(tmp_path, 3, sleep_s=60)
    async with trio.open_nursery() as nursery:
        async with party.playing():
            await asleep.wait()
            await trio.sleep(1)
            match = party[1].match
            (mover,) = match.awaited
            foe = next(seat for seat in (3, 2) if seat != mover)
            raw = await party.raw(foe, to=1)
            nursery.start_soon(raw.drain)
            await raw.say(*flood(match, foe))
            await trio.sleep(20)
            kept = party[1].session.core.intake.pending
            assert all(len(kept.of(kind)) <= ROOM for kind in (SignedBallot, SignedHead))
            assert not any(told(place, Dropped) for place in party.places.values())
            await raw.frames.abort()
        nursery.cancel_scope.cancel()
    checked(party)
    assert len(set(party.results.values())) == 1


def strangers_head(match: Match) -> WireMessage:
    return head(match, 2, signer_=9)


def leave_of_another_game(_match: Match) -> WireMessage:
    payload = encode(LeavePayload(1, bytes(32), 2))
    return LeaveMessage(payload, sign(identity(2), LEAVE, payload))


@pytest.mark.parametrize("make", [strangers_head, leave_of_another_game], ids=lambda make: make.__name__)
async def test_what_no_seat_signed_is_its_senders_fault(
    virtual_time: object, tmp_path: Path, make: Callable[[Match], WireMessage]
) -> None:
    party, asleep, _ = seated(tmp_path, 3, sleep_s=10)
    async with party.playing():
        await asleep.wait()
        raw = await party.raw(2, to=1)
        await raw.say(make(party[1].match))
        await raw.drain()
    checked(party)
    assert party[1].session.mesh._peers[2].faults == 1
    assert not party[1].match.left


async def test_a_seat_that_votes_about_a_final_step_is_shown_its_closing(virtual_time: object, tmp_path: Path) -> None:
    """It may hold all of the step, and be kept by its own vote from closing it so."""
    party, asleep, notes = seated(tmp_path, 3)
    async with party.playing() as nursery:
        await asleep.wait()
        await trio.sleep(SOON_S)
        match = party[1].match
        step = match.final - 5
        prev, after = match.game.heads[step - 1 : step + 1]
        raw = await party.raw(3, 1)
        nursery.start_soon(raw.stay)
        asked = [ballot(match, 3, step=step, prev=prev, round=round_, about=(2,)) for round_ in (1, 2)]
        await raw.say(*asked, ballot(match, 3, step=step, prev=bytes(32), about=(2,)))
        while (shown := decode(HeadPayload, (await raw.expect(HeadMessage)).payload, BALLOT_SIZE_MAX)).step != step:
            pass
        assert shown == HeadPayload(1, match.game.id, step, prev, 1, 0, after)
        own = [each.payload for each in notes[1].on_disk if each.kind == "head" and signer(each.payload) == 1]
        assert own.count(encode(shown)) == 1, "it is on the disk before it is sent"
        await trio.sleep(SOON_S)
    assert all(voter not in place.match.proven for voter in (1, 2) for place in party.places.values())
    heads = [each.payload for each in notes[1].on_disk if each.kind == "head"]
    assert heads.count(encode(shown)) == 1, "it is signed once"


async def test_a_dropped_seat_goes_on_talking(virtual_time: object, tmp_path: Path) -> None:
    """Whatever it signs from now on counts for nothing, and holds nobody up."""
    party, asleep, _ = seated(tmp_path, 4, sleep_s=20)
    async with trio.open_nursery() as nursery:
        async with party.playing():
            await asleep.wait()
            await party[2].session.put(Leaving("you left"))
            await trio.sleep(5)
            match = party[1].match
            raw = await party.raw(2, to=1)
            nursery.start_soon(raw.drain)
            base = match.chain.base
            assert base is not None
            about = (3,)
            await raw.say(*(ballot(match, 2, round=round_, about=about) for round_ in range(1, 50)))
            await raw.say(*(head(match, 2, round=round_) for round_ in range(50)))
            await raw.stay()
        nursery.cancel_scope.cancel()
    went_on(party, 2)


async def test_a_ballot_before_its_step(virtual_time: object, tmp_path: Path) -> None:
    """It waits until its step is the first that is not final: links that are behind lose nobody's vote."""
    party, asleep, _ = seated(tmp_path, 3, sleep_s=3)
    async with party.playing():
        await asleep.wait()
        await trio.sleep(1)
        core = party[1].session.core
        match = party[1].match
        ahead = ballot(match, 2, step=match.number + 2, prev=bytes(32))
        await core.take(Received(2, ahead))
        assert [waiting.thing for _, waiting in core.intake.pending.of(SignedBallot)] == [signed_thing(ahead)]
    assert not core.intake.pending.of(SignedBallot)
    checked(party)


# What is taken back.


async def test_a_question_about_what_is_undone_is_asked_anew(virtual_time: object, tmp_path: Path) -> None:
    """The player is told by being asked again; the answer to the first question is void."""
    party, asleep, _ = seated(tmp_path, 3, sleep_s=100)
    async with party.playing():
        await asleep.wait()
        await trio.sleep(1)
        (mover,) = party[1].match.awaited
        place = party[mover]
        before = len(place.player.asked)
        undone = Undone(place.match.number)
        place.session.core._handle(Deferred((undone,)), 0)
        await trio.sleep(2 * TICK_S)
        assert len(place.player.asked) == before + 1
        assert place.player.asked[-1] == place.player.asked[-2]
        assert told(place, Undone)
        await trio.sleep(2 * TICK_S)
        assert place.match.number > told(place, Undone)[0].step, "the second answer counts"
    checked(party)
