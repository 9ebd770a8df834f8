"""The process that asks the home router to open a port, by UPnP-IGD.

``python -m seqp2p.net.igd open|close HOST PORT EXTERNAL…`` writes one Answer in JSON. The library is C code that
blocks, and that reads what any device of the home network sends as the router's answer. So it has a process of its
own, which ends after seconds. The caller (``api.port_mapping``) trusts nothing in the Answer.
"""

import ipaddress
import os
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any, Final, Literal, Protocol, TypeAlias, cast

import msgspec

from seqp2p.i18n import message_of

LIMIT_S: Final = 5.0
LEASE_S: Final = 600
"""The router closes the port after this time by itself, if it was not asked again."""
_SEARCH_MS: Final = 1_000
"""For each of the four kinds of routers that are searched for: a router may take a second to answer."""
_PROTOCOL: Final = "TCP"
_LABEL: Final = "seqp2p"
_ANY_HOST: Final = "0.0.0.0"  # noqa: S104  # compared with
# The library's words for the errors 718, 729 and 725 of UPnP.
_TAKEN: Final = frozenset({"ConflictInMappingEntry", "ConflictWithOtherMechanisms"})
_PERMANENT: Final = "OnlyPermanentLeasesSupported"

Fault: TypeAlias = Literal[
    "", "no_library", "no_router", "elsewhere", "no_address", "not_global", "taken", "permanent", "refused", "silent"
]
"""The reason why no port is open: the library is missing; no router answers; this program does not listen on the
router's network; the router tells no address, or none of the internet; all ports are taken; it opens ports without an
end only; it refuses; it has not answered in time (said by the caller)."""


class Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The router's own address and the external port that leads here; the address also where it is ``not_global``."""

    fault: Fault
    host: str = ""
    port: int = 0


class RouterError(Exception):
    """The router has not done it, or none answers; the text is the library's."""


class Router(Protocol):
    """The part of ``miniupnpc.UPnP`` that is used. Every method raises Exception."""

    discoverdelay: int

    @property
    def lanaddr(self) -> str: ...
    def discover(self) -> int: ...
    def selectigd(self) -> str: ...
    def externalipaddress(self) -> str: ...
    def getspecificportmapping(self, port: int, protocol: str, /) -> tuple[str, int, str, bool, int] | None: ...
    def addportmapping(
        self, external: int, protocol: str, host: str, port: int, label: str, remote: str, lease_s: int, /
    ) -> bool: ...
    def deleteportmapping(self, port: int, protocol: str, /) -> bool: ...


def is_global_ipv4(text: str) -> bool:
    """Return True for an IPv4 address of the internet: no private, shared (RFC 6598), multicast or reserved one."""
    try:
        ip = ipaddress.IPv4Address(text)
    except ValueError:
        return False
    return ip.is_global and not ip.is_multicast and not ip.is_reserved


def open_port(router: Router, host: str, port: int, externals: Sequence[int]) -> Answer:
    """Open the first of these external ports that no other program has; ask again for one that is this program's.

    ``host`` and ``port`` are where this program listens.
    """
    if fault := _find(router, host):
        return Answer(fault)
    try:
        own = str(ipaddress.IPv4Address(_asked(router.externalipaddress)))
    except (RouterError, ValueError):
        return Answer("no_address")
    if not is_global_ipv4(own):
        return Answer("not_global", own)
    for external in externals:
        if _owner(router, external) not in (None, (router.lanaddr, port)):
            continue
        try:
            _asked(router.addportmapping, external, _PROTOCOL, router.lanaddr, port, _LABEL, "", LEASE_S)
        except RouterError as error:
            if message_of(error) in _TAKEN:
                continue
            return Answer("permanent" if message_of(error) == _PERMANENT else "refused")
        return Answer("", own, external)
    return Answer("taken")


def close_port(router: Router, host: str, port: int, externals: Sequence[int]) -> Answer:
    """Close those of these external ports that lead to this program, and no others."""
    if fault := _find(router, host):
        return Answer(fault)
    try:
        for external in externals:
            if _owner(router, external) == (router.lanaddr, port):
                _asked(router.deleteportmapping, external, _PROTOCOL)
    except RouterError:
        return Answer("refused")
    return Answer("")


def _find(router: Router, host: str) -> Fault:
    router.discoverdelay = _SEARCH_MS
    try:
        _asked(router.discover)
        _asked(router.selectigd)
    except RouterError:
        return "no_router"
    return "" if host in (_ANY_HOST, router.lanaddr) else "elsewhere"


def _owner(router: Router, external: int) -> tuple[str, int] | None:
    """Return the host and port to which an external port leads; None for a free one, and if the router does not say."""
    try:
        found = _asked(router.getspecificportmapping, external, _PROTOCOL)
    except RouterError:
        return None
    return None if found is None else (found[0], found[1])


def _asked(question: Callable[..., Any], *arguments: object) -> Any:
    try:
        return question(*arguments)
    except Exception as error:  # noqa: BLE001  # the library raises no other class
        raise RouterError(message_of(error)) from None


_WORDS: Final = {"open": open_port, "close": close_port}


def end_in_time() -> None:
    """End this process after LIMIT_S, also if its caller is gone."""
    limit = threading.Timer(LIMIT_S, os._exit, (1,))
    limit.daemon = True
    limit.start()


def main(arguments: Sequence[str]) -> None:
    """Do what the module says. The caller's arguments are right."""
    word, host, port, *externals = arguments
    try:
        import miniupnpc
    except ImportError:
        answer = Answer("no_library")
    else:
        router: Router = cast("Any", miniupnpc).UPnP()
        answer = _WORDS[word](router, host, int(port), list(map(int, externals)))
    sys.stdout.buffer.write(msgspec.json.encode(answer))


if __name__ == "__main__":
    end_in_time()
    main(sys.argv[1:])
