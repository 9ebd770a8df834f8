"""Events for as many readers as there are."""

import trio
from trio.testing import wait_all_tasks_blocked

from seqp2p.api.at_table import EVENTS_MAX, Events


async def test_every_reader_reads_all() -> None:
    events = Events[int]()
    read: dict[str, list[int]] = {"early": [], "late": []}

    async def reader(name: str) -> None:
        async for event in events:
            read[name].append(event)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(reader, "early")
        await wait_all_tasks_blocked()
        for number in range(3):
            events.put(number)
            await wait_all_tasks_blocked()
        nursery.start_soon(reader, "late")
        events.put(3)
        events.end()
    assert read == {"early": [0, 1, 2, 3], "late": [0, 1, 2, 3]}
    assert events.so_far == (0, 1, 2, 3)
    assert [event async for event in events] == [0, 1, 2, 3]


async def test_the_oldest_are_forgotten() -> None:
    events = Events[int]()
    reader = aiter(events)
    events.put(0)
    assert await anext(reader) == 0
    for number in range(1, EVENTS_MAX + 5):
        events.put(number)
    events.end()
    assert len(events.so_far) == EVENTS_MAX
    assert await anext(reader) == 5
    assert [event async for event in reader] == list(range(6, EVENTS_MAX + 5))
