"""What is said at the table: chains of remarks at one seat, then whole tables that talk, and call each other for it."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import trio

from seqp2p.crypto.hashing import FILE, REMARK
from seqp2p.crypto.identity import sign
from seqp2p.live.asking import Talk
from seqp2p.live.seat_session import REMARKS, Saying
from seqp2p.match.encoding import encode
from seqp2p.match.events import Remarked, Turned
from seqp2p.match.intake import Applied, BadSender, Intake
from seqp2p.match.machine import Match
from seqp2p.match.remark import REMARKS_MAX, RemarkPayload
from seqp2p.match.seat import SeatKeys
from seqp2p.match.signed import SignedThing
from seqp2p.net.limits import DEFAULT_LIMITS, Limits
from seqp2p.net.messages import RemarkMessage, signed_thing
from seqp2p.replay.format import MAGIC, AnyRecord, EndRecord, RemarkRecord, end_digest, frame, records
from seqp2p.replay.verify import verify
from seqp2p.rules import Action, View, call
from tests.live.parties import Party, Place, Scripted, Thinker, checked, of_kind
from tests.live.wires import SlowWires
from tests.table import Played, fork, identity, match_at, randomness

# As much as may be said at all is heard at once.
PATIENT = replace(DEFAULT_LIMITS, remark_burst=REMARKS_MAX)


@dataclass
class Listener:
    """Seat 2's intake and talk in a match, and what they make of remarks."""

    match: Match
    faults: list[tuple[int, str]] = field(default_factory=list)
    heard: list[Remarked] = field(default_factory=list)
    limits: Limits = PATIENT

    def __post_init__(self) -> None:
        own = SeatKeys(2, identity(2, 4), randomness(2))
        self.talk = Talk(self.match, own, trio.current_time, self.limits)
        self.intake = Intake(self.match, self.talk.may_hear)

    def receive(self, sender: int, message: RemarkMessage) -> None:
        self._take(signed_thing(message), sender)
        self.retry()

    def say(self, typed: str) -> None:
        if (remark := self.talk.signed(typed)) is not None:
            self._take(remark, 2)

    def retry(self) -> None:
        while (waiting := self.intake.due(REMARKS)) is not None:
            self._take(waiting.thing, waiting.sender)

    def _take(self, thing: SignedThing, sender: int) -> None:
        outcome = self.intake.take(self.intake.check(thing), sender)
        if isinstance(outcome, BadSender):
            self.faults.append((sender, outcome.why))
        elif isinstance(outcome, Applied):
            self.talk.note(outcome)
            self.heard += [event for event in outcome.events if isinstance(event, Remarked)]

    @property
    def texts(self) -> list[str]:
        return [event.text for event in self.heard]


class Speaker:
    """Seat 1, with a match of its own that may be ahead."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self.seat = SeatKeys(1, identity(1, 4), randomness(1))

    def say(self, text: str) -> RemarkMessage:
        payload, signature = self.seat.say(self.match, text)
        assert self.match.receive_remark(payload, signature)
        return RemarkMessage(payload, signature)


@pytest.fixture
def table(trio: Played) -> Callable[[int, int], tuple[Speaker, Listener]]:
    """A speaker and a listener at these steps of one game."""
    return lambda speaking, hearing: (Speaker(match_at(trio, speaking)), Listener(match_at(trio, hearing)))


Table = Callable[[int, int], tuple[Speaker, Listener]]


def go_on(listener: Listener, played: Played, step: int) -> None:
    """The listener's match comes to this step."""
    for number in range(listener.match.number, step):
        for _, contribution in played.steps[number - 1].contributions:
            listener.match.receive(contribution)
    listener.retry()


async def test_a_remark_is_heard_once(table: Table) -> None:
    speaker, listener = table(3, 3)
    said = speaker.say("hello")
    for _ in range(2):  # a duplicate is silently none
        listener.receive(3, said)
    assert listener.heard == [Remarked(1, 1, "hello", courtesy=True)]
    assert listener.texts == ["hello"]
    assert not listener.faults


