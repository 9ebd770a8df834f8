"""Bots in seats."""

from pathlib import Path

import pytest
import trio

import seqp2p
from tests.api.tools import ended, two_seats


class First:
    """The first legal action."""

    def choose(self, view: seqp2p.View) -> seqp2p.Action:
        return view.legal[0]


class Cheat:
    """What it likes."""

    def choose(self, view: seqp2p.View) -> seqp2p.Action:
        return seqp2p.parse_action(view.variant, "pass")


async def test_a_bot_of_ones_own_against_one_that_ships(tmp_path: Path) -> None:
    results: list[seqp2p.Result] = []

    async def bob(seat: seqp2p.Seat) -> None:
        results.append(await seqp2p.play_bot(seat, "random"))

    async with two_seats(tmp_path, bob) as ann:
        begun = trio.current_time()
        results.append(await seqp2p.play_bot(ann, First(), pace_s=0.05))
    turns = sum(isinstance(event, seqp2p.Turned) and event.seat == 1 for event in ann.events.so_far)
    assert trio.current_time() - begun >= turns * 0.05
    assert results == [ann.result] * 2


async def test_a_choice_that_is_not_legal_is_told(tmp_path: Path) -> None:
    async with two_seats(tmp_path) as ann:
        with pytest.raises(ValueError, match="there is no bot 'clever'; there are easy, normal, hard, random, greedy"):
            await seqp2p.play_bot(ann, "clever")
        with pytest.raises(seqp2p.IllegalAction):
            await seqp2p.play_bot(ann, Cheat())
        await seqp2p.play_bot(ann, "greedy")
    assert ended(ann) == "won"
