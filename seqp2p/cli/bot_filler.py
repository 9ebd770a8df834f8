"""Bots for the free seats of one's own table: real peers in processes of their own, called by a word or at once.

Each bot has a home in a temporary folder and a key that this process has made, so that it is told from people in the
lobby. A bot that is refused (the code was burned meanwhile, the seat is kept for somebody) is followed by another after
a pause, as long as a seat is free. Bots stay for the games to come, and are asked to end when this seat ends; where it
is kept, to be taken again, they are let go of instead (``cli.tether``), and their folder is left to them.
"""

import contextlib
import ipaddress
import itertools
import os
import secrets
import shutil
import tempfile
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import trio

from seqp2p.cli import resume_hint
from seqp2p.cli.children import Child, ChildStart
from seqp2p.cli.output import ABANDONED, DONE, NOT_CONNECTED, CommandError, Output
from seqp2p.cli.parent_watch import FOLDER
from seqp2p.crypto.identity import Identity
from seqp2p.lobby.events import CodeShown, LobbyEvent, LobbyShown
from seqp2p.net.addresses import Address
from seqp2p.ui.language import t, tn

BOT: Final = "greedy"
PACE_S: Final = 1.0
"""What people can follow: a bot's least time for a turn, where a person plays and says nothing else."""
GAMES: Final = 10_000
"""For how many games a bot stays: as long as there are any."""
PAUSE_S: Final = 1.0
TRIES: Final = 6
"""How often in a row a bot for a seat may fail to sit down. The pauses double: together they outlast a kept seat."""


@dataclass(frozen=True, slots=True)
class FillBots:
    """What kind of bots to call, how many seconds a turn takes them at least, and whether they wait to be called."""

    bot: str
    pace_s: float
    at_once: bool


class Filling:
    """Calls bots to the free seats of a lobby."""

    def __init__(self, bots: FillBots) -> None:
        self._bots = bots
        self._output = Output(json=False)
        self._address: Address | None = None
        self._code = ""
        self._free = 0
        self._seated = frozenset[bytes]()
        self._open = False
        self._called = False
        self._number = 1
        self._keys: dict[int, bytes] = {}  # the key of each bot that is there or on its way, by a number of its own
        self._homes: Path | None = None
        self._changed = trio.Event()

    def call(self) -> None:
        """Fill the seats that are free now or become free before the game."""
        if not self._called and self._free:
            count = self._free
            self._output.say(tn("a bot takes the free seat", "bots take the {count} free seats", count))
        self._called = True
        self._change()

    def tell(self, event: LobbyEvent) -> None:
        """What has happened in the lobby."""
        match event:
            case CodeShown(code):
                self._code = code
            case LobbyShown(_, seats, _):
                self._open = True
                self._free = seats.count(None)
                self._seated = frozenset(seat.key for seat in seats if seat is not None)
                self._change()
            case _:
                pass

    def close(self) -> None:
        """The lobby is closed. In the next one, people are waited for again."""
        self._open = self._called = False

    @contextlib.asynccontextmanager
    async def ready(self, address: Address, output: Output) -> AsyncGenerator[None]:
        """Ready to call bots to the table at this address until the block ends.

        They end with it, but where this seat is kept: then it is on them to end, and to remove their homes.
        """
        self._address, self._output = address, output
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._serve, nursery)
                yield
                nursery.cancel_scope.cancel()
        finally:
            if self._homes is not None:
                _clear(self._homes)

    async def _serve(self, nursery: trio.Nursery) -> None:
        for place in itertools.count():
            while self._missing <= 0:
                await self._changed.wait()
            # Not before there is a bot: it is bots that remove the folder of a caller that was killed.
            homes = self._homes = self._homes or Path(tempfile.mkdtemp(prefix=FOLDER))
            self._keys[place] = b""
            nursery.start_soon(self._keep, place, homes)

    @property
    def _missing(self) -> int:
        """How many seats there are to fill that no bot is on its way to; negative where bots are too many."""
        on_the_way = sum(key not in self._seated for key in self._keys.values())
        return self._free - on_the_way if self._wants() else 0

    def _wants(self) -> bool:
        """Whether there is a lobby, and bots are called to it."""
        return self._open and (self._called or self._bots.at_once)

    async def _keep(self, place: int, homes: Path) -> None:
        """A bot to its end, and then another, as long as one is missing and has not failed to sit down too often."""
        failed = 0
        try:
            while self._wants() and self._missing >= 0:
                start, self._keys[place] = self._make(homes)
                child = Child(start)
                exit_code = await child.run()
                shutil.rmtree(start.home, ignore_errors=True)
                failed = 0 if self._keys[place] in self._seated else failed + 1
                self._keys[place] = b""
                if not self._wants():
                    return
                if exit_code not in (DONE, NOT_CONNECTED, ABANDONED):
                    self._output.say(str(child.failure()))
                if failed == TRIES:
                    self._give_up(child.failure())
                    return
                if failed:
                    await trio.sleep(PAUSE_S * 2 ** (failed - 1))
        finally:
            del self._keys[place]
            self._change()

    def _give_up(self, failure: CommandError) -> None:
        """Raises the failure where nobody could call bots again."""
        if self._bots.at_once:
            self._open = False
            raise failure
        if self._called:
            self._called = False
            self._output.say(t("bots cannot sit down: {why}", why=failure))

    def _make(self, homes: Path) -> tuple[ChildStart, bytes]:
        """How the next bot starts, and the public key that it will have."""
        self._number += 1
        name, home = f"bot {self._number}", homes / str(self._number)
        home.mkdir(mode=0o700)
        seed = secrets.token_bytes(32)
        with os.fdopen(os.open(home / "identity.key", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(seed)
        return ChildStart(name, self._arguments(name), home, {"SEQP2P_CODE": self._code}, detached=True), Identity(
            seed
        ).public

    def _arguments(self, name: str) -> Sequence[str]:
        assert self._address is not None, "called within ready()"
        address, bots = self._address, self._bots
        # Where the table is on loopback, so are those who sit there.
        loopback = ipaddress.ip_address(address.host).is_loopback
        listen = ["--listen", str(Address(address.host, 0))] if loopback else []
        plays = ["--bot", bots.bot, "--pace", str(bots.pace_s), "--games", str(GAMES), "--tethered", "--json"]
        return ["join", str(address), "--name", name, *listen, *plays]

    def _change(self) -> None:
        self._changed.set()
        self._changed = trio.Event()


def _clear(homes: Path) -> None:
    """Remove the folder; the bots of a seat that is kept have their homes in it, and remove it as they end."""
    if resume_hint.is_seat_kept():
        with contextlib.suppress(OSError):  # It is empty where there are no bots.
            homes.rmdir()
    else:
        shutil.rmtree(homes, ignore_errors=True)
