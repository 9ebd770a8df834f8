"""Host a table, start a program as a bot at it, and play against it: play_against.py PROGRAM ARGUMENTS…"""

import shlex
import subprocess
import sys
from functools import partial

import trio

import seqp2p


async def main(program: list[str]) -> None:
    async with (
        seqp2p.host(2, variant="kids", name="ann", listen="127.0.0.1:0", replay_dir="games") as table,
        trio.open_nursery() as nursery,
    ):
        joining = [sys.executable, "-m", "seqp2p", "join", table.address, "--code", table.code]
        playing = ["--exec", shlex.join(program), "--replay-dir", "games"]
        nursery.start_soon(partial(trio.run_process, [*joining, *playing], stdout=subprocess.DEVNULL))
        async with table.seat() as seat:  # Waits until the program sits down.
            async for turn in seat:
                await turn.play(turn.view.legal[0])  # Here goes another way to choose.
    print(seat.result, seat.replay)


trio.run(main, sys.argv[1:])
