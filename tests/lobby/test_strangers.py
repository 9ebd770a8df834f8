"""Attacks on the door: a friend with the code on the host's screen gets in, though all seem to come from one address.

``make bench ONLY=hostile`` runs them over real TCP for a minute each.
"""

import pytest
import trio

from seqp2p.lobby.code import public_part
from seqp2p.net.addresses import Address
from seqp2p.net.limits import Limits
from tests.lobby.house import Opened
from tests.net.tools import address_of, randomness
from tests.sim import strangers
from tests.sim.strangers import ATTACKS, GUESSERS, Stranger

pytestmark = pytest.mark.usefixtures("autojump_clock", "cheap_codes")

FRIEND = 2
PLACES = 16
"""Of the door. A crowd has two more."""


@pytest.mark.parametrize("name", ATTACKS)
async def test_a_friend_gets_in(name: str, house: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strangers, "CROWD", PLACES + 2)
    table = await house(3, limits=Limits(handshakes_max=PLACES, code_parallel_max=4, code_waiting_max=PLACES))

    class Crowd(Stranger):
        async def dial(self, address: Address) -> trio.abc.Stream:
            return await table.wires.dial(address)

    crowd = Crowd(address_of(1), "", lambda: public_part(table.code), randomness)
    table.nursery.start_soon(ATTACKS[name], crowd)
    await trio.sleep(0.2)
    assert len(table.wires.dialled) >= GUESSERS, "the attack is under way"
    table.join(FRIEND)
    with trio.fail_after(60):
        while table.names[1] is None:
            await trio.sleep(0.1)
            if FRIEND in table.errors:
                assert table.refused(FRIEND) == "code_burned"
                table.join(FRIEND)
