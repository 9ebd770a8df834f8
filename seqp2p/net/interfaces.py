"""The networks of this machine."""

import ipaddress
from collections.abc import Iterator, Sequence
from typing import TypeAlias

import ifaddr

Interfaces: TypeAlias = Sequence[str] | None
"""The local IP addresses to speak and listen at; None for all there are. 127.0.0.1 is for tests."""


def local_hosts(interfaces: Interfaces = None) -> list[str]:
    """Return the IP addresses of this machine that others can use; those of ``interfaces`` if given."""
    if interfaces is not None:
        return list(interfaces)
    return [host for host, _ in _networks() if is_usable(host)]


def is_near(host: str) -> bool:
    """Return True if an IP address is in a network of this machine."""
    networks = (ipaddress.ip_network(f"{own}/{prefix}", strict=False) for own, prefix in _networks())
    return any(ipaddress.ip_address(host) in network for network in networks)


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
