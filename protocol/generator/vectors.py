"""The shape of every vector, and its building blocks."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import msgpack
import msgspec

from seqp2p.crypto.group import Point, encode_point, encode_scalar
from seqp2p.crypto.oracle import Context

Vector: TypeAlias = dict[str, Any]
Plain: TypeAlias = Mapping[str, Any]
packb: Any = msgpack.packb
unpackb: Any = msgpack.unpackb

CONTEXT = Context(game=bytes(range(32)), step=7, seat=2, prev=bytes(range(32, 64)))
OTHER_CONTEXTS = {
    "game": Context(bytes(32), 7, 2, CONTEXT.prev),
    "step": Context(CONTEXT.game, 8, 2, CONTEXT.prev),
    "seat": Context(CONTEXT.game, 7, 3, CONTEXT.prev),
    "prev": Context(CONTEXT.game, 7, 2, bytes(32)),
}


def good(primitive: str, name: str, given: Plain, out: Plain | None = None, secret: Plain | None = None) -> Vector:
    """Return a vector: ``given`` gives ``out``; ``secret`` is the knowledge of the prover or signer."""
    vector: Vector = {
        "primitive": primitive,
        "name": name,
        "expect": "ok",
        "in": hexed(given),
        "out": hexed(out or {}),
    }
    return vector | ({"secret": hexed(secret)} if secret else {})


def bad(primitive: str, name: str, failure: str, given: Plain) -> Vector:
    """Return a vector with one fault in ``given``; ``failure`` is its class."""
    return {"primitive": primitive, "name": name, "expect": failure, "in": hexed(given)}


def spoilt(like: Vector, what: str, failure: str, **changed: object) -> Vector:
    """Return a good vector with one change: only the change is written down."""
    return bad(like["primitive"], f"{like['name']}: {what}", failure, changed) | {"like": like["name"]}


def file_of(about: str, vectors: Sequence[Vector]) -> Vector:
    """Return a whole file of vectors."""
    return {"about": about, "vectors": list(vectors)}


def as_plain(record: Any) -> Any:
    """Return a record of the program as plain data, with its bytes."""
    return msgspec.to_builtins(record, builtin_types=(bytes,))


def scalar(value: int) -> str:
    """Return a scalar as 64 hexadecimal digits."""
    return encode_scalar(value).hex()


def flip(data: bytes, place: int, bit: int = 0) -> bytes:
    """Return the bytes with one bit changed."""
    changed = bytearray(data)
    changed[place] ^= 1 << bit
    return bytes(changed)


def with_part(data: bytes, start: int, part: bytes) -> bytes:
    """Return the bytes with others in their place from ``start`` on."""
    return data[:start] + part + data[start + len(part) :]


def hexed(value: Any) -> Any:
    """Return bytes and points as lower-case hexadecimal digits, contexts as maps, tuples as lists."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Point):
        return encode_point(value).hex()
    if isinstance(value, Context):
        return {"game": value.game.hex(), "step": value.step, "seat": value.seat, "prev": value.prev.hex()}
    if isinstance(value, Mapping):
        return {key: hexed(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [hexed(part) for part in value]
    return value
