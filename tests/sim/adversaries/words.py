"""Strategies with messages: bytes that are none, messages in another's name, too many of them, and table talk."""

from collections.abc import Mapping

from seqp2p.crypto.group import encode_scalar
from seqp2p.crypto.hashing import REMARK
from seqp2p.match.contribution import Contribution
from seqp2p.match.encoding import pack
from seqp2p.net import messages as wire
from seqp2p.net.errors import LinkLost
from seqp2p.net.frames import frame
from seqp2p.net.limits import DEFAULT_LIMITS
from tests.sim.adversaries.byzantine import PASS, Byzantine
from tests.sim.adversaries.described import (
    BYTES,
    FLOOD,
    FRAMES,
    HARMLESS,
    LEAVER,
    LINK,
    NO_EFFECT,
    SIGNED,
    Adversary,
    ExpectedEnding,
    always,
    once,
)

_REPLAYED = "replayed old messages"
_RELEASE = "x_i released before the end is final"


# Signatures.


def in_anothers_name(crook: Byzantine) -> None:
    """Contributes in another seat's name, with its own signature."""
    crook.publish(crook.altered(crook.made("turn"), seat=crook.others[0]))


def unsigned(crook: Byzantine) -> None:
    """Contributes with a signature of zeros."""
    crook.publish(Contribution(crook.made("turn").payload, bytes(64)))


def for_another_label(crook: Byzantine) -> None:
    """Passes a remark's signature off as a contribution's."""
    crook.publish(crook.signed(crook.made("turn").payload, REMARK))


def to_another_game(crook: Byzantine) -> None:
    """Contributes to another game."""
    crook.publish(crook.altered(crook.made("turn"), game=bytes(32)))


def no_such_seat(crook: Byzantine) -> None:
    """Contributes from a seat that the table does not have."""
    crook.publish(crook.altered(crook.made("turn"), seat=12))


# Old and early words, and many of them.


def all_again(crook: Byzantine) -> None:
    """Sends all contributions so far once more."""
    for step in crook.match.record:
        for _, contribution in step.contributions:
            crook.publish(contribution)


def another_past(crook: Byzantine) -> None:
    """Signs contributions to every step so far, on a past that never was."""
    for step in range(1, crook.match.number + 1):
        crook.publish(crook.made("turn", PASS, step, bytes(32)))


def far_steps(crook: Byzantine) -> None:
    """Signs contributions to two hundred steps far away."""
    for ahead in range(200):
        crook.publish(crook.made("turn", PASS, crook.match.number + 1_000 + ahead, bytes(32)))


def many_versions(crook: Byzantine) -> None:
    """Signs fifty contributions to one step far away, each on another past."""
    for past in range(50):
        crook.publish(crook.made("turn", PASS, 5_000, bytes([past]) * 32))


def hurries(crook: Byzantine) -> None:
    """Sends `hurry` at every step."""
    for step in range(1, crook.match.number + 50):
        crook.say(wire.Hurry(step))


def evidence_flood(crook: Byzantine) -> None:
    """Offers two hundred contributions to steps far away as evidence."""
    for ahead in range(200):
        crook.accuse(crook.made("turn", PASS, crook.match.number + 1_000 + ahead, bytes(32)))


def links_again(crook: Byzantine) -> None:
    """Ends all its links, for no reason."""
    for end in crook.mesh.ends:
        end.end(LinkLost("No reason."))


def early_secret(crook: Byzantine) -> None:
    """Releases its own game secret in the middle of the game."""
    crook.say(wire.OpeningMessage(crook.number, encode_scalar(crook.seat.release())))


def wrong_secret(crook: Byzantine) -> None:
    """Releases another secret than its own, in the middle of the game."""
    crook.say(wire.OpeningMessage(crook.number, encode_scalar(77)))


def wrong_secrets_of_all(crook: Byzantine) -> None:
    """Releases false secrets in every seat's name, zero and some that are too large."""
    for seat in range(1, 13):
        crook.say(wire.OpeningMessage(seat, (bytes(32), b"\xff" * 32, encode_scalar(seat))[seat % 3]))


