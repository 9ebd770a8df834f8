"""``seqp2p play --tutorial``: ten guided turns, on the screen where there can be one, else by typed lines."""

from functools import partial
from typing import Final

import trio

from seqp2p.cli.output import ABANDONED, DONE, Output
from seqp2p.cli.playing import hint, own_console
from seqp2p.cli.screening import ScreenWish, on_screen
from seqp2p.ui.language import t, translate
from seqp2p.ui.person.console import Console
from seqp2p.ui.person.lessons import FAREWELL, LEFT
from seqp2p.ui.person.tutorial import Tutorial, tutor
from seqp2p.ui.screen import Screen

PAUSE_S: Final = 1.0
"""The opponent seems to think so long: the two actions can be seen one after the other."""


async def teach(output: Output, wish: ScreenWish) -> int:
    """Lead through the tutorial, until it ends or is left; returns the exit code."""
    finished = False
    try:
        async with on_screen(output, wish) as shown_on:
            if shown_on.screen is None:
                console, tutorial = own_console(shown_on), Tutorial()
                finished = await tutor(console, tutorial, hints=partial(hint, console, tutorial.company.colours))
            else:
                finished = await _at_table(own_console(shown_on), shown_on.screen)
    except* KeyboardInterrupt:
        pass  # Leaving ends the tutorial.
    return DONE if finished else ABANDONED


async def _at_table(console: Console, screen: Screen) -> bool:
    """Lead through the tutorial on the screen; return True if it was played to its end."""
    # The screen is slow to import: lines do without it.
    from seqp2p.ui.table_scene import ClosingKey, TableScene

    tutorial = Tutorial()
    scene = TableScene(
        sees=tutorial.sees,
        asked=tutorial.asked,
        company=tutorial.company,
        story=tutorial.story,
        clock=trio.current_time,
        settings=tutorial.settings,
    )

    def changed() -> None:
        scene.changed()
        screen.refresh()

    screen.show(scene)
    if not await tutor(console, tutorial, changed, PAUSE_S, hints=partial(hint, console, tutorial.company.colours)):
        screen.remains.append(translate(LEFT))
        return False
    lines = [t("you have won"), t("that was the tutorial; Enter goes away")]
    scene.over(lines, ClosingKey("leave", t("go away")))
    screen.refresh()
    await console.read()
    screen.remains.extend(map(translate, FAREWELL))
    return True
