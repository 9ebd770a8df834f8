"""The one rule for addresses that come from others."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqp2p.net.interfaces import may_dial

HOME = [ipaddress.ip_network("192.168.1.0/24"), ipaddress.ip_network("fd00:1::/64")]
ZERO_CONF = [*HOME, ipaddress.ip_network("169.254.0.0/16")]
V4, V6 = ipaddress.IPv4Address, ipaddress.IPv6Address
FORBIDDEN = [
    *("0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "192.168.1.0/32", "192.168.1.255/32"),
    *("224.0.0.0/4", "240.0.0.0/4"),
]
# Where a whole IPv4 address stands in an IPv6 address: the prefix, and the bits behind it.
EMBEDDED = [("::", 0), ("::ffff:0:0", 0), ("64:ff9b::", 0), ("64:ff9b:1::", 0), ("2002::", 80), ("2001::", 64)]
OTHERS = ["::/127", "ff00::/8", "fe80::/10", "fec0::/10", "100::/64", "2001::/32", "2002::/16"]


def inside(network: str) -> st.SearchStrategy[str]:
    known = ipaddress.ip_network(network)
    return st.integers(0, known.num_addresses - 1).map(lambda at: str(known[at]))


ports = st.integers(1024, 65535)


@given(st.sampled_from([*FORBIDDEN, *OTHERS]).flatmap(inside), ports)
def test_no_forbidden_address_is_dialled(host: str, port: int) -> None:
    assert not may_dial(host, port, HOME, loopback=False)


@given(st.sampled_from(FORBIDDEN).flatmap(inside), st.sampled_from(EMBEDDED), ports, st.booleans())
def test_nor_one_that_an_ipv6_address_embeds(host: str, form: tuple[str, int], port: int, loopback: bool) -> None:
    prefix, shift = form
    whole = V6(int(V6(prefix)) | int(V4(host)) << shift)
    # ::1 is no embedded address: it is loopback itself.
    assert not may_dial(str(whole), port, ZERO_CONF, loopback=loopback and whole != V6("::1"))
    assert not may_dial(whole.exploded, port, ZERO_CONF, loopback=loopback and whole != V6("::1"))


@given(st.ip_addresses(), st.integers(0, 1023), st.booleans())
def test_nor_a_port_of_the_system(ip: object, port: int, loopback: bool) -> None:
    assert not may_dial(str(ip), port, HOME, loopback=loopback)


@given(st.sampled_from(["127.0.0.0/8", "::1/128"]).flatmap(inside), ports)
def test_loopback_is_dialled_at_loopback_tables_alone(host: str, port: int) -> None:
    assert may_dial(host, port, HOME, loopback=True)
    assert not may_dial(host, port, HOME, loopback=False)


@given(st.integers(1, 65_534), ports)
def test_link_local_addresses_are_dialled_from_their_network_alone(at: int, port: int) -> None:
    host = str(V4("169.254.0.0") + at)
    assert may_dial(host, port, ZERO_CONF, loopback=False)
    assert not may_dial(host, port, HOME, loopback=True)


@pytest.mark.parametrize("host", ["192.168.1.5", "10.0.0.1", "8.8.8.8", "100.64.0.7", "fd00:1::5", "2003:a:b::c"])
def test_addresses_of_machines_are_dialled(host: str) -> None:
    assert may_dial(host, 4610, HOME, loopback=False)


@given(st.ip_addresses(v=4), ports)
def test_every_other_ipv4_address_is_dialled(ip: ipaddress.IPv4Address, port: int) -> None:
    forbidden = any(ip in ipaddress.ip_network(each) for each in FORBIDDEN)
    assert may_dial(str(ip), port, HOME, loopback=False) != forbidden
