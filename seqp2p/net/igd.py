"""The process that asks the home router to open a port, by UPnP-IGD.

``python -m seqp2p.net.igd open|close HOST PORT EXTERNAL…`` writes a PortAnswer in JSON. Any device of the home network
can pose as the router, so this process ends after seconds and has little memory. It reads little of each answer, and
asks only devices of the local network that have answered the search themselves, for their own pages. The caller
(``api.port_mapping``) trusts nothing in the PortAnswer.
"""

import contextlib
import functools
import ipaddress
import os
import re
import socket
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias
from urllib.parse import urljoin, urlsplit

import msgspec

from seqp2p.i18n import message_of
from seqp2p.net.interfaces import is_loopback, is_near, local_hosts

LIMIT_S: Final = 5.0
LEASE_S: Final = 600
"""The router closes the port after this time by itself, if it was not asked again."""
MEMORY_MAX: Final = 256 * 2**20
"""The address space of the process, where the system bounds it: on Linux."""
DEVICES_MAX: Final = 4
PAGE_SIZE_MAX: Final = 65_536
REQUEST_S: Final = 1.5
SEARCH_S: Final = 2.0
"""A device answers the search within a second."""
_OK: Final = 200
"""The status of a page that is there."""
_LABEL: Final = "seqp2p"
_ANY_HOST: Final = "0.0.0.0"  # noqa: S104  # compared with

_GROUP: Final = ("239.255.255.250", 1900)
_KINDS: Final = (
    b"urn:schemas-upnp-org:device:InternetGatewayDevice:1",
    b"urn:schemas-upnp-org:device:InternetGatewayDevice:2",
    b"urn:schemas-upnp-org:service:WANIPConnection:1",
    b"urn:schemas-upnp-org:service:WANPPPConnection:1",
)
_SEARCH: Final = b'M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nMAN: "ssdp:discover"\r\nMX: 1\r\nST: %s\r\n\r\n'
_LOCATION: Final = re.compile(rb"^location:[ \t]*(http://[!-~]+)", re.IGNORECASE | re.MULTILINE)
_BASE: Final = re.compile(r"<URLBase>\s*([^\s<]+)")
_SERVICE: Final = re.compile(r"<serviceType>\s*(urn:schemas-upnp-org:service:WAN(?:IP|PPP)Connection:[12])\s*<")
_CONTROL: Final = re.compile(r"<controlURL>\s*([^\s<]+)")
_VALUE: Final = re.compile(r"<(\w+)(?:\s[^<>]*)?>([^<]*)</\1>")
_SERVICES_MAX: Final = 2
_ENVELOPE: Final = (
    '<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"'
    ' s:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"><s:Body>'
    '<u:{action} xmlns:u="{service}">{values}</u:{action}></s:Body></s:Envelope>'
)
# The errors of UPnP.
_TAKEN: Final = frozenset({"718", "729"})
_PERMANENT: Final = "725"

Fault: TypeAlias = Literal[
    "", "no_router", "elsewhere", "no_address", "not_global", "taken", "permanent", "refused", "silent"
]
"""The reason why no port is open: no router answers; this program does not listen at the address that the router sees,
or not for others (said by the caller); the router tells no address, or none of the internet; all ports are taken; it
opens ports without an end only; it refuses; it has not answered in time (said by the caller)."""


class PortAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The router's own address and the external port that leads here; the address also where it is ``not_global``."""

    fault: Fault
    host: str = ""
    port: int = 0


class RouterError(Exception):
    """The router has not done it, or does not answer; the text is the error's number in UPnP, "" without one."""


class WebPage(NamedTuple):
    """A page of a device."""

    host: str
    port: int
    path: str


