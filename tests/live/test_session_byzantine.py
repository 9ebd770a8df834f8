"""A seat that cheats in several ways at once: the others agree, lose nobody else, and their replays hold."""

from pathlib import Path
from typing import Any

import pytest
import trio

from seqp2p.crypto.hashing import BALLOT
from seqp2p.crypto.identity import sign
from seqp2p.live.seat_session import LOOK_BACK_MAX, Leaving, MatchStore
from seqp2p.live.voting import SILENT_S
from seqp2p.match.contribution import Contribution
from seqp2p.match.encoding import encode
from seqp2p.match.events import Dropped
from seqp2p.match.machine import Match
from seqp2p.match.signed import BallotPayload, HeadPayload, OfferedEvidence
from seqp2p.net.messages import BallotMessage
from tests.live.parties import Party, Thinker, went_on
from tests.match.voting import show, vote, wish
from tests.table import fork, identity, match_at, played

CROOK = 2


def ballot(match: Match, seat: int, round_: int, about: int, step: int = 0) -> Contribution:
    """A vote to drop somebody."""
    base = match.chain.base
    assert base is not None
    payload = encode(
        BallotPayload(1, match.game.id, step or base.number, base.prev, seat, round_, "drop", (about,), "absent", None)
    )
    return Contribution(payload, sign(identity(seat), BALLOT, payload))


@pytest.mark.parametrize("how", ["once", "again and again"])
async def test_one_that_votes_only_to_hinder(virtual_time: object, tmp_path: Path, how: str) -> None:
    """Its ballots are about honest seats, each in a new round: it is dropped with the one that has left."""
    party = Party(tmp_path, 6, grace_s=60)
    asleep = trio.Event()
    for seat in range(1, 7):
        party.sit(seat, Thinker(1, sleep_s=100, asleep=asleep))
    honest = (1, 3, 4, 5)

    async def nothing() -> None:
        await trio.lowlevel.checkpoint()

    async with party.playing() as nursery:
        await asleep.wait()
        await trio.sleep(1)
        crook: Any = party[CROOK].session
        crook.core._vote = crook.core._show_heads = nothing
        crook.core._voting.hopeless = lambda now: frozenset()
        await party[6].session.put(Leaving("you left"))

        async def hinder() -> None:
            for round_ in range(1, 2 if how == "once" else 20):
                own = ballot(party[1].match, CROOK, round_, honest[round_ % 4])
                for seat in honest:
                    for link in crook.mesh._peers[seat].links[-1:]:
                        link.send(BallotMessage(own.payload, own.signature))
                await trio.sleep(1)
                if party[1].match.game.gone:
                    return

        nursery.start_soon(hinder)
    went_on(party, CROOK, 6)
    (dropped_at,) = [when for when, event in party[1].told if isinstance(event, Dropped)]
    assert SILENT_S <= dropped_at <= 3 * SILENT_S


async def test_a_seat_that_is_away_has_its_grace_during_a_vote(virtual_time: object, tmp_path: Path) -> None:
    """A cheat is to be voted out, and one whose vote that takes cannot be reached for longer than votes may take."""
    party = Party(tmp_path, 6, grace_s=60)
    asleep = trio.Event()
    for seat in range(1, 7):
        party.sit(seat, Thinker(1, sleep_s=5, asleep=asleep))
    async with party.playing():
        await asleep.wait()
        party.cut_off(6)
        await trio.sleep(1)
        match = party[1].match
        offered = OfferedEvidence((ballot(match, CROOK, 1, 1), ballot(match, CROOK, 1, 3)))
        party[CROOK].session.mesh.relay.pass_on(offered)
        await trio.sleep(SILENT_S + 10)
        party.away.clear()
    went_on(party, CROOK)


def test_have_names_the_first_step_that_is_not_final() -> None:
    """The others may have closed it by ballots, which a seat is sent from the step on that it names."""
    match = match_at(played(3, "kids", 4), 30)
    assert match.final + 1 < match.number
    held = frozenset(seat for seat, _ in match.record[match.final].contributions)
    assert MatchStore(match).have() == (match.final + 1, held)


def test_a_seat_that_closed_a_step_alone_is_sent_the_ballots_that_closed_it_otherwise() -> None:
    """It was cut off right after its turn, and the others have skipped it. The open step would get no ballots."""
    game = played(3, "kids", 4)
    turn = next(step for step in game.steps[20:] if len(step.contributions) == 1)
    here = match_at(game, turn.number)
    show(here, game.seats)
    away = fork(here)
    ((mover, own),) = turn.contributions
    away.receive(own)
    vote(here, game.seats, wish("skip", mover))
    assert (away.number, away.final) == (turn.number + 1, turn.number - 1)
    asked, held = MatchStore(away).have()
    assert (asked, set(held)) == (turn.number, {mover})
    store = MatchStore(here)
    assert not any(isinstance(each, BallotMessage) for _, each in store.votes(away.number))
    for _, sent in store.votes(asked):
        word = Contribution(sent.payload, sent.signature)
        away.receive_word(BallotPayload if isinstance(sent, BallotMessage) else HeadPayload, word)
    assert away.record[-1].action == "skip"
    assert (away.head, away.final) == (here.head, turn.number)


def test_one_forged_past_does_not_make_everybody_send_the_whole_game_again() -> None:
    """``have`` goes back one step at a time, to a little before the last final one."""
    match = match_at(played(3, "kids", 4), 30)
    assert match.final > 20
    store = MatchStore(match)
    for _ in range(30):
        store.look_back(store.have()[0])
    assert store.have() == (match.final - LOOK_BACK_MAX, frozenset())
