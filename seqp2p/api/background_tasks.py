"""Tasks beside a caller's block: they end with it, and what the block raises comes out of it as it is."""

import contextlib
from collections.abc import AsyncGenerator, Iterator
from typing import cast

import trio


@contextlib.asynccontextmanager
async def background_tasks() -> AsyncGenerator[trio.Nursery]:
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
        # A group that the block raised comes back as another one of the same errors.
        own = {id(error) for error in _leaves(failure)} if failure is not None else set[int]()
        if failure is None or any(id(error) not in own for error in _leaves(group)):
            raise
    if failure is not None:
        raise failure


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """The errors in a group, without those that are a cancellation on its way."""
    if isinstance(error, BaseExceptionGroup):
        for inner in cast("tuple[BaseException, ...]", error.exceptions):
            yield from _leaves(inner)
    elif not isinstance(error, trio.Cancelled):
        yield error
