"""Tasks beside a caller's block: they end with it, and what the block raises comes out of it as it is."""

import contextlib
from collections.abc import AsyncGenerator

import trio


@contextlib.asynccontextmanager
async def beside() -> AsyncGenerator[trio.Nursery]:
    """A nursery until the block ends; then its tasks are cancelled, and waited for.

    An error of the block is no part of a group: the caller meant to catch it by its own name. Only where a task has
    failed too (nothing of what this package starts is meant to) they come together.
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
        _, others = group.split(lambda error: error is failure or isinstance(error, trio.Cancelled))
        if failure is None or others is not None:
            raise
    if failure is not None:
        raise failure
