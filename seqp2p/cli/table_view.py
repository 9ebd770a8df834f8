"""The table on the screen: what happens at it, told to its scene. Without a screen nothing is shown."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import trio

from seqp2p.cli.output import Output
from seqp2p.cli.progress import of_cards, shuffled
from seqp2p.live.absence import Absent, Back
from seqp2p.live.recorder import TableEvent
from seqp2p.live.voting import AskAbout
from seqp2p.match.events import Dropped
from seqp2p.match.machine import Match
from seqp2p.rules import View
from seqp2p.ui.words import Company, Story

if TYPE_CHECKING:  # Only where there is a screen.
    from seqp2p.ui.table_scene import TableScene


class TableView:
    """The table on a screen. ``own`` is 0 for a spectator; ``sees`` and ``asked`` are the scene's."""

    def __init__(
        self,
        output: Output,
        match: Match,
        own: int,
        story: Story,
        sees: Callable[[], View | None],
        asked: Callable[[], View | None],
    ) -> None:
        self._screen = output.screen
        self._match = match
        self._own = own
        self._scene = None if self._screen is None else _scene(match, own, story, sees, asked)
        if self._screen is not None and self._scene is not None:
            self._tell_progress(self._scene)
            self._screen.show(self._scene)

    def hear(self, event: TableEvent) -> None:
        """Something has happened; the match is as it is after it."""
        scene = self._scene
        if scene is None or self._screen is None:
            return
        match event:
            case Absent(seat, grace_s):
                scene.absent(seat, grace_s)
            case Back(seat):
                scene.back(seat)
            case AskAbout():
                pass
            case Dropped(seats):
                scene.gone(seats)
                scene.changed()
            case _:
                scene.changed()
        self._tell_progress(scene)
        self._screen.refresh()

    def over(self, *lines: str) -> None:
        """The game has ended: how, and what can be done now."""
        if self._screen is not None and self._scene is not None:
            self._scene.over(lines)
            self._screen.refresh()

    def _tell_progress(self, scene: "TableScene") -> None:
        """Show the present work while no player chooses."""
        text = of_cards(self._match, self._own)
        if text:
            scene.progress(text, *(shuffled(self._match) if self._match.kind == "shuffle" else (0, 0)))
        else:
            scene.progress_over()


def _scene(
    match: Match, own: int, story: Story, sees: Callable[[], View | None], asked: Callable[[], View | None]
) -> "TableScene":
    from seqp2p.ui.table_scene import TableScene

    agreement = match.game.agreement
    return TableScene(
        sees=sees,
        asked=asked,
        company=Company.of(agreement, own),
        story=story,
        clock=trio.current_time,
        settings=agreement.settings,
    )