async def test_remarks_before_their_step_wait_for_it(table: Table, trio: Played) -> None:
    """All of them, in the speaker's order, however they come."""
    speaker, listener = table(7, 4)
    said = [speaker.say(text) for text in ("one", "two", "three")]
    for message in (said[1], said[0], said[2]):
        listener.receive(3, message)
    go_on(listener, trio, 6)
    assert not listener.texts
    go_on(listener, trio, 7)
    assert listener.texts == ["one", "two", "three"]
    assert not listener.faults


async def test_what_comes_before_its_turn_in_the_chain_waits(table: Table) -> None:
    speaker, listener = table(3, 3)
    said = [speaker.say(f"word {number}") for number in range(5)]
    for message in reversed(said[1:]):
        listener.receive(3, message)
    assert not listener.texts
    listener.receive(3, said[0])
    assert listener.texts == [f"word {number}" for number in range(5)]
    assert not listener.faults


def made(match: Match, seat: int = 1, signer: int | None = None, **changes: Any) -> RemarkMessage:
    """A remark with these fields, signed by this seat."""
    fields: dict[str, Any] = {"v": 1, "game": match.game.id, "seat": seat, "number": 1, "last": bytes(32)}
    fields |= {"step": match.number, "prev": match.head, "courtesy": False, "text": "psst"}
    payload = encode(RemarkPayload(**{**fields, **changes}))
    return RemarkMessage(payload, sign(identity(signer or seat, 4), REMARK, payload))


@pytest.mark.parametrize("changes", [{"number": 2, "step": 1}, {"last": bytes([1]) * 32}])
async def test_a_remark_that_fits_nowhere_is_of_no_use_and_no_fault(table: Table, changes: dict[str, Any]) -> None:
    _, listener = table(3, 3)
    listener.receive(3, made(listener.match, **changes))
    assert not listener.texts
    assert not listener.faults
    # Nor does it stand in the way of what does.
    listener.receive(3, made(listener.match))
    assert listener.texts == ["psst"]


BAD: list[tuple[str, dict[str, Any]]] = [
    ("a remark in another game", {"game": bytes(32)}),
    ("a remark in another game", {"seat": 4, "signer": 3}),
    ("the signature of seat 1", {"signer": 3}),
    ("no control", {"text": "a\x1b[31m"}),
    ("no control", {"text": "a\u202eb"}),
    ("1 to 200 characters", {"text": ""}),
    ("1 to 200 characters", {"text": "a" * 201}),
    ("single spaces", {"text": "a  b"}),
    ("no such courtesy", {"courtesy": True}),
    ("not a remark", {"number": REMARKS_MAX + 1}),
    ("not a remark", {"number": 0}),
]


@pytest.mark.parametrize(("reason", "changes"), BAD)
def test_a_bad_remark_is_the_fault_of_who_passes_it_on(table: Table, reason: str, changes: dict[str, Any]) -> None:
    _, listener = table(3, 3)
    listener.receive(3, made(listener.match, **changes))
    ((seat, fault),) = listener.faults
    assert seat == 3
    assert fault.startswith(reason) or reason in fault
    assert not listener.texts


async def test_nobody_can_crowd_out_another(table: Table, trio: Played) -> None:
    """However much is said ahead of time, each seat has room for all that it may say."""
    speaker, listener = table(7, 6)
    for number in range(1, REMARKS_MAX + 1):
        listener.receive(3, made(listener.match, seat=3, number=number, step=1000))
    said = [speaker.say(f"word {number}") for number in range(REMARKS_MAX)]
    for message in said:
        listener.receive(3, message)
    go_on(listener, trio, 7)
    assert len(listener.texts) == REMARKS_MAX
    assert not listener.faults


async def test_who_says_too_much_at_once_is_heard_later(table: Table, autojump_clock: object) -> None:
    """All of it, a burst at a time; nobody else has to wait for it."""
    speaker, _ = table(3, 3)
    listener = Listener(speaker.match, limits=DEFAULT_LIMITS)
    burst = DEFAULT_LIMITS.remark_burst
    said = chain(listener.match, 3, 2 * burst)
    for message in said:
        listener.receive(3, message)
    assert len(listener.texts) == burst
    listener.receive(3, made(listener.match, text="excuse me"))
    assert listener.texts[-1] == "excuse me"
    await trio.sleep(DEFAULT_LIMITS.remark_burst_s)
    listener.retry()
    assert len(listener.texts) == 2 * burst + 1


