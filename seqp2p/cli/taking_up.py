"""Taking one's seat again, as the command line does it: api/taking_up.py, with errors that end a command."""

import contextlib
from collections.abc import AsyncGenerator
from pathlib import Path

import trio

from seqp2p.api.taking_up import Resumed
from seqp2p.api.taking_up import taken_up as taken_up_again
from seqp2p.cli import home
from seqp2p.cli.output import ABANDONED
from seqp2p.cli.running import cancel_when_stdin_closes
from seqp2p.cli.unfinished import as_command_error, take
from seqp2p.net.addresses import Address
from seqp2p.replay.resume import ResumeError
from seqp2p.replay.sidecar import SidecarError


@contextlib.asynccontextmanager
async def taken_up(
    directory: Path, game: str | None, listen: Address | None, *, until_stdin_closes: bool
) -> AsyncGenerator[Resumed]:
    """Hold the seat and its key, and listen, until the block ends. Raises CommandError.

    ``game`` and ``directory`` are as in ``unfinished.take``; without ``listen`` it listens where it did. Raises
    SystemExit when the process that started this one has ended.
    """
    unfinished = take(directory, game)
    with unfinished.sidecar, home.held_again(unfinished.secrets.identity) as held:
        async with trio.open_nursery() as nursery:
            orphaned = trio.CancelScope()
            if until_stdin_closes:
                nursery.start_soon(cancel_when_stdin_closes, orphaned)
            with orphaned:
                async with contextlib.AsyncExitStack() as stack:
                    try:
                        resumed = await stack.enter_async_context(taken_up_again(unfinished, held, listen))
                    except (SidecarError, ResumeError, OSError) as error:
                        raise as_command_error(error) from None
                    yield resumed
            nursery.cancel_scope.cancel()
    if orphaned.cancelled_caught:
        # Nobody is left who could be told.
        raise SystemExit(ABANDONED)
