"""Tasks that run while a block does: an error of the block comes out unchanged."""

import pytest
import trio

from seqp2p.live.runtime import background_tasks


class Mishap(Exception):
    pass


class Fault(Exception):
    pass


async def fail() -> None:
    raise Fault


async def fail_when_cancelled() -> None:
    try:
        await trio.sleep_forever()
    finally:
        raise Fault


async def test_tasks_end_with_the_block() -> None:
    async with background_tasks() as nursery:
        nursery.start_soon(trio.sleep_forever)


async def test_an_error_of_the_block_stands_alone() -> None:
    with pytest.raises(Mishap) as error:  # noqa: PT012  # the block is what is tested
        async with background_tasks() as nursery:
            nursery.start_soon(trio.sleep_forever)
            await trio.lowlevel.checkpoint()
            raise Mishap
    assert error.value.__cause__ is None


async def test_a_group_of_the_block_stays_what_it_was() -> None:
    with pytest.RaisesGroup(Mishap):
        async with background_tasks(), trio.open_nursery():
            raise Mishap


async def test_a_fault_of_a_task_is_told() -> None:
    with pytest.raises(Fault):  # noqa: PT012  # the block is what is tested
        async with background_tasks() as nursery, trio.open_nursery() as inner:
            nursery.start_soon(fail)
            inner.start_soon(trio.sleep_forever)
            await trio.sleep_forever()
    with pytest.RaisesGroup(Mishap, Fault):
        async with background_tasks() as nursery:
            nursery.start_soon(fail_when_cancelled)
            await trio.lowlevel.checkpoint()
            raise Mishap


async def test_a_cancellation_goes_through() -> None:
    with trio.CancelScope() as scope:
        async with background_tasks() as nursery:
            nursery.start_soon(trio.sleep_forever)
            scope.cancel()
            await trio.sleep_forever()
    assert scope.cancelled_caught