def chain(match: Match, seat: int, count: int) -> list[RemarkMessage]:
    """So many remarks of a seat, each following the one before; made on a match that has heard none of them."""
    other = SeatKeys(seat, identity(seat, 4), randomness(seat))
    ahead = fork(match)
    said: list[RemarkMessage] = []
    for number in range(count):
        payload, signature = other.say(ahead, f"word {number}")
        assert ahead.receive_remark(payload, signature)
        said.append(RemarkMessage(payload, signature))
    return said


async def test_own_remarks_are_cleaned(table: Table) -> None:
    _, listener = table(3, 3)
    for typed in ("\x1b[31mhi\u202e   there\n", " \t ", "\u200b", "", "x" * 300, "good luck"):
        listener.say(typed)
    assert listener.texts == ["[31mhi there", "x" * 200, "good luck"]
    assert [event.courtesy for event in listener.heard] == [False, False, True]
    assert [event.seat for event in listener.heard] == [2] * 3


async def test_one_can_say_only_so_much(table: Table) -> None:
    _, listener = table(3, 3)
    for number in range(REMARKS_MAX + 3):
        listener.say(f"word {number}")
    assert len(listener.texts) == REMARKS_MAX


# Whole tables.


def remarks(place: Place) -> list[tuple[int, int, str]]:
    return sorted((event.seat, event.number, event.text) for event in place.events if isinstance(event, Remarked))


async def test_everybody_hears_everything(virtual_time: object, tmp_path: Path) -> None:
    """A line of four, from before the first step on; and it is in every replay."""
    party = Party(tmp_path, 4, without={(1, 3), (1, 4), (2, 4)})
    thinker = Thinker(1, sleep_s=60)
    party.sit(1, thinker)
    party.sit_others()
    async with party.playing():
        await party[4].session.put(Saying("hello"))
        await party[1].session.put(Saying("good luck"))
        await thinker.asleep.wait()
        for seat in (1, 2, 3, 4):
            await party[seat].session.put(Saying(f"  I am\tseat {seat}\x07 "))
    for place in party.places.values():
        assert remarks(place) == [
            *((1, 1, "good luck"), (1, 2, "I am seat 1"), (2, 1, "I am seat 2")),
            *((3, 1, "I am seat 3"), (4, 1, "hello"), (4, 2, "I am seat 4")),
        ]
        assert len(of_kind(place, "RemarkRecord")) == 6
    checked(party)


@pytest.mark.parametrize("seed", range(2))
async def test_everybody_hears_everything_over_slow_links(virtual_time: object, tmp_path: Path, seed: int) -> None:
    """Remarks overtake the steps they are dated to, and those they follow."""
    party = Party(tmp_path, 3, wires=SlowWires(0.8, seed))
    said: dict[int, int] = dict.fromkeys((1, 2, 3), 0)

    def talker(seat: int) -> Scripted:
        async def script(_view: View, _refused: str | None) -> None:
            await trio.sleep(2)
            for _ in range(2):
                said[seat] += 1
                await party[seat].session.put(Saying(f"word {said[seat]}"))

        return Scripted(script, seat)

    for seat in (1, 2, 3):
        party.sit(seat, talker(seat))
    await party.play()
    checked(party)
    expected = [(seat, number, f"word {number}") for seat in said for number in range(1, said[seat] + 1)]
    heard = [remarks(place) for place in party.places.values()]
    # What is said in the last moment may come after the end.
    assert all(set(each) <= set(expected) for each in heard)
    assert all(len(each) >= len(expected) - 4 for each in heard)
    assert all(not peer.faults for place in party.places.values() for peer in place.session.mesh._peers.values())


async def test_a_bad_remark_ends_the_link_of_who_sent_it(virtual_time: object, tmp_path: Path) -> None:
    party = Party(tmp_path, 2, open_hands=False)
    thinker = Thinker(1, sleep_s=60)
    party.sit(1, thinker)
    party.sit_others()
    async with party.playing():
        await thinker.asleep.wait()
        raw = await party.raw(2, to=1)
        await raw.say(RemarkMessage(b"rubbish", bytes(64)))
        await raw.drain()
        await trio.sleep(10)
        await party[2].session.put(Saying("hello"))
    assert party[1].session.mesh._peers[2].faults == 1
    assert remarks(party[1]) == [(2, 1, "hello")]
    checked(party)