@dataclass(frozen=True)
class Router:
    """A service of a device that opens ports; ``page`` takes its questions."""

    page: WebPage
    service: str

    @functools.cached_property
    def wide(self) -> str:
        """Return the address that it tells of itself, "" for none."""
        try:
            return self.ask("GetExternalIPAddress", {}).get("NewExternalIPAddress", "")
        except RouterError:
            return ""

    @functools.cached_property
    def own(self) -> str:
        """Return the address of this machine that asks it, "" if no way leads there."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, contextlib.suppress(OSError):
            probe.connect(self.page[:2])
            return str(probe.getsockname()[0])
        return ""

    def ask(self, action: str, values: Mapping[str, object]) -> dict[str, str]:
        """Return the values of its answer. Raises RouterError."""
        inside = "".join(f"<{name}>{value}</{name}>" for name, value in values.items())
        body = _ENVELOPE.format(action=action, service=self.service, values=inside)
        headers = {"Content-Type": 'text/xml; charset="utf-8"', "SOAPAction": f'"{self.service}#{action}"'}
        status, text = _exchange(self.page, "POST", body, headers)
        found = dict[str, str](_VALUE.findall(text))
        if status != _OK:
            raise RouterError(found.get("errorCode", ""))
        return found


def is_global_ipv4(text: str) -> bool:
    """Return True for an IPv4 address of the internet: no private, shared (RFC 6598), multicast or reserved one."""
    try:
        ip = ipaddress.IPv4Address(text)
    except ValueError:
        return False
    return ip.is_global and not ip.is_multicast and not ip.is_reserved


def open_port(router: Router, port: int, externals: Sequence[int]) -> PortAnswer:
    """Open the first of these external ports that no other program has; ask again for one that is this program's.

    ``port`` is where this program listens.
    """
    try:
        wide = str(ipaddress.IPv4Address(router.wide))
    except ValueError:
        return PortAnswer("no_address")
    if not is_global_ipv4(wide):
        return PortAnswer("not_global", wide)
    for external in externals:
        if _owner(router, external) not in (None, (router.own, str(port))):
            continue
        values = {
            **_named(external),
            "NewInternalPort": port,
            "NewInternalClient": router.own,
            "NewEnabled": 1,
            "NewPortMappingDescription": _LABEL,
            "NewLeaseDuration": LEASE_S,
        }
        try:
            router.ask("AddPortMapping", values)
        except RouterError as error:
            if message_of(error) in _TAKEN:
                continue
            return PortAnswer("permanent" if message_of(error) == _PERMANENT else "refused")
        return PortAnswer("", wide, external)
    return PortAnswer("taken")


def close_port(router: Router, port: int, externals: Sequence[int]) -> PortAnswer:
    """Close those of these external ports that lead to this program, and no others."""
    try:
        for external in externals:
            if _owner(router, external) == (router.own, str(port)):
                router.ask("DeletePortMapping", _named(external))
    except RouterError:
        return PortAnswer("refused")
    return PortAnswer("")


def _owner(router: Router, external: int) -> tuple[str, str] | None:
    """Return the host and port behind an external port; None for a free one, and if the router does not say."""
    try:
        found = router.ask("GetSpecificPortMappingEntry", _named(external))
        return found["NewInternalClient"], found["NewInternalPort"]
    except (RouterError, KeyError):
        return None


def _named(external: int) -> dict[str, object]:
    return {"NewRemoteHost": "", "NewExternalPort": external, "NewProtocol": "TCP"}


def find_router(host: str) -> Router | None:
    """Return the first router on the networks of this own address that tells a global address, else the first."""
    first = None
    for page in _pages(host):
        for router in routers_at(page):
            if is_global_ipv4(router.wide):
                return router
            first = first or router
    return first


def _pages(host: str) -> Iterator[WebPage]:
    """Search for routers, and yield where their descriptions are: one of each device, and of the first few devices."""
    here = local_hosts()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as search, contextlib.suppress(OSError):
        search.bind((host, 0))
        for own in here if host == _ANY_HOST else [host]:
            with contextlib.suppress(OSError):  # An address of IPv6, or a network that is down.
                search.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(own))
                for kind in _KINDS:
                    search.sendto(_SEARCH % kind, _GROUP)
        until, asked = time.monotonic() + SEARCH_S, set[str]()
        while len(asked) < DEVICES_MAX:
            search.settimeout(max(0.0, until - time.monotonic()))
            answer, (source, _) = search.recvfrom(2048)
            if source not in asked and source not in here and (page := page_in(answer, source)):
                asked.add(source)
                yield page


def page_in(answer: bytes, source: str) -> WebPage | None:
    """Return the page with a device's description; None unless it is a router near here, and names itself."""
    found = _LOCATION.search(answer)
    if not found or not any(kind in answer for kind in _KINDS) or is_loopback(source) or not is_near(source):
        return None
    return _page_of(found[1].decode(), source)


