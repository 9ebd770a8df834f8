"""The records of a replay as plain data for JSON. No I/O.

docs/scripting.md, "Replays as JSON", has the meaning of the fields. Keys, hashes, nonces and secrets are hexadecimal;
ciphertexts, shares, proofs and signatures, which only a verifier reads, are ``{"bytes": N}``, and with ``raw`` also
have their digits as ``hex``.
"""

import contextlib
from collections.abc import Sequence
from typing import Any, Final, cast

import msgspec

from seqp2p.match.contribution import REMARK_SIZE_MAX, CallBody, Contribution, open_body, open_envelope
from seqp2p.match.encoding import DecodeError, Record, decode
from seqp2p.match.remark import RemarkPayload
from seqp2p.match.signed import BALLOT_SIZE_MAX, BallotPayload, LeavePayload
from seqp2p.replay import format as form

_LONG: Final = frozenset({"deck", "proof", "shares", "signature"})
# The fields that all payloads of a game have in common.
_SAID_ONCE: Final = frozenset({"v", "game"})


def decoded(data: bytes, *, raw: bool = False) -> list[dict[str, Any]]:
    """Return the records after the header of a file, as far as it is right; they are not checked here."""
    found = list[form.AnyRecord]()
    with contextlib.suppress(form.Torn):  # The report has it.
        found.extend(placed.record for placed in form.records(data))
    return [_record(record, raw=raw) for record in found if not isinstance(record, form.TableRecord)]


def _record(record: form.AnyRecord, *, raw: bool) -> dict[str, Any]:
    match record:
        case form.StepRecord() | form.OpenRecord():
            signed = [_signed(each, raw=raw) for each in form.contributions_of(record)]
            fields = _with_common(signed, ("step", "kind", "prev"), "contributions")
        case form.EvidenceRecord():
            fields = {"contributions": [_signed(each, raw=raw) for each in form.contributions_of(record)]}
        case form.CertificateRecord():
            ballots = [_word(BallotPayload, each, BALLOT_SIZE_MAX, raw=raw) for each in form.contributions_of(record)]
            fields = _with_common(ballots, ("step", "action", "about", "prev"), "ballots")
        case form.RemarkRecord(payload, signature):
            fields = _word(RemarkPayload, Contribution(payload, signature), REMARK_SIZE_MAX, raw=raw)
        case form.LeaveRecord(payload, signature):
            fields = _word(LeavePayload, Contribution(payload, signature), BALLOT_SIZE_MAX, raw=raw)
        case _:
            fields = _fields(record, raw=raw)
    return {"record": str(record.__struct_config__.tag)} | fields


def _with_common(parts: list[dict[str, Any]], common: Sequence[str], name: str) -> dict[str, Any]:
    """Return the common fields of the parts of a right record."""
    rest = [{key: value for key, value in part.items() if key not in common} for part in parts]
    return {key: parts[0][key] for key in common} | {name: rest}


def _signed(signed: Contribution, *, raw: bool) -> dict[str, Any]:
    """Return a contribution. A piece of evidence may also be a ballot, or bytes in no known form."""
    signature = {"signature": _long(signed.signature, raw=raw)}
    with contextlib.suppress(DecodeError):
        envelope = open_envelope(signed.payload)
        body = open_body(envelope)
        fields = _fields(body, raw=raw)
        if isinstance(body, CallBody):
            remark = Contribution(body.remark, body.signature)
            fields = {"action": body.action, "remark": _word(RemarkPayload, remark, REMARK_SIZE_MAX, raw=raw)}
        return _fields(envelope, raw=raw) | {"body": fields} | signature
    with contextlib.suppress(DecodeError):
        return _word(BallotPayload, signed, BALLOT_SIZE_MAX, raw=raw)
    return {"payload": _long(signed.payload, raw=raw)} | signature


def _word(kind: type[Record], signed: Contribution, size_max: int, *, raw: bool) -> dict[str, Any]:
    word = decode(kind, signed.payload, size_max)
    return _fields(word, raw=raw) | {"signature": _long(signed.signature, raw=raw)}


def _fields(record: Record, *, raw: bool) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(record, builtin_types=(bytes,))
    return {name: _plain(name, value, raw=raw) for name, value in plain.items() if name not in {*_SAID_ONCE, "t"}}


def _plain(name: str, value: Any, *, raw: bool) -> Any:
    if isinstance(value, bytes):
        return _long(value, raw=raw) if name in _LONG else value.hex()
    if isinstance(value, dict):
        inside = cast("dict[str, Any]", value)
        return {inner: _plain(inner, each, raw=raw) for inner, each in inside.items()}
    return value


def _long(value: bytes, *, raw: bool) -> dict[str, Any]:
    return {"bytes": len(value), "hex": value.hex()} if raw else {"bytes": len(value)}