def _says(
    name: str, row: str, what: str, *said: wire.WireMessage, endings: Mapping[int, ExpectedEnding] = HARMLESS
) -> Adversary:
    def deed(crook: Byzantine) -> None:
        for message in said:
            crook.say(message)

    return once(name, row, deed, endings, what=what)


def _throws(name: str, row: str, what: str, data: bytes, reason: str) -> Adversary:
    return once(name, row, lambda crook: crook.throw(frame(data)), LINK, reason, f"sends {what}")


_AHEAD = wire.Have(100_000, tuple(range(1, 13)))
_LINKS = wire.Links(tuple(range(1, 13)))
_BYE = wire.Bye("\x1b[2Jthe others cheat")
_TWO_BYTES = wire.encode_message(wire.Hurry(1))[4:-1] + b"\xcc\x01"
WORDS = (
    _throws("garbage", FRAMES, "bytes that are no message", b"\xc1", "not a message"),
    _throws("unknown message", FRAMES, "a message of an unknown type", pack({"type": "abracadabra"}), "not a message"),
    _throws(
        "message out of place", FRAMES, "a message of the lobby", pack({"type": "ready", "round": 1}), "out of place"
    ),
    _throws(
        "non-canonical message", BYTES, "a right message with an integer that is too long", _TWO_BYTES, "canonical"
    ),
    _throws(
        "one key more",
        BYTES,
        "a right message with one key more",
        pack({"type": "hurry", "step": 1, "more": 2}),
        "unknown field",
    ),
    _throws("nested bomb", FRAMES, "arrays nested 200 deep", b"\x91" * 200 + b"\xc0", "nested deeper"),
    _throws("many values", FRAMES, "an array of 30,000 empty arrays", b"\xdc\x75\x30" + b"\x90" * 30_000, "more than"),
    _throws(
        "claimed bomb",
        FRAMES,
        "a header that claims four thousand million elements",
        b"\xdd\xff\xff\xff\xff",
        "max_array_len",
    ),
    once(
        "oversized frame",
        FRAMES,
        lambda crook: crook.throw(frame(bytes(DEFAULT_LIMITS.frame_max + 1))),
        LINK,
        "a frame of 131073",
        "announces a frame one byte above the limit",
    ),
    _throws("empty frame", FRAMES, "a frame of no bytes", b"", "a frame of 0"),
    once("another's name", SIGNED, in_anothers_name, LINK, "does not verify"),
    once("no signature", SIGNED, unsigned, LINK, "does not verify"),
    once("signature of another label", SIGNED, for_another_label, LINK, "does not verify"),
    once("another game's contribution", _REPLAYED, to_another_game, LINK, "another game"),
    once("no such seat", SIGNED, no_such_seat, LINK, "no seat 12"),
    once("everything again", _REPLAYED, all_again, HARMLESS),
    once("another past", _REPLAYED, another_past, HARMLESS),
    once("far steps", FLOOD, far_steps, HARMLESS),
    once("many versions", FLOOD, many_versions, HARMLESS),
    _says("asking without end", FLOOD, "claims three hundred times to have nothing", *[wire.Have(1, ())] * 300),
    _says("asking from far ahead", FLOOD, "claims to be a hundred thousand steps ahead", _AHEAD),
    once("hurry", FLOOD, hurries, HARMLESS),
    once("evidence without end", FLOOD, evidence_flood, HARMLESS),
    _says("false links", FLOOD, "claims links with seats that do not exist, and with itself", _LINKS),
    _says("goodbye for nothing", LEAVER, "says goodbye, and stays", _BYE, endings=always(NO_EFFECT, 3, 4)),
    once("links broken", FLOOD, links_again, HARMLESS),
    once("secret too early", _RELEASE, early_secret, HARMLESS),
    once("wrong secret", _RELEASE, wrong_secret, LINK, "not the game secret"),
    once("wrong secrets of all", _RELEASE, wrong_secrets_of_all, LINK),
)