def _page_of(url: str, host: str) -> WebPage | None:
    """Return the page of a URL; None unless it is at this host."""
    try:
        parts = urlsplit(url)
        port = parts.port or 80
    except ValueError:
        return None
    if parts.scheme != "http" or parts.hostname != host:
        return None
    return WebPage(host, port, "?".join(filter(None, (parts.path or "/", parts.query))))


def routers_at(page: WebPage) -> list[Router]:
    """Return the services in a device's description that open ports, those at the device itself."""
    import html  # its table of names, in this process alone

    try:
        status, text = _exchange(page, "GET")
    except RouterError:
        return []
    named = _BASE.search(text)
    base = named[1] if named else "http://{}:{}{}".format(*page)
    routers = list[Router]()
    for part in text.split("<service>")[1:] if status == _OK else []:
        service, control = _SERVICE.search(part), _CONTROL.search(part)
        if service and control:
            with contextlib.suppress(ValueError):
                if found := _page_of(urljoin(base, html.unescape(control[1])), page.host):
                    routers.append(Router(found, service[1]))
    return routers[:_SERVICES_MAX]


def _exchange(
    page: WebPage, method: str, body: str | None = None, headers: Mapping[str, str] | None = None
) -> tuple[int, str]:
    """Return status and text of a page; no redirection is followed. Raises RouterError, also if it is long or late."""
    import http.client  # 1 MB, in this process alone

    connection = http.client.HTTPConnection(page.host, page.port, timeout=REQUEST_S)
    try:
        with contextlib.closing(connection):
            connection.connect()
            limit = threading.Timer(REQUEST_S, connection.sock.shutdown, [socket.SHUT_RDWR])
            limit.daemon = True
            limit.start()
            try:
                connection.request(method, page.path, body, {"Connection": "close", **(headers or {})})
                response = connection.getresponse()
                content = response.read(PAGE_SIZE_MAX + 1)
            finally:
                limit.cancel()
    except (OSError, http.client.HTTPException, ValueError):
        raise RouterError from None
    if len(content) > PAGE_SIZE_MAX:
        raise RouterError
    return response.status, content.decode(errors="replace")


_WORDS: Final = {"open": open_port, "close": close_port}


def limit_process() -> None:
    """End this process after LIMIT_S, also if its caller is gone, and bound its memory."""
    if sys.platform == "linux":
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        most = MEMORY_MAX if hard == resource.RLIM_INFINITY else min(hard, MEMORY_MAX)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    limit = threading.Timer(LIMIT_S, os._exit, (1,))
    limit.daemon = True
    limit.start()


def main(arguments: Sequence[str]) -> None:
    """Do what the module says. The caller's arguments are right."""
    word, host, port, *externals = arguments
    router = find_router(host)
    if router is None:
        answer = PortAnswer("no_router")
    elif not router.own or host not in (_ANY_HOST, router.own):
        answer = PortAnswer("elsewhere")
    else:
        answer = _WORDS[word](router, int(port), list(map(int, externals)))
    sys.stdout.buffer.write(msgspec.json.encode(answer))


if __name__ == "__main__":
    limit_process()
    main(sys.argv[1:])
