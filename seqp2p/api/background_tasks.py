"""Tasks that run while a caller's block lasts."""

import contextlib
from collections.abc import AsyncGenerator
from typing import Final

import trio

from seqp2p.errors import errors_in
from seqp2p.i18n import message

LEFT: Final = message("left the table")
CLOSE_S: Final = 15.0
"""To leave: a heavy proof that is on its way, a goodbye (``close_s``), and the disk."""


@contextlib.asynccontextmanager
async def background_tasks() -> AsyncGenerator[trio.Nursery]:
    """Open a nursery; cancel its tasks when the block ends, and wait for them.

    An error of the block comes out as it is, not in a group, so that the caller can catch it by its name. It comes in a
    group only if a task has failed too.
    """
    failure: BaseException | None = None
    try:
        async with trio.open_nursery() as nursery:
            try:
                yield nursery
            except BaseException as error:
                failure = error
                raise
            finally:
                nursery.cancel_scope.cancel()
    except BaseExceptionGroup as group:
        # A group that the block raised comes back as another one of the same errors.
        own = {id(error) for error in errors_in(failure)} if failure is not None else set[int]()
        others = [error for error in errors_in(group) if not isinstance(error, trio.Cancelled) and id(error) not in own]
        if failure is None or others:
            raise
    if failure is not None:
        raise failure
