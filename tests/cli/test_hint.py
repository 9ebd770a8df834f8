"""A hint is the choice of ``strong`` in a sentence, or the reason why there is none."""

import pytest
import trio

from seqp2p.bots import registry
from seqp2p.bots.strong import Effort
from seqp2p.cli import playing
from seqp2p.rules import view
from seqp2p.ui.person.console import Console
from tests.rules.playing import make

OTHERS = "?,?,?,?,?,?,?"


async def silent() -> str | None:
    await trio.lowlevel.checkpoint()
    return None


CONSOLE = Console(silent, lambda _: None, lambda _: None, terminal=False)


async def test_a_hint_is_what_strong_would_play(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "strong_bot", lambda randomness: registry.strong_bot(randomness, Effort(20)))
    position = make(
        {"a": "b2 c2 d2 e2 f2 b4 c4 d4 e4", "b": "h5 h6 h7 h8 d9 e9 f9 g9"},
        ["3C,4C,TC,7C,3H,2H,JC", OTHERS],
        sequences="a:b2-f2",
    )
    told = await playing.hint(CONSOLE, ("blue", "green"), view(position, 1))
    assert told.startswith("hint: 3C f4 completes b4-f4 and keeps JC; second best: ")


async def test_without_weights_there_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "why_no_bot", lambda _: "the weights are missing")
    position = make({"a": "b2", "b": "h5"}, ["3C,4C,TC,7C,3H,2H,JC", OTHERS])
    assert await playing.hint(CONSOLE, ("blue", "green"), view(position, 1)) == "the weights are missing"
