"""The canonical encoding of all signed, sent or stored data: msgpack of a typed record.

A record is a frozen ``msgspec.Struct``; its wire form is a msgpack map with the fields as keys, in the order of
their declaration, every integer, string, byte string and array in its shortest form. Decoding is strict: limits
first, then types and lengths, then the bytes must equal those of encoding the value again. So every value has one form:
no trailing bytes, no unknown, missing, duplicate or reordered keys, no longer integers.
"""

from typing import Any, Final, TypeAlias, TypeVar

import msgpack
import msgspec

from seqp2p.i18n import message

T = TypeVar("T")
Plain: TypeAlias = dict[Any, Any] | list[Any] | str | bytes | float | None

# Records within arrays within records: the records here are nested at most 4 deep. Far deeper values reach the limits
# of libraries, which differ: with a fixed limit every program refuses the same bytes.
NESTING_MAX = 8
# The values in one record: maps, arrays, keys and all in them. The largest, the secrets of a seat of twelve, has 125.
# A frame of empty arrays would take 140 ms to read, so values are counted before any is built.
VALUES_MAX = 256
TEXT_LENGTH_MAX = 200

_msgpack: Any = msgpack  # it ships no types

# By the first byte of a value: the bytes that follow it, and the size of a length that says how many more do. What an
# array or a map holds counts by itself. There are no extension types.
_HEADERS: Final = tuple(
    {
        **{byte: (byte & 31, 0) for byte in range(0xA0, 0xC0)},  # short texts
        **{first + power: (0, 1 << power) for first in (0xC4, 0xD9) for power in range(3)},  # byte strings and texts
        **{first + power: (1 << power, 0) for first in (0xCC, 0xD0) for power in range(4)},  # integers
        0xCA: (4, 0),
        0xCB: (8, 0),
        0xDC: (2, 0),
        0xDD: (4, 0),
        0xDE: (2, 0),
        0xDF: (4, 0),  # floats, arrays, maps
    }.get(byte, (0, 0))
    for byte in range(256)
)


class DecodeError(ValueError):
    """The bytes are not the canonical form of the expected record. The text has the fault."""


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of every record on the wire or on disk: frozen, without unknown keys."""


def encode(record: Record) -> bytes:
    return pack(msgspec.to_builtins(record, builtin_types=(bytes,)))


def pack(value: Any) -> bytes:
    """Return plain data as msgpack, every part in its shortest form."""
    return bytes(_msgpack.packb(value, use_bin_type=True))


def unpack(data: bytes, size_max: int, values_max: int = VALUES_MAX) -> Any:
    """Return one msgpack value of at most ``size_max`` bytes, with nothing after it. Raises DecodeError.

    No allocation is larger than the input: msgpack's own limits are all set to ``size_max``. The typed step after this
    one refuses NaN and keys that are no texts.
    """
    if len(data) > size_max:
        raise DecodeError(message("{size} bytes where at most {most} are allowed", size=len(data), most=size_max))
    if len(data) > values_max:
        _check_number(data, values_max)
    try:
        value = _msgpack.unpackb(
            data,
            raw=False,
            strict_map_key=True,
            max_str_len=size_max,
            max_bin_len=size_max,
            max_array_len=size_max,
            max_map_len=size_max,
            max_ext_len=0,
        )
    # msgpack's documented failures: ValueError (all its own are of it, UnicodeDecodeError too), and StackError's kin.
    except (ValueError, TypeError, msgpack.UnpackException, RecursionError) as error:
        raise DecodeError(message("not a msgpack value: {reason}", reason=str(error) or type(error).__name__)) from None
    _check_nesting(value, NESTING_MAX)
    return value


def _check_number(data: bytes, values_max: int) -> None:
    """Raise DecodeError if there are more headers of values than this; build nothing. ``unpack`` finds other faults."""
    at = count = 0
    while at < len(data):
        count += 1
        if count > values_max:
            raise DecodeError(message("more than {most} values", most=values_max))
        follows, length_size = _HEADERS[data[at]]
        at += 1 + follows
        if length_size:
            at += length_size + int.from_bytes(data[at : at + length_size], "big")


def _check_nesting(value: Plain, levels: int) -> None:
    """Raise DecodeError if maps and arrays are nested deeper than so many levels."""
    if isinstance(value, dict):
        parts = list(value.values())
    elif isinstance(value, list):
        parts = value
    else:
        return
    if not levels:
        raise DecodeError(message("nested deeper than {most} levels", most=NESTING_MAX))
    for part in parts:
        _check_nesting(part, levels - 1)


def structure(kind: type[T], value: Any) -> T:
    """Return a plain msgpack value as a record of this type. Raises DecodeError with the path of the fault."""
    try:
        return msgspec.convert(value, kind, builtin_types=(bytes,))
    except msgspec.ValidationError as error:
        # The library quotes hostile bytes: printable characters only, and not too many.
        shown = (character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in str(error))
        raise DecodeError("".join(shown)[:TEXT_LENGTH_MAX]) from None


def decode(kind: type[T], data: bytes, size_max: int) -> T:
    """Return the record of these canonical bytes. Raises DecodeError."""
    record = structure(kind, unpack(data, size_max))
    require_canonical(record, data)
    return record


def require_canonical(record: Any, data: bytes) -> None:
    """Raise DecodeError unless encoding the record gives exactly these bytes."""
    if encode(record) != data:
        raise DecodeError(message("not the canonical encoding"))
