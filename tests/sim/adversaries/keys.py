"""Strategies with game keys: steps ``seat`` and ``reveal``."""

from dataclasses import dataclass, field

from seqp2p.crypto.group import ORDER, POINT_SIZE, encode_point, hash_to_point, mul_base, sub, sum_points
from seqp2p.crypto.hashing import GENERATOR
from seqp2p.crypto.schnorr import key_commitment, prove_key
from seqp2p.match.contribution import Contribution, RevealBody, SeatBody, StepKind
from tests.sim.adversaries.byzantine import Byzantine, Forge, Strategy
from tests.sim.adversaries.described import (
    BYTES,
    ENDS,
    REPLAY,
    SETUP,
    WITHHOLDS,
    Adversary,
    always,
    at_setup,
    doing,
    instead,
)

_SECRET = 424242
_NONCE = bytes(range(32))
_ROGUE = "rogue or copied public key"


def another_key(crook: Byzantine, own: Contribution) -> Contribution:
    """Reveals another key than it committed to, and can prove it."""
    key = mul_base(_SECRET)
    return crook.with_body(own, key=encode_point(key), proof=prove_key(_SECRET, key, crook.at, crook.randomness))


def cancelling_key(crook: Byzantine, own: Contribution) -> Contribution:
    """Waits for all other keys, then reveals y·G − ΣX with a proof for y."""
    assert crook.match.chain.open is not None, "it owes something to this step"
    others = sum_points([checked.kept[0] for checked in crook.match.chain.open.held.values()])
    key = sub(mul_base(_SECRET), others)
    return crook.with_body(own, key=encode_point(key), proof=prove_key(_SECRET, key, crook.at, crook.randomness))


@dataclass
class Waits(Strategy):
    """Wait at the reveal for the contributions of all others; ``answer`` then returns its own, if any."""

    answer: Forge
    done: bool = False

    def instead(self, crook: Byzantine, own: Contribution) -> bool:
        if crook.match.kind != "reveal":
            return self.done
        if not self.done and set(crook.others) <= {seat for seat, _ in crook.match.held}:
            self.done = True
            if (answer := self.answer(crook, own)) is not None:
                crook.publish(answer)
        return True


@dataclass
class Commits(Strategy):
    """Commit to a key of its choice, and reveal it with a proof of its choice."""

    key: bytes
    proof: bytes = b""
    step: dict[StepKind, Contribution] = field(default_factory=dict[StepKind, Contribution])

    def instead(self, crook: Byzantine, _own: Contribution) -> bool:
        kind, match = crook.match.kind, crook.match
        if kind == "seat" and kind not in self.step:
            committed = key_commitment(match.game.id, crook.number, self.key, _NONCE)
            self.step[kind] = crook.made(kind, SeatBody(committed))
            match.receive(self.step[kind])
            crook.publish(self.step[kind])
        if match.kind == "reveal" and "reveal" not in self.step:
            proof = self.proof or prove_key(_SECRET, mul_base(_SECRET), crook.at, crook.randomness)
            own = self.step["reveal"] = crook.made("reveal", RevealBody(self.key, proof, _NONCE))
            crook.publish(own)
        return True


@dataclass
class Copies(Strategy):
    """Copy another seat's commitment, and then its reveal."""

    done: set[StepKind] = field(default_factory=set[StepKind])

    def instead(self, crook: Byzantine, _own: Contribution) -> bool:
        kind, victim = crook.match.kind, crook.others[0]
        held = dict(crook.match.held)
        if kind in ("seat", "reveal") and kind not in self.done and victim in held:
            self.done.add(kind)
            copy = crook.altered(held[victim], seat=crook.number)
            if kind == "seat":
                crook.match.receive(copy)
            crook.publish(copy)
        return True


def _bound(place: str, to: str, seat: int = 0, game: bytes = b"") -> Adversary:
    def forge(crook: Byzantine, own: Contribution) -> Contribution:
        secret, there = crook.seat.release(), crook.elsewhere(seat=seat, game=game)
        return crook.with_body(own, proof=prove_key(secret, mul_base(secret), there, crook.randomness))

    name, what = f"key proof of another {place}", f"its key proof is bound to {to}"
    return instead(name, REPLAY, "reveal", forge, "key proof", what=what)


_OWN = encode_point(mul_base(_SECRET))
_UNKNOWN = encode_point(hash_to_point(GENERATOR, 7))
_TOO_LARGE = b"\x02" + b"\xff" * 32
_Q = _OWN + ORDER.to_bytes(32, "big")
_COMMITTED = "not those it committed to"


def _commits(name: str, row: str, what: str, key: bytes, reason: str, proof: bytes = b"") -> Adversary:
    return Adversary(name, row, what, lambda: Commits(key, proof), SETUP, reason=reason)


KEYS = (
    instead("late key", _ROGUE, "reveal", another_key, _COMMITTED),
    Adversary("cancelling key", _ROGUE, doing(cancelling_key), lambda: Waits(cancelling_key), SETUP, reason=_COMMITTED),
    _commits(
        "unknown key", _ROGUE, "commits to a key of unknown secret, and proves another one", _UNKNOWN, "key proof"
    ),
    Adversary(
        "copied key",
        _ROGUE,
        "copies another seat's commitment, then its key, nonce and proof",
        Copies,
        SETUP,
        reason=_COMMITTED,
    ),
    Adversary(
        "shared key",
        _ROGUE,
        "two seats make one key together, and each proves it",
        lambda: Commits(_OWN),
        always(at_setup(), 3, 4),
        crooks=2,
        reason="another seat's too",
    ),
    _commits("key at infinity", BYTES, "commits to 33 zero bytes and reveals them", bytes(POINT_SIZE), "not a point"),
    _commits("key off the field", BYTES, "its key is a point whose x is not below p", _TOO_LARGE, "not a point"),
    _commits("scalar ≥ q", BYTES, "the scalar of its key proof is q", _OWN, "A scalar must be in", _Q),
    _bound("seat", "the next seat", seat=1),
    _bound("game", "another game", game=bytes(32)),
    Adversary(
        "silent after the keys",
        WITHHOLDS,
        "sees all other keys and nonces, and so the dealer, and never reveals its own",
        lambda: Waits(lambda _crook, _own: None),
        ENDS,
    ),
)
