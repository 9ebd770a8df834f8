"""The networks of this machine."""

import ipaddress
from collections.abc import Collection, Iterator, Sequence
from typing import Final, TypeAlias

import ifaddr

Interfaces: TypeAlias = Sequence[str] | None
"""The local IP addresses to speak and listen at; None for all there are. 127.0.0.1 is for tests."""
IPNetwork: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network
# Global unicast without 6to4 (2002::/16) and Teredo (2001::/32), and unique local addresses. All other forms that embed
# an IPv4 address (mapped, compatible, NAT64) are outside, with multicast, unspecified and site-local addresses.
_GLOBAL_IPV6: Final = ipaddress.IPv6Network("2000::/3")
_IPV6: Final = (_GLOBAL_IPV6, ipaddress.IPv6Network("fc00::/7"))
_IPV6_EMBEDDING: Final = tuple(map(ipaddress.IPv6Network, ("2001::/32", "2002::/16")))
_LOOPBACK: Final[tuple[IPNetwork, ...]] = (ipaddress.IPv4Network("127.0.0.0/8"), ipaddress.IPv6Network("::1/128"))
_THIS_NETWORK: Final = ipaddress.IPv4Network("0.0.0.0/8")
_PORT_MIN: Final = 1024


def local_hosts(interfaces: Interfaces = None) -> list[str]:
    """Return the IP addresses of this machine that others can use; those of ``interfaces`` if given."""
    if interfaces is not None:
        return list(interfaces)
    return [host for host, _ in _networks() if is_usable(host)]


def is_near(host: str) -> bool:
    return any(ipaddress.ip_address(host) in network for network in local_networks())


def local_networks() -> list[IPNetwork]:
    return [ipaddress.ip_network(f"{own}/{prefix}", strict=False) for own, prefix in _networks()]


def is_loopback(host: str) -> bool:
    """Return True for an IP address of this machine alone; not for a form that embeds one."""
    return any(ipaddress.ip_address(host) in network for network in _LOOPBACK)


def may_dial(host: str, port: int, networks: Collection[IPNetwork], *, loopback: bool) -> bool:
    """Return True if an IP address and port that come from others may be dialled: the one rule for all of them.

    ``networks`` are those of this machine; ``loopback``: the table is on loopback. Any peer can name any address, so
    none may lead to this machine itself, to many machines at once, or to a service below port 1024.
    """
    ip = ipaddress.ip_address(host)
    if port < _PORT_MIN:
        return False
    if is_loopback(host):
        return loopback
    if isinstance(ip, ipaddress.IPv6Address):
        return any(ip in each for each in _IPV6) and not any(ip in each for each in _IPV6_EMBEDDING)
    near = [network for network in networks if ip in network]
    ends = {end for each in near if each.num_addresses > 2 for end in (each.network_address, each.broadcast_address)}
    return not (
        ip in ends or ip in _THIS_NETWORK or ip.is_multicast or ip.is_reserved or (ip.is_link_local and not near)
    )


def is_global_ipv6(host: str) -> bool:
    """Return True for an IPv6 address of the internet, of no form that embeds an IPv4 address."""
    ip = ipaddress.ip_address(host)
    return ip in _GLOBAL_IPV6 and ip.is_global and not any(ip in each for each in _IPV6_EMBEDDING)


def _networks() -> Iterator[tuple[str, int]]:
    for adapter in ifaddr.get_adapters():
        for ip in adapter.ips:
            # IPv6 comes as (address, flow, scope).
            yield (ip.ip if isinstance(ip.ip, str) else ip.ip[0]), ip.network_prefix


def is_usable(host: str) -> bool:
    """Return True if others on the LAN can connect to this IP address as written."""
    ip = ipaddress.ip_address(host)
    scoped = ip.version == 6 and ip.is_link_local
    return not (ip.is_unspecified or ip.is_loopback or ip.is_multicast or scoped or host == "255.255.255.255")
