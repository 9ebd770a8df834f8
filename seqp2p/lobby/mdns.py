"""Multicast DNS (RFC 6762, RFC 6763) by the library zeroconf, from the side of trio. No other module knows of it.

The library has a thread and an event loop of its own. Calls go to it by ``trio.to_thread``, so opening sockets and
announcing delay nothing. ``discovery`` imports this module where it is needed: a game on loopback does without.
"""

import contextlib
from collections.abc import AsyncGenerator, Callable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import trio
from zeroconf import Error, IPVersion, ServiceBrowser, ServiceInfo, ServiceStateChange, Zeroconf

from seqp2p.i18n import message
from seqp2p.lobby.adverts import SERVICE, Properties
from seqp2p.net.addresses import Address
from seqp2p.net.interfaces import Interfaces
from seqp2p.net.limits import Limits

TTL_S: Final = 120
"""Others keep the advertisement of a program that died for this long."""


class Service(NamedTuple):
    """An advertisement as another program wrote it. Nothing of it is checked but the size of its properties."""

    properties: Properties
    hosts: Sequence[str]
    port: int


class Net:
    """The library while it runs: one advertisement of this program, and those of others."""

    def __init__(self, library: Zeroconf, limits: Limits) -> None:
        self._library = library
        self._limits = limits
        self._posted: ServiceInfo | None = None

    async def announce(self, name: str, addresses: Sequence[Address], properties: dict[str, str]) -> None:
        """Advertise these addresses under this name, in place of those before."""
        info = ServiceInfo(
            SERVICE,
            f"{name}.{SERVICE}",
            port=addresses[0].port,
            properties=properties,
            server=f"{name}.local.",
            host_ttl=TTL_S,
            other_ttl=TTL_S,
            parsed_addresses=[address.host for address in addresses],
        )
        posted, self._posted = self._posted, info
        if posted is None:
            await trio.to_thread.run_sync(partial(self._library.register_service, info, cooperating_responders=True))
        elif set(info.parsed_addresses()) != set(posted.parsed_addresses()):
            await trio.to_thread.run_sync(self._library.update_interfaces)
            await trio.to_thread.run_sync(self._library.update_service, info)
        elif info.text != posted.text:
            await trio.to_thread.run_sync(self._library.update_service, info)

    async def browse(self, heard: Callable[[str, Service | None], None]) -> None:
        """Call ``heard`` with the name of each advertisement, and None if it is gone or not complete; until cancelled.

        It is called on a thread of the library, which waits for it: a flood is read no faster than it is handled.
        """

        def on_change(*, zeroconf: Zeroconf, name: str, state_change: ServiceStateChange, **_: Any) -> None:
            gone = state_change is ServiceStateChange.Removed
            heard(name, None if gone else look_up(zeroconf, name, self._limits))

        browser = await trio.to_thread.run_sync(partial(ServiceBrowser, self._library, SERVICE, [on_change]))
        try:
            await trio.sleep_forever()
        finally:
            # On another thread, because this one's end waits for the message it handles now.
            with trio.CancelScope(shield=True), trio.move_on_after(self._limits.discovery_close_s):
                await trio.to_thread.run_sync(browser.cancel, abandon_on_cancel=True)


def look_up(library: Zeroconf, name: str, limits: Limits) -> Service | None:
    """Return an advertisement; None for another program's, or if it is not known completely yet."""
    try:
        info = ServiceInfo(SERVICE, name)
    except Error:
        return None
    # No query: a machine that answers for a name sends all its records at once, and is asked again in time.
    if not info.load_from_cache(library) or len(info.text) > limits.advert_max:
        return None
    return Service(info.properties, info.parsed_addresses(), info.port or 0)


@contextlib.asynccontextmanager
async def opened(interfaces: Interfaces, limits: Limits) -> AsyncGenerator[Net]:
    """Run the library on its own thread until the block ends. Raises OSError, also for the library's own errors."""
    try:
        library = await trio.to_thread.run_sync(_start, interfaces)
        try:
            yield Net(library, limits)
        finally:
            # Short, and never cut off half-way: others learn that the advertisement is gone.
            with trio.CancelScope(shield=True), trio.move_on_after(limits.discovery_close_s):
                await trio.to_thread.run_sync(_stop, library, abandon_on_cancel=True)
    except Error as error:
        raise OSError(str(error) or type(error).__name__) from None


def _start(interfaces: Interfaces) -> Zeroconf:
    try:
        library = _start_everywhere() if interfaces is None else Zeroconf(list(interfaces))
    except RuntimeError as error:
        raise OSError(message("this machine has no network: only programs on it can join")) from error
    assert library.loop is not None, "it has started"
    # A stranger's damaged packet is of no interest to a player.
    library.loop.set_exception_handler(lambda _loop, _context: None)
    return library


def _start_everywhere() -> Zeroconf:
    try:
        return Zeroconf(ip_version=IPVersion.All)
    except OSError:
        # A machine without IPv6.
        return Zeroconf(ip_version=IPVersion.V4Only)


def _stop(library: Zeroconf) -> None:
    # It may have lost its sockets or its loop: then it cannot tell the others.
    with contextlib.suppress(OSError, Error, RuntimeError):
        library.close()
