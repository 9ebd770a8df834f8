"""No two different final closings, and no hang while a strict majority is connected: three seats exhaustively, up to
seven at random; and that it takes every one of the rules to make it so."""

import random
from dataclasses import dataclass

import pytest

from seqp2p.match.ballots import Closing, Decree, Last, Value, Vote, Wish
from tests.match.exploring import (
    CONTRIBUTED,
    MOVER,
    Fork,
    Held,
    Model,
    Party,
    Shown,
    State,
    explore,
    heal,
    shown_final,
    votes_in,
)

THREE = frozenset({1, 2, 3})
ANOTHER = b"another"


def parties_of(model: Model, state: State) -> dict[int, Party]:
    """The seats of an explored state, each having heard all ballots."""
    signed = frozenset[Vote | Shown]().union(*state)
    held = any(message.last is not None and message.last.round == 0 for message in signed)
    heard = {seat: [vote for vote in votes_in(signed) if vote.seat != seat] for seat in model.members}
    return {seat: model.party(seat, local, heard[seat], held=held) for seat, local in enumerate(state, 1)}


@pytest.mark.parametrize("part", [0.15, pytest.param(1.0, marks=pytest.mark.soak)])
def test_three_seats_one_round_and_what_follows_from_every_state(part: float) -> None:
    """From every state any two of the seats, or all three, come to one final closing, and it is the final one."""
    model, count, dice = Model(THREE, rounds_max=1), 0, random.Random()
    for state in explore(model):
        if dice.random() >= part:
            continue
        count += 1
        known = shown_final(frozenset().union(*state), 3)
        for some in (THREE, frozenset({1, 2}), frozenset({1, 3}), frozenset({2, 3})):
            parties = {seat: party for seat, party in parties_of(model, state).items() if seat in some}
            (found,) = heal(parties, contributed=MOVER in some)
            assert found is not None, (state, some)
            assert known <= {found}, (state, some)
    assert count > 500 * part


@pytest.mark.parametrize(("signed_max", "states"), [(5, 8_000), pytest.param(7, 50_000, marks=pytest.mark.soak)])
def test_three_seats_two_rounds(signed_max: int, states: int) -> None:
    """A fork across both rounds takes eight signatures; seven leave out the last of them, which forks nothing new."""
    assert sum(1 for _ in explore(Model(THREE, skips=False), signed_max)) > states


# What each rule is for: without it, two closings are final.


class NoPromise(Decree):
    """Accepts closings of any round above its last, also below the round of its vote."""

    def acceptable(self) -> Closing | None:
        promised, self.promised = self.promised, 0
        found = super().acceptable()
        self.promised = promised
        return found


class AnyLast(Decree):
    """The outcome of a certificate is its action, also where its seats have closed the step in another way before."""

    def _outcome(self, votes: list[Vote], some: Vote) -> Value | None:
        return self._by_action(some)


class LowestLast(Decree):
    """The lowest round decides."""

    def _outcome(self, votes: list[Vote], some: Vote) -> Value | None:
        rounds = [vote.last.round for vote in votes if vote.last is not None]
        lowest = [vote for vote in votes if vote.last is None or vote.last.round == min(rounds)]
        return super()._outcome(lowest, some)


@pytest.mark.parametrize(
    "model",
    [
        pytest.param(Model(THREE, NoPromise, 1, shows_below_its_promise=True), id="promise"),
        pytest.param(Model(THREE, AnyLast, 1), id="last"),
    ],
)
def test_without_a_rule_three_seats_fork(model: Model) -> None:
    with pytest.raises(Fork):
        list(explore(model))


# More seats, at random.


@dataclass
class Table:
    """Seats that hear each other in changing groups, not always and not everything, and sign what they may."""

    dice: random.Random
    parties: dict[int, Party]
    cheat: bool = False

    @classmethod
    def of(cls, seed: int, seats: int, decree: type[Decree] = Decree, **changes: bool) -> "Table":
        members = frozenset(range(1, seats + 1))
        table = cls(random.Random(seed), {seat: Party(seat, members, decree) for seat in members}, **changes)
        table.parties[MOVER].take(Held(CONTRIBUTED))
        if table.cheat:
            table.parties[MOVER].take(Held(ANOTHER))
        return table

    def run(self, phases: int = 6) -> None:
        """So many groups one after the other; raises Fork."""
        for _ in range(phases):
            size = self.dice.randint(2, len(self.parties))
            group = {seat: self.parties[seat] for seat in self.dice.sample(sorted(self.parties), size)}
            gone = frozenset(self.parties.keys() - group.keys())
            wishes: list[Wish | None] = [None, Wish("skip", frozenset({MOVER})), Wish("drop", gone)]
            for _ in range(self.dice.randint(4, 20)):
                seat = self.dice.choice(sorted(group))
                wish = self.dice.choice(wishes if gone else wishes[:2])
                self._act(group[seat], group, None if wish is None or seat in wish.about else wish)
                self.check()

    def _act(self, party: Party, group: dict[int, Party], wish: Wish | None) -> None:
        act = self.dice.random()
        if act < 0.45:
            for message in dict.fromkeys(message for other in group.values() for message in other.journal):
                if self.dice.random() < (0.15 if isinstance(message, Shown) else 0.7):
                    party.take(message)
        elif act < 0.7:
            party.sign(party.due_ballot(wish, stuck=self.dice.random() < 0.7))
        elif act < 0.97:
            if self.cheat and party.seat == MOVER:
                self._lie(party)
            else:
                party.sign(party.due_closing())
        else:
            party.restart(self.dice.randrange(len(party.journal) + 1))

    def _lie(self, party: Party) -> None:
        """The cheat shows both, one to some and the other to others."""
        for other in self.parties.values():
            if self.dice.random() < 0.3:
                other.take(Shown(party.seat, Last(0, self.dice.choice([CONTRIBUTED, ANOTHER]))))

    def check(self) -> None:
        """All that anybody can take for final is one thing."""
        signed = [message for party in self.parties.values() for message in party.journal]
        known = {party.final for party in self.parties.values() if party.final}
        if len(known | shown_final(signed, len(self.parties))) > 1:
            raise Fork(signed)

    def healed(self) -> set[bytes | None]:
        """The final closings for a connected majority that hears everything its seats have heard."""
        seats = sorted(self.parties)
        size = self.dice.randint(len(seats) // 2 + 1, len(seats))
        some = {seat: self.parties[seat] for seat in sorted(self.dice.sample(seats, size))}
        return heal(some, contributed=MOVER in some and not self.cheat)


@pytest.mark.parametrize("seats", [4, 5, 6, 7])
def test_more_seats_at_random(seats: int) -> None:
    for seed in range(40):
        table = Table.of(seed, seats)
        table.run()
        assert len(found := table.healed()) == 1, (seed, found)
        assert None not in found
        table.check()


@pytest.mark.parametrize("seats", [4, 6])
def test_a_seat_that_contributes_twice_forks_no_table_of_an_even_number(seats: int) -> None:
    for seed in range(50):
        table = Table.of(seed, seats, cheat=True)
        table.run()
        table.healed()
        table.check()


def run_many(decree: type[Decree]) -> None:
    """Tables of three, until one forks."""
    for seed in range(1_000):
        Table.of(seed, 3, decree).run(12)


def test_without_the_highest_last_three_seats_fork() -> None:
    with pytest.raises(Fork):
        run_many(LowestLast)