# Called for it: two teams of two, where nobody may talk.


class Caller:
    """In its turn number ``turn`` of the game, whoever is to move calls its left neighbour, as ``calls`` says."""

    def __init__(self, party: Party, calls: list[Callable[["Caller", View], Any]], turn: int = 1) -> None:
        self.party = party
        self.calls = calls
        self.turn = turn
        self.why: list[str] = []
        self.caller = self.speaker = 0

    async def script(self, view: View, refused: str | None) -> Action | None:
        if view.phase != "play" or view.turn < self.turn or (not self.calls and refused is None):
            return None
        if refused is not None:
            self.why.append(refused)
        if self.caller not in (0, view.seat) or not self.calls:
            return None
        self.caller, self.speaker = view.seat, view.seat % 4 + 1
        step = self.calls.pop(0)
        action: Action | None = await step(self, view)
        return action

    async def say(self, text: str, seat: int = 0) -> None:
        await self.party[seat or self.speaker].session.put(Saying(text))
        await trio.sleep(1)

    async def play(self, *, turns: int = 1, whole: bool = False) -> None:
        """Until so many turns are over; or to the end."""
        for seat in (1, 2, 3, 4):
            self.party.sit(seat, Scripted(self.script, seat))
        async with self.party.playing():
            if not whole:
                await self.party.until(1, lambda _: any(turn > self.turn + turns for turn in self.turns()))
                for place in self.party.places.values():
                    place.scope.cancel()
        checked(self.party, "verified" if whole else "unfinished")

    def turns(self) -> list[int]:
        return [event.turn for event in self.party[1].events if isinstance(event, Turned)]

    def acted(self) -> list[tuple[int, str]]:
        """Who called and gave, in order; all have seen the same."""
        (acted,) = {
            tuple((seat, kind) for _, seat, kind in place.actions("call", "give"))
            for place in self.party.places.values()
        }
        return list(acted)


def said_first(text: str, *more: str) -> Callable[[Caller, View], Any]:
    """The speaker says this, and is called."""

    async def step(caller: Caller, _view: View) -> Action:
        for each in (text, *more):
            await caller.say(each)
        return call(caller.speaker)

    return step


async def again(caller: Caller, _view: View) -> Action:
    return call(caller.speaker)


async def call_partner(caller: Caller, view: View) -> Action:
    partner = (view.seat + 1) % 4 + 1
    await caller.say("well", partner)
    return call(partner)


def quiet(directory: Path, **more: Any) -> Party:
    return Party(directory, 4, "classic", table_talk=False, **more)


async def test_a_called_team_gives_a_card_each_and_the_game_goes_on_to_its_end(
    virtual_time: object, tmp_path: Path
) -> None:
    """The speaker and the caller have no link."""
    party = quiet(tmp_path, without={(1, 2), (3, 4)})
    caller = Caller(party, [said_first("play e5")])
    await caller.play(whole=True)
    first, second = sorted((caller.speaker, (caller.speaker + 1) % 4 + 1))
    assert caller.acted() == [(caller.caller, "call"), (first, "give"), (second, "give")]
    assert not caller.why
    assert len(set(party.results.values())) == 1
    for place in party.places.values():
        assert remarks(place) == [(caller.speaker, 1, "play e5")]


@pytest.mark.parametrize(
    ("calls", "why", "gifts"),
    [
        ([again], ["has said nothing"], 0),
        ([call_partner], ["is of the caller's own team"], 0),
        ([said_first("good luck")], ["a courtesy cannot be called"], 0),
        # A courtesy does not cover up what was said before it.
        ([said_first("play e5", "good luck")], [], 2),
        ([said_first("play e5"), again], ["this remark was called before"], 2),
        ([said_first("play e5", "and then f6"), again], [], 4),
    ],
    ids=["silence", "partner", "courtesy", "covered up", "twice", "two remarks"],
)
async def test_what_can_be_called(
    virtual_time: object,
    tmp_path: Path,
    calls: list[Callable[[Caller, View], Any]],
    why: list[str],
    gifts: int,
) -> None:
    """The player is told why not, and asked again."""
    party = quiet(tmp_path)
    caller = Caller(party, list(calls))
    await caller.play()
    assert len(caller.why) == len(why)
    assert all(expected in told for expected, told in zip(why, caller.why, strict=True))
    assert [kind for _, kind in caller.acted()].count("give") == gifts


