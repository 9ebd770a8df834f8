"""Strategies with game keys: steps ``seat`` and ``reveal``."""

from dataclasses import dataclass, field

from seqp2p.crypto.group import ORDER, POINT_SIZE, encode_point, hash_to_point, mul_base, sub, sum_points
from seqp2p.crypto.hashing import GENERATOR
from seqp2p.crypto.key_proof import key_commitment, prove_key
from seqp2p.crypto.oracle import Context
from seqp2p.match.contribution import Contribution, RevealBody, SeatBody, StepKind
from seqp2p.testing.adversaries.byzantine import Byzantine, Instead, Strategy
from seqp2p.testing.adversaries.described import GAME_ENDS, Adversary, always, at_setup

_SECRET = 424242
_NONCE = bytes(range(32))
_ROGUE = "rogue or copied public key"
_BYTES = "identity, non-canonical point, scalar ≥ q, wrong length"
_REPLAY = "replayed proof or share from another game, step, seat, card"


def _all_others_in(crook: Byzantine) -> bool:
    return set(crook.others) <= {seat for seat, _ in crook.match.held}


def another_key(crook: Byzantine, own: Contribution) -> Contribution:
    """Return a key that it did not commit to, whose secret it knows."""
    key = mul_base(_SECRET)
    proof = prove_key(_SECRET, key, crook.at, crook.randomness)
    return crook.with_body(own, key=encode_point(key), proof=proof)


class Waits(Strategy):
    """Wait at a step for the contributions of all others; ``answer`` then returns its own."""

    kind: StepKind = "reveal"

    def __init__(self) -> None:
        self.done = False

    def instead(self, crook: Byzantine, own: Contribution) -> bool:
        """See Strategy."""
        if crook.match.kind != self.kind:
            return self.done
        if not self.done and _all_others_in(crook):
            self.done = True
            answer = self.answer(crook, own)
            if answer is not None:
                crook.publish(answer)
        return True

    def answer(self, _crook: Byzantine, _own: Contribution) -> Contribution | None:
        """Return nothing: a selective abort."""
        return None


class CancelsKeys(Waits):
    """Reveal y·G − ΣX_i after seeing all other keys, to know the joint secret."""

    def answer(self, crook: Byzantine, own: Contribution) -> Contribution:
        """See Waits."""
        assert crook.match.chain.open is not None, "it owes something to this step"
        others = sum_points([checked.kept[0] for checked in crook.match.chain.open.held.values()])
        key = sub(mul_base(_SECRET), others)
        proof = prove_key(_SECRET, key, crook.at, crook.randomness)
        return crook.with_body(own, key=encode_point(key), proof=proof)


@dataclass
class Commits(Strategy):
    """Commit to a key of its choice, and reveal it with a proof of its choice."""

    key: bytes
    secret: int = _SECRET
    at: Context | None = None
    proof: bytes | None = None
    step: dict[StepKind, Contribution] = field(default_factory=dict[StepKind, Contribution])

    def instead(self, crook: Byzantine, _own: Contribution) -> bool:
        """See Strategy."""
        kind, match = crook.match.kind, crook.match
        if kind == "seat" and kind not in self.step:
            committed = key_commitment(match.game.id, crook.number, self.key, _NONCE)
            self.step[kind] = crook.made(kind, SeatBody(committed))
            match.receive(self.step[kind])
            crook.publish(self.step[kind])
        if match.kind == "reveal" and "reveal" not in self.step:
            own = crook.made("reveal", RevealBody(self.key, self._proof(crook), _NONCE))
            self.step["reveal"] = own
            crook.publish(own)
        return True

    def _proof(self, crook: Byzantine) -> bytes:
        if self.proof is not None:
            return self.proof
        return prove_key(self.secret, mul_base(self.secret), self.at or crook.at, crook.randomness)


class Copies(Strategy):
    """Copy another seat's commitment, and then its reveal."""

    def __init__(self) -> None:
        self.done: set[StepKind] = set()

    def instead(self, crook: Byzantine, _own: Contribution) -> bool:
        """See Strategy."""
        kind, victim = crook.match.kind, crook.others[0]
        held = dict(crook.match.held)
        if kind in ("seat", "reveal") and kind not in self.done and victim in held:
            self.done.add(kind)
            copy = crook.altered(held[victim], seat=crook.number)
            if kind == "seat":
                crook.match.receive(copy)
            crook.publish(copy)
        return True


class ProvesElsewhere(Strategy):
    """Its key proof is made for another place."""

    def __init__(self, game: bytes | None = None, step: int = 0, seat: int = 0) -> None:
        self._game, self._step, self._seat = game, step, seat
        self._trick = Instead("reveal", self._forge)

    def instead(self, crook: Byzantine, own: Contribution) -> bool:
        """See Strategy."""
        return self._trick.instead(crook, own)

    def _forge(self, crook: Byzantine, own: Contribution) -> Contribution:
        here, secret = crook.at, crook.seat.release()
        seat = (here.seat + self._seat - 1) % crook.match.game.players + 1
        there = Context(self._game or here.game, here.step + self._step, seat, here.prev)
        return crook.with_body(own, proof=prove_key(secret, mul_base(secret), there, crook.randomness))


_OWN = encode_point(mul_base(_SECRET))
_UNKNOWN = encode_point(hash_to_point(GENERATOR, 7))
_TOO_LARGE = b"\x02" + b"\xff" * 32

KEYS = (
    Adversary(
        "late key",
        _ROGUE,
        "reveals another key than it committed to, and can prove it",
        lambda: Instead("reveal", another_key),
        always(at_setup()),
        reason="not those it committed to",
    ),
    Adversary(
        "cancelling key",
        _ROGUE,
        "waits for all other keys, then reveals y·G − ΣX with a proof for y",
        CancelsKeys,
        always(at_setup()),
        reason="not those it committed to",
    ),
    Adversary(
        "unknown key",
        _ROGUE,
        "commits to a key of unknown secret, and proves another one",
        lambda: Commits(_UNKNOWN),
        always(at_setup()),
        reason="key proof",
    ),
    Adversary(
        "copied key",
        _ROGUE,
        "copies another seat's commitment, then its key, nonce and proof",
        Copies,
        always(at_setup()),
        reason="not those it committed to",
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
    Adversary(
        "key at infinity",
        _BYTES,
        "commits to 33 zero bytes and reveals them",
        lambda: Commits(bytes(POINT_SIZE)),
        always(at_setup()),
        reason="no point",
    ),
    Adversary(
        "key off the field",
        _BYTES,
        "its key is a point whose x is not below p",
        lambda: Commits(_TOO_LARGE),
        always(at_setup()),
        reason="no point",
    ),
    Adversary(
        "scalar ≥ q",
        _BYTES,
        "the scalar of its key proof is q",
        lambda: Commits(_OWN, proof=_OWN + ORDER.to_bytes(32, "big")),
        always(at_setup()),
        reason="A scalar must be in",
    ),
    Adversary(
        "key proof of another seat",
        _REPLAY,
        "its key proof is bound to the next seat",
        lambda: ProvesElsewhere(seat=1),
        always(at_setup()),
        reason="key proof",
    ),
    Adversary(
        "key proof of another game",
        _REPLAY,
        "its key proof is bound to another game",
        lambda: ProvesElsewhere(game=bytes(32)),
        always(at_setup()),
        reason="key proof",
    ),
    Adversary(
        "silent after the keys",
        "withholding a share, selective abort after the reveal",
        "sees all other keys and nonces, and so the dealer, and never reveals its own",
        Waits,
        always(GAME_ENDS),
    ),
)
