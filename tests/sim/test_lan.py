"""The simulator itself: the same again, what its faults do, and that its witness sees what it should."""

from typing import Any

import msgspec
import pytest

from seqp2p.live.seat_session import InboxItem, SeatSession
from seqp2p.match.contribution import Contribution
from seqp2p.match.events import Dropped, Result, Skipped
from seqp2p.match.machine import Match
from seqp2p.rules import DRAW, PASS, Action, View
from tests.sim import KINDS, MINIATURE, Cheats, Fault, FaultKind, Plan, SafetyViolation, VirtualLan
from tests.sim.faults import RELAY_KINDS, draw_plan
from tests.sim.lan import HONEST, TooLong
from tests.sim.outcome import outcome_of, simulate
from tests.sim.table import TABLES, TableKey, VirtualSeat, draw_settings, make_agreement


def lan(
    n: int,
    *faults: Fault,
    seed: int = 1,
    cheats: Cheats = HONEST,
    jitter_s: float = 0.01,
    spectators: int = 0,
    **settings: Any,
) -> VirtualLan:
    """A table of the small variant without a clock, with a grace of 10 s, but for the settings."""
    table = TableKey(seed % TABLES, n)
    usual: dict[str, Any] = {"turn_time_s": 0, "grace_s": 10, "manual_draw": False, "open_hands": True}
    usual["teams"] = n if n == 3 else 2
    usual["colours"] = MINIATURE.colours[: usual["teams"]]
    agreement = make_agreement(table, msgspec.structs.replace(draw_settings(table), **{**usual, **settings}))
    plan = Plan(jitter_s=jitter_s, faults=faults)
    return VirtualLan(n, seed, plan, agreement=agreement, cheats=cheats, spectators=spectators)


def played(n: int, *faults: Fault, **how: Any) -> VirtualLan:
    """Play a whole game at such a table."""
    game = lan(n, *faults, **how)
    game.run()
    return game


def kinds(lan: VirtualLan, *seats: int) -> set[str]:
    """How it ended for these seats, or for all."""
    return {result_of(lan, seat).kind for seat in seats or lan.peers}


def result_of(lan: VirtualLan, number: int) -> Result:
    """How it ended for this seat or spectator."""
    result = {**lan.peers, **lan.spectators}[number].result
    assert result is not None
    return result


def match_of(lan: VirtualLan, number: int) -> Match:
    """The match of this seat or spectator."""
    match = {**lan.peers, **lan.spectators}[number].match
    assert match is not None
    return match


def happened(lan: VirtualLan, seat: int, kind: type) -> list[Any]:
    return [event for _, event in lan.peers[seat].events if isinstance(event, kind)]


def dropped(lan: VirtualLan, seat: int) -> set[int]:
    """The seats that this seat has seen dropped."""
    return {each for event in happened(lan, seat, Dropped) for each in event.seats}


@pytest.mark.parametrize("players", [2, 3, 5, pytest.param(12, marks=pytest.mark.slow)])
def test_the_same_seed_gives_the_same_bytes(players: int) -> None:
    once, again = (VirtualLan(players, 21, draw_plan(21, players)) for _ in range(2))
    for each in (once, again):
        each.run()
    assert [peer.record for peer in once.peers.values()] == [peer.record for peer in again.peers.values()]
    assert [peer.events for peer in once.peers.values()] == [peer.events for peer in again.peers.values()]
    assert outcome_of(once) == outcome_of(again)


@pytest.mark.parametrize(
    ("behind", "fault"),
    [
        ((2, 3), None),
        ((1, 2, 3), None),
        ((1, 2, 3), Fault("sever", 6.0, (1, 2, 3))),
        ((1, 2, 3), Fault("relay", 6.0, (1, 2, 3), 3.0)),
        ((1, 2, 3), Fault("choke", 6.0, (1, 2, 3), 3.0)),
        ((2, 3), Fault("mispair", 6.0, (2, 3), 3.0)),
    ],
)
def test_seats_behind_routers_meet_at_a_relay(behind: tuple[int, ...], fault: Fault | None) -> None:
    met = played(3, Fault("router", 0.0, behind), *([fault] if fault else []))
    assert kinds(met) <= {"won", "drawn"}


def test_a_relay_that_is_away_for_longer_than_the_grace_ends_the_game_for_all() -> None:
    parted = played(3, Fault("router", 0.0, (1, 2, 3)), Fault("relay", 3.0, (1, 2, 3), 60.0))
    assert kinds(parted) == {"unfinished"}


def test_a_plan_is_drawn_from_its_seed() -> None:
    assert draw_plan(5, 4) == draw_plan(5, 4) != draw_plan(6, 4)
    assert draw_plan(5, 4, ()).faults == ()
    assert {fault.kind for seed in range(200) for fault in draw_plan(seed, 4).faults} == set(KINDS) - {"bursts"}
    at_relays = [draw_plan(seed, 4, RELAY_KINDS) for seed in range(60)]
    assert {fault.kind for plan in at_relays for fault in plan.faults} == set(RELAY_KINDS)
    assert all(2 <= len(plan.routers) <= 4 for plan in at_relays)
    assert all(fault.kind == "crash" for fault in draw_plan(3, 4, ["crash"]).faults)
    assert draw_plan(7, 4).faults == tuple(f for f in draw_plan(7, 4, KINDS + RELAY_KINDS).faults if f.kind in KINDS)
    assert len({simulate(seed, 2, ()).hash for seed in (0, 12, 24)}) == 3, "three games at one table"


