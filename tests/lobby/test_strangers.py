"""Attacks on the door, each in its own process: a friend with the code on the host's screen gets in.

``make bench ONLY=hostile`` runs them for a minute each.
"""

import secrets
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import trio

import seqp2p
from seqp2p.crypto.identity import Identity
from seqp2p.lobby.code import public_part
from seqp2p.lobby.events import Own
from seqp2p.lobby.join import join_table
from seqp2p.net.addresses import parse_address
from seqp2p.net.dialling import Route
from seqp2p.net.errors import PeerRefused
from seqp2p.net.tls import make_credentials
from tests.sim.strangers import ATTACKS

pytestmark = pytest.mark.process


@contextmanager
def attacked(name: str, table: seqp2p.OpenTable) -> Iterator[None]:
    """Attack the table from the friend's own address."""
    line = [sys.executable, "-m", "tests.sim.strangers", name, table.address, "127.0.0.1"]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as attacker:
        assert attacker.stdin is not None
        for words in (2, 3, 4):  # It tries all.
            attacker.stdin.write(f"{public_part(table.code)[0]} {words}\n")
        attacker.stdin.write("{} {}\n".format(*public_part(table.code)))
        attacker.stdin.flush()
        try:
            yield
        finally:
            attacker.kill()


async def sit_down(table: seqp2p.OpenTable, in_lobby: trio.Event) -> None:
    """Join with the code on the host's screen, and with the next one if it is burned meanwhile."""
    address = parse_address(table.address)
    credentials = make_credentials(Identity(secrets.token_bytes(32)))
    mine = Own(credentials, "friend", secrets.token_bytes, lambda _: in_lobby.set())
    while not in_lobby.is_set():
        try:
            await join_table(mine, Route(address), table.code)
        except PeerRefused as refused:
            if refused.code != "code_burned":
                raise


@pytest.mark.parametrize("name", ATTACKS)
async def test_a_friend_gets_in(name: str, tmp_path: Path) -> None:
    own = Identity(secrets.token_bytes(32))
    in_lobby = trio.Event()
    async with seqp2p.host(3, name="host", identity=own, replay_dir=tmp_path, listen="127.0.0.1:0") as table:
        with attacked(name, table), trio.fail_after(60):
            await trio.sleep(1)  # The attack is under way.
            async with trio.open_nursery() as nursery:
                nursery.start_soon(sit_down, table, in_lobby)
                await in_lobby.wait()
                nursery.cancel_scope.cancel()