@pytest.mark.parametrize("later", [False, True])
async def test_a_remark_can_be_called_only_in_the_first_turn_after_it(
    virtual_time: object, tmp_path: Path, later: bool
) -> None:
    """What is said while the caller thinks, it may have heard when it had made up its mind."""
    party = quiet(tmp_path)

    async def hears(caller: Caller, _view: View) -> None:
        await caller.say("play e5")

    async def lets_it_be(_caller: Caller, _view: View) -> None:
        return

    caller = Caller(party, [hears, lets_it_be, again] if later else [hears, again])
    await caller.play(turns=9 if later else 5)
    if later:
        assert "in the first turn after it only" in caller.why[0]
        assert not caller.acted()
    else:
        assert [kind for _, kind in caller.acted()] == ["call", "give", "give"]
        assert not caller.why


# The replay.


def with_records(place: Place, change: Callable[[list[AnyRecord]], None], *, signed: bool) -> bytes:
    """The replay with other remarks in it; ``signed`` by the writer again, or with the old signature."""
    data = place.replay()
    *all_records, end = [placed.record for placed in records(data)]
    assert isinstance(end, EndRecord)
    change(all_records)
    body = MAGIC + b"".join(map(frame, all_records))
    if signed:
        end = EndRecord(end.key, sign(identity(place.number), FILE, end_digest(body)))
    return body + frame(end)


def places_of_remarks(found: list[AnyRecord]) -> list[int]:
    return [at for at, record in enumerate(found) if isinstance(record, RemarkRecord)]


def without_the_last(found: list[AnyRecord]) -> None:
    del found[places_of_remarks(found)[-1]]


def without_the_first(found: list[AnyRecord]) -> None:
    del found[places_of_remarks(found)[0]]


def swapped(found: list[AnyRecord]) -> None:
    first, second, *_ = places_of_remarks(found)
    found[first], found[second] = found[second], found[first]


def doubled(found: list[AnyRecord]) -> None:
    (*_, last) = places_of_remarks(found)
    found.insert(last, found[last])


def moved_up(found: list[AnyRecord]) -> None:
    """Before the step that it is dated to."""
    (*_, last) = places_of_remarks(found)
    found.insert(1, found.pop(last))


def changed(found: list[AnyRecord]) -> None:
    (*_, last) = places_of_remarks(found)
    record = found[last]
    assert isinstance(record, RemarkRecord)
    found[last] = RemarkRecord(record.payload.replace(b"two", b"six"), record.signature)


@pytest.fixture
async def talked(virtual_time: object, tmp_path: Path) -> Place:
    """Seat 1 of a finished game in which seat 2 has said two things in a row."""
    party = Party(tmp_path, 2, open_hands=False)
    thinker = Thinker(1, sleep_s=10)
    party.sit(1, thinker)
    party.sit_others()
    async with party.playing():
        await thinker.asleep.wait()
        for text in ("one", "two"):
            await party[2].session.put(Saying(text))
    checked(party)
    return party[1]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (without_the_last, None),
        (without_the_first, "a remark out of its seat's order"),
        (swapped, "a remark out of its seat's order"),
        (doubled, "a remark out of its seat's order"),
        (moved_up, "is not open yet"),
        (changed, "the signature of seat 2 on its remark does not verify"),
    ],
)
async def test_a_replay_is_no_more_verified_with_other_remarks(
    autojump_clock: object, talked: Place, change: Callable[[list[AnyRecord]], None], reason: str | None
) -> None:
    """Unless its own writer leaves the last ones of a seat out: that none is missing is its word, and no more."""
    assert verify(with_records(talked, lambda _: None, signed=True)).verdict == "verified"
    assert verify(with_records(talked, change, signed=False)).verdict == "invalid"
    report = verify(with_records(talked, change, signed=True))
    if reason is None:
        assert report.verdict == "verified"
    else:
        assert report.verdict == "invalid"
        assert report.reason is not None
        assert reason in report.reason
