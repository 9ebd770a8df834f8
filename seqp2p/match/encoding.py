"""The canonical encoding of all signed, sent or stored data: msgpack of a typed record.

A record is a frozen ``msgspec.Struct``; its wire form is a msgpack map with the fields as keys, in the order of
their declaration, every integer, string, byte string and array in its shortest form. Decoding is strict: limits
first, then types and lengths, then the bytes must equal those of encoding the value again. So every value has one form:
no trailing bytes, no unknown, missing, duplicate or reordered keys, no longer integers.
"""

from typing import Any, TypeAlias, TypeVar

import msgpack
import msgspec

from seqp2p.i18n import message

T = TypeVar("T")
Plain: TypeAlias = dict[Any, Any] | list[Any] | str | bytes | float | None

# Records within arrays within records: the records here are nested at most 4 deep. Far deeper values reach the limits
# of libraries, which differ: with a fixed limit every program refuses the same bytes.
NESTING_MAX = 8
TEXT_LENGTH_MAX = 200

_msgpack: Any = msgpack  # it ships no types


class DecodeError(ValueError):
    """The bytes are not the canonical form of the expected record. The text has the fault."""


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of every record on the wire or on disk: frozen, without unknown keys."""


def encode(record: Record) -> bytes:
    return pack(msgspec.to_builtins(record, builtin_types=(bytes,)))


def pack(value: Any) -> bytes:
    """Return plain data as msgpack, every part in its shortest form."""
    return bytes(_msgpack.packb(value, use_bin_type=True))


def unpack(data: bytes, size_max: int) -> Any:
    """Return one msgpack value of at most ``size_max`` bytes, with nothing after it. Raises DecodeError.

    No allocation is larger than the input: msgpack's own limits are all set to ``size_max``. The typed step after this
    one refuses NaN and keys that are no texts.
    """
    if len(data) > size_max:
        raise DecodeError(message("{size} bytes where at most {most} are allowed", size=len(data), most=size_max))
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
        raise DecodeError(_shown(str(error))) from None


def _shown(text: str) -> str:
    """Return a library's text about hostile bytes, which it quotes: printable characters only, and not too many."""
    clean = (character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)
    return "".join(clean)[:TEXT_LENGTH_MAX]


def decode(kind: type[T], data: bytes, size_max: int) -> T:
    """Return the record of these canonical bytes. Raises DecodeError."""
    record = structure(kind, unpack(data, size_max))
    require_canonical(record, data)
    return record


def require_canonical(record: Any, data: bytes) -> None:
    """Raise DecodeError unless encoding the record gives exactly these bytes."""
    if encode(record) != data:
        raise DecodeError(message("not the canonical encoding"))
