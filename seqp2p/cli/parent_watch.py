"""What ties a bot to the process that called it to its table.

While that process is there, the bot sits down for game after game. Once it is gone, killed or by a terminal that has
closed (the pipe that is this process's input closes), the bot plays the game it is in and no other: the person may take
the seat again.
It leaves when the table has given the person up, so that nothing stays for longer than the table's grace.
"""

import contextlib
import shutil
import signal
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

import trio

from seqp2p.cli.lines import LineReader
from seqp2p.cli.output import Output
from seqp2p.net.errors import LinkLost
from seqp2p.ui.language import t

T = TypeVar("T")
FOLDER: Final = "seqp2p-bots-"
"""How the name of the temporary folder begins in which the bots of one caller have their homes."""
CALLER: Final = 1
"""The seat of whoever calls bots: a host's."""


class Tether:
    """Held as long as the standard input is open."""

    def __init__(self) -> None:
        self._let_go = self._given_up = False
        self._sitting_down = trio.CancelScope()

    async def watch(self) -> None:
        """Notice when it is let go; returns then."""
        reader = LineReader(0)
        while await reader.read_line() is not None:
            pass
        self._let_go = True
        self._sitting_down.cancel()
        self._leave_if_alone()

    async def while_held(self, sit_down: Callable[[], Awaitable[T]]) -> T:
        """Do this unless, or until, it is let go; raises LinkLost then."""
        with trio.CancelScope() as self._sitting_down:
            if self._let_go:
                self._sitting_down.cancel()
            return await sit_down()
        raise LinkLost(t("Whoever called this bot to the table is gone."))

    def clean_up(self, folder: Path) -> None:
        """Remove this bot's folder when it ends after its caller, who would have done so; the last one takes all."""
        if self._let_go and folder.parent.name.startswith(FOLDER):
            shutil.rmtree(folder, ignore_errors=True)
            with contextlib.suppress(OSError):
                folder.parent.rmdir()

    def hear(self, event: str, seats: Collection[int]) -> None:
        """What happens at the table: the caller may be dropped."""
        if event == "dropped" and CALLER in seats:
            self._given_up = True
            self._leave_if_alone()

    def _leave_if_alone(self) -> None:
        if self._let_go and self._given_up:
            signal.raise_signal(signal.SIGTERM)  # As a user would: politely, wherever it is.


@contextlib.asynccontextmanager
async def held_by(tether: Tether | None) -> AsyncGenerator[None]:
    """Watch a tether, if there is one, until the block ends."""
    async with trio.open_nursery() as nursery:
        if tether is not None:
            nursery.start_soon(tether.watch)
        yield
        nursery.cancel_scope.cancel()


@dataclass(frozen=True, slots=True)
class Overheard(Output):
    """An output whose events a tether hears."""

    tether: Tether = field(default_factory=Tether)

    def event(self, name: str, /, **fields: Any) -> None:
        """One event for scripts, and for the tether."""
        super(Overheard, self).event(name, **fields)  # slots make another class of this one
        self.tether.hear(name, fields.get("seats", ()))