def test_a_majority_without_a_card_goes_on_without_a_deal() -> None:
    """No seat draws by hand; seat 1 dies when the hands are used up."""
    bare = lan(3, manual_draw=True)

    def choose(view: View, _why: str | None) -> Action:
        if PASS in view.legal:
            bare.peers[1].die()
        return [action for action in view.legal if action != DRAW][-1]

    for seat in (1, 2, 3):
        bare.peers[seat].choose = choose
    bare.run()
    assert happened(bare, 2, Dropped) == [Dropped((1,))]
    assert match_of(bare, 2).game.owners == ()
    assert kinds(bare, 2, 3) == {"drawn"}


@pytest.mark.parametrize(
    ("players", "fault", "ends"),
    [
        (4, Fault("partition", 1.0, (1, 2), 300.0), {"unfinished"}),
        (3, Fault("oneway", 1.0, (2,), 5.0), {"won", "drawn"}),
    ],
    ids=["two halves do not go on", "what is cut one way arrives by way of others"],
)
def test_a_network_that_is_cut(players: int, fault: Fault, ends: set[str]) -> None:
    cut = played(players, fault)
    assert kinds(cut) <= ends


@pytest.mark.parametrize("kind", ["crash", "power"])
def test_a_seat_comes_back(kind: FaultKind) -> None:
    back = played(3, Fault(kind, 2.0, (1, 2, 3), 3.0), Fault(kind, 6.0, (2,), 4.0))
    assert {peer.lives for peer in back.peers.values()} == {2, 3}
    assert kinds(back) <= {"won", "drawn"}


@pytest.mark.parametrize("kind", ["crash", "power"])
def test_seats_that_are_killed_at_any_moment_resume(kind: FaultKind) -> None:
    """A crash at the moments of the setup, the power at those of the game."""
    for moment in range(5, 105, 6):
        both = played(2, Fault(kind, moment / 100 if kind == "crash" else moment / 10, (1, 2), 3.0))
        assert [peer.lives for peer in both.peers.values()] == [2, 2], moment
        assert kinds(both) <= {"won", "drawn"}, moment


def test_a_game_never_was_if_the_power_goes_before_the_secrets_are_on_the_disk() -> None:
    both = played(2, Fault("power", 0.05, (1, 2), 3.0))
    assert [peer.lives for peer in both.peers.values()] == [2, 1]
    assert "nothing was signed with them" in both.peers[2].gone


def test_a_seat_that_sleeps_is_skipped_then_dropped() -> None:
    sleepy = played(3, Fault("asleep", 0.0, (2,), 80.0), turn_time_s=5)
    assert happened(sleepy, 1, Skipped)[0] == Skipped(2)
    assert happened(sleepy, 1, Dropped) == [Dropped((2,))]


def test_no_game_takes_for_ever() -> None:
    with pytest.raises(TooLong, match="virtual seconds"):
        lan(2).run(settle_s=0.5)


# What the witness sees; more is in test_spectators.py.


class Hasty(SeatSession):
    """Sends before its disk has it."""

    async def _contribute(self, own: Contribution) -> None:
        self._recorder.log(own)
        self._handle(self.intake.take(self.intake.check(own), self.seat.number), self.seat.number)


class Twice(SeatSession):
    """Signs a second shuffle."""

    async def _contribute(self, own: Contribution) -> None:
        if self.match.kind == "shuffle":
            other = VirtualSeat(TableKey(1, 3), self.seat.number, 77, self.seat.secrets).contribute(self.match)
            self._recorder.log(other)
            await self._recorder.sync()
            self._relay.pass_on(other, self.seat.number, self.match.number)
        await super()._contribute(own)


class Silent(SeatSession):
    """Takes nothing."""

    async def take(self, item: InboxItem) -> None:
        self._asked: frozenset[int] = frozenset()


@pytest.mark.parametrize(
    ("kind", "error", "why"),
    [
        (Hasty, SafetyViolation, "not on its disk"),
        (Twice, SafetyViolation, "two different things|for a cheat"),
        (Silent, TooLong, "virtual seconds"),
    ],
)
def test_a_seat_that_should_be_honest_and_is_not(kind: type[SeatSession], error: type[Exception], why: str) -> None:
    made = lan(3)
    made.peers[2].make_session = lambda sitting: sitting.make(kind)
    with pytest.raises(error, match=why):
        made.run(settle_s=30)


def test_of_a_cheat_nothing_is_promised() -> None:
    cheated = played(3, cheats=Cheats(sessions={2: lambda sitting: sitting.make(Twice)}))
    for seat in (1, 3):
        assert "two different contributions" in match_of(cheated, seat).proven[2].reason


def test_a_wire_can_be_tampered_with() -> None:
    deaf = played(3, cheats=Cheats(tamper=lambda sender, to, frame: () if {sender, to} == {1, 2} else (frame,)))
    assert kinds(deaf) <= {"won", "drawn"}, "seat 3 passes everything on"
