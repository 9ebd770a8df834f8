"""The tutorial with a screen: the scene follows the lessons, and stays until the pupil has read the end of it."""

import contextlib
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any

import pytest
import trio

from seqp2p.cli import play
from seqp2p.cli.errors import ABANDONED, DONE
from seqp2p.cli.output import Output, ScreenWish
from seqp2p.rules import Action, Card, Variant, format_action, format_card
from seqp2p.ui.person.lessons import FAREWELL, LEFT, LESSONS
from seqp2p.ui.scene import Page, Scene


class FakeScreen:
    """A screen without a terminal: lines to type, and what it was told."""

    def __init__(self, *typed: str | None) -> None:
        self.typed = [*typed]
        self.said: list[str] = []
        self.remains: list[str] = []
        self.scene: Scene | None = None
        self.painted: list[str] = []

    def show(self, scene: Scene) -> None:
        self.scene = scene
        self.refresh()

    def refresh(self) -> None:
        assert self.scene is not None
        self.painted = self.scene.painter(Page())(80, 23).lines

    def refresh_soon(self) -> None:
        raise AssertionError("a tutorial asks by its own lines")

    def say(self, text: str, kind: str = "log", colour: str = "") -> None:
        assert not colour
        assert kind == "answer"
        self.said.append(text)

    def ring(self) -> None:
        """Nobody is called."""

    def card(self, variant: Variant, card: Card) -> str:
        return format_card(variant, card)

    def action(self, variant: Variant, action: Action) -> str:
        return format_action(variant, action)

    async def read_line(self) -> str | None:
        await trio.lowlevel.checkpoint()
        return self.typed.pop(0)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> FakeScreen:
    screen = FakeScreen()

    @contextlib.asynccontextmanager
    async def on_screen(output: Output, _: ScreenWish) -> AsyncGenerator[Output]:
        anything: Any = screen
        yield replace(output, screen=anything)

    monkeypatch.setattr(play, "on_screen", on_screen)
    return screen


async def test_it_is_played_to_its_end(shown: FakeScreen, autojump_clock: object) -> None:
    shown.typed[:] = [*(lesson.fulfils[0] for lesson in LESSONS), "leave"]
    begun = trio.current_time()
    assert await play.teach(Output(json=False), ScreenWish()) == DONE
    assert shown.typed == []
    assert FAREWELL[-1] in shown.said
    assert trio.current_time() - begun >= play.PAUSE_S * len(LESSONS)
    assert any("that was the tutorial" in line for line in shown.painted)


async def test_it_can_be_left(shown: FakeScreen) -> None:
    shown.typed[:] = ["leave"]
    assert await play.teach(Output(json=False), ScreenWish()) == ABANDONED
    assert any("your turn" in line for line in shown.painted)
    assert shown.remains == [str(LEFT)]
