"""Section 14.5: what is signed in a lobby."""

import ipaddress
import re
from typing import Any

from protocol.second.basics import Encoding, check_signature, is_bytes, is_int, is_text, raising, require, unpack_map


def _check(key: bytes, label: str, signed: dict[str, Any]) -> None:
    require(is_bytes(signed["signature"], 64))
    with raising(Encoding("not signed")):
        check_signature(key, label, signed["payload"], signed["signature"])


def read_line(signed: dict[str, Any], lobby: bytes, said: dict[bytes, int]) -> dict[str, Any]:
    """A line of one of these keys, whose last numbers are known."""
    line = unpack_map(signed["payload"], "v", "lobby", "key", "number", "text", size_max=1024)
    require(line["v"] == 1 and is_int(line["number"], 1, 2**31 - 1) and isinstance(line["text"], str))
    require(line["lobby"] == lobby and line["key"] in said and line["number"] > said[line["key"]])
    require(is_text(line["text"], 200))
    _check(line["key"], "seqp2p/1 lobby line", signed)
    return line


def read_addresses(signed: dict[str, Any], key: bytes, nonce: bytes) -> tuple[list[str], list[str]]:
    """The addresses and the relays of a seat's first statement."""
    said = unpack_map(signed["payload"], "v", "key", "nonce", "number", "entries", size_max=2048)
    require(said["v"] == 1 and is_int(said["number"], 1, 1000) and isinstance(said["entries"], list))
    require(len(said["entries"]) <= 8)
    found, relays = [], []
    for entry in said["entries"]:
        require(isinstance(entry, dict) and list(entry) == ["kind", "address"] and is_int(entry["kind"], 1, 255))
        require(isinstance(entry["address"], str) and len(entry["address"]) <= 128)
        if entry["kind"] == 1:
            host, _, port = entry["address"].rpartition(":")
            require(_is_ip(host) and _is_port(port), "no IP address and port")
            found.append(entry["address"])
        if entry["kind"] == 2:
            require(is_relay(entry["address"]), "no relay and key")
            relays.append(entry["address"])
    require(len(relays) <= 1, "two relays")
    require((said["key"], said["nonce"], said["number"]) == (key, nonce, 1), "another seat's, or a later one")
    _check(key, "seqp2p/1 addresses", signed)
    return found, relays


def is_relay(text: str) -> bool:
    """14.13: HOST:PORT and a key in its one form."""
    where, _, key = text.partition(" ")
    host, _, port = where.rpartition(":")
    if len(where) > 84 or not _is_port(port):
        return False
    labels = host.split(".")
    is_name = all(re.fullmatch("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", label) for label in labels)
    if not (is_name and re.search("[a-z]", labels[-1])) and not _is_ip(host):
        return False
    # The last of 43 characters has four bits of the key.
    return re.fullmatch("[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]", key) is not None


def _is_port(text: str) -> bool:
    return re.fullmatch("[1-9][0-9]{0,4}", text) is not None and int(text) <= 65535


def _is_ip(host: str) -> bool:
    """14.5: in its shortest form, without a zone, and no IPv4 address written as IPv6."""
    if not host.startswith("["):
        try:
            return str(ipaddress.IPv4Address(host)) == host
        except ValueError:
            return False
    try:
        ip = ipaddress.IPv6Address(host[1:-1])
    except ValueError:
        return False
    return f"[{ip}]" == host and ip.scope_id is None and ip.ipv4_mapped is None
