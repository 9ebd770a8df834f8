"""What a player brings to a table, and takes away again."""

import trio

from seqp2p.api.endpoint import closing
from seqp2p.net.addresses import Address, open_listeners


async def test_every_listener_is_closed_even_when_cancelled() -> None:
    opened = [listener for _ in range(2) for listener in await open_listeners(Address("127.0.0.1", 0))]
    with trio.CancelScope() as scope:
        async with closing(opened):
            scope.cancel()
            await trio.sleep_forever()
    assert scope.cancelled_caught
    assert [listener.socket.fileno() for listener in opened] == [-1, -1]
