"""Section 8.5: the secrets of one seat and its proofs; the bodies of its contributions (section 10)."""

import random
import secrets
from collections.abc import Sequence
from typing import Any

from protocol.second.basics import G, H, Point, Q, hash_point, total, u32, write_point
from protocol.second.game import Machine
from protocol.second.proofs import Oracle, shuffle_challenges, write_deck
from protocol.second.rules import Illegal, read_action

Body = dict[str, Any]


def scalar() -> int:
    return 1 + secrets.randbelow(Q - 1)


def scalars(count: int) -> list[int]:
    return [scalar() for _ in range(count)]


def dot(left: Sequence[int], right: Sequence[int]) -> int:
    return sum(a * b for a, b in zip(left, right, strict=True))


def write_scalar(value: int) -> bytes:
    return (value % Q).to_bytes(32, "big")


class Prover:
    """The secrets of one seat. ``body`` makes its contribution to the open step of a machine."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.x = scalar()
        self.X = write_point(total((self.x, G)))
        self.nonce = secrets.token_bytes(32)

    def body(self, machine: Machine) -> Body:
        kind = machine.kind
        if kind == "seat":
            commitment = H("seqp2p/1 key commitment", machine.game, u32(self.seat), self.X, self.nonce)
            return {"commitment": commitment}
        if kind == "reveal":
            return {"key": self.X, "proof": self._key_proof(machine), "nonce": self.nonce}
        if kind == "shuffle":
            return self._shuffle(machine)
        if kind == "deal":
            owners = enumerate(machine.owners, machine.drawn)
            return self._shares(machine, [position for position, owner in owners if owner != self.seat])
        if kind == "draw":
            return self._shares(machine, [machine.drawn])
        if kind == "turn":
            return self._turn(machine)
        assert kind == "over", f"these games have no step {kind}"
        return {"position": machine.dealt.hash()}

    def _key_proof(self, machine: Machine) -> bytes:
        w = scalar()
        T = write_point(total((w, G)))
        oracle = Oracle("seqp2p/1 key proof", machine.context(self.seat))
        oracle.absorb(self.X)
        return T + write_scalar(w + oracle.challenge(T) * self.x)

    def _shares(self, machine: Machine, positions: Sequence[int]) -> Body:
        bases = [machine.cards[position][0] for position in positions]
        shares = [write_point(total((self.x, a))) for a in bases]
        oracle = Oracle("seqp2p/1 share proof", machine.context(self.seat))
        oracle.absorb(self.X, u32(len(positions)))
        for position, a, share in zip(positions, bases, shares, strict=True):
            oracle.absorb(u32(position), write_point(a), share)
        rho = oracle.weights(len(positions)) if len(positions) > 1 else [1]
        w = scalar()
        T_1 = write_point(total((w, G)))
        T_2 = write_point(total(*((w * r, a) for r, a in zip(rho, bases, strict=True))))
        s = w + oracle.challenge(T_1, T_2) * self.x
        return {"shares": b"".join(shares), "proof": T_1 + T_2 + write_scalar(s)}

    def _shuffle(self, machine: Machine) -> Body:
        before, joint = machine.mixing, machine.joint
        n = len(before)
        psi = list(range(n))
        random.SystemRandom().shuffle(psi)
        fresh = scalars(n)  # r'
        after = [(total((1, before[k][0]), (fresh[k], G)), total((1, before[k][1]), (fresh[k], joint))) for k in psi]
        deck, shuffled = write_deck(before), write_deck(after)
        generators = [hash_point("seqp2p/1 generator", i) for i in range(n + 1)]
        r, r_hat, omega, omega_hat, omega_prime = (scalars(count) for count in (n, n, 4, n, n))
        C: list[Point] = [None] * n
        for place, k in enumerate(psi):
            C[k] = total((r[k], G), (1, generators[place + 1]))
        c_bytes = b"".join(map(write_point, C))
        oracle = Oracle("seqp2p/1 shuffle proof", machine.context(self.seat))
        oracle.absorb(u32(n), write_point(joint), deck, shuffled)
        oracle.absorb(c_bytes)
        u = oracle.weights(n)
        u_prime = [u[k] for k in psi]
        chain, t_hat = [generators[0]], []
        for i in range(n):
            t_hat.append(total((omega_hat[i], G), (omega_prime[i], chain[-1])))
            chain.append(total((r_hat[i], G), (u_prime[i], chain[-1])))
        t = [
            total((omega[0], G)),
            total((omega[1], G)),
            total((omega[2], G), *zip(omega_prime, generators[1:], strict=True)),
            total((-omega[3], G), *zip(omega_prime, (a for a, _ in after), strict=True)),
            total((-omega[3], joint), *zip(omega_prime, (b for _, b in after), strict=True)),
        ]
        points = c_bytes + b"".join(map(write_point, [*chain[1:], *t, *t_hat]))
        # The scalars are no part of the challenge.
        _, c = shuffle_challenges(machine.context(self.seat), write_point(joint), deck, shuffled, points)
        v = [1] * n
        for i in range(n - 1, 0, -1):
            v[i - 1] = u_prime[i] * v[i] % Q
        s = [
            omega[0] + c * sum(r),
            omega[1] + c * dot(r_hat, v),
            omega[2] + c * dot(r, u),
            omega[3] + c * dot(fresh, u),
            *(w + c * each for w, each in zip(omega_hat, r_hat, strict=True)),
            *(w + c * each for w, each in zip(omega_prime, u_prime, strict=True)),
        ]
        return {"deck": shuffled, "proof": points + b"".join(map(write_scalar, s))}

    # The turn: any legal action, a place before all others.

    def hand(self, machine: Machine) -> dict[int, str]:
        """The faces of the seat's own cards, by deck position."""
        faces = {}
        for position in machine.hands[self.seat]:
            opened = total((1, machine.partial[position]), (-self.x, machine.cards[position][0]))
            faces[position] = machine.board.faces[machine.data["deck"][machine.physical[opened]]]
        return faces

    def _turn(self, machine: Machine) -> Body:
        hand = self.hand(machine)
        text = self._choice(machine, hand)
        face = text.split(" ")[0]
        shown = sorted(hand) if text == "pass" else [next(at for at in sorted(hand) if hand[at] == face)]
        if not shown:
            return {"action": text, "cards": [], "shares": b"", "proof": b""}
        return {"action": text, "cards": shown, **self._shares(machine, shown)}

    def _choice(self, machine: Machine, hand: dict[int, str]) -> str:
        position = machine.dealt
        known = position.hands[self.seat - 1]
        position.hands[self.seat - 1] = list(hand.values())
        squares = [machine.board.write(square) for square in range(len(machine.board.grid))]
        secrets.SystemRandom().shuffle(squares)
        try:
            for form in ("{card} {square}", "{card} x{square}", "{card} dead", "pass"):
                for card in hand.values():
                    for square in squares:
                        text = form.format(card=card, square=square)
                        try:
                            position.after(read_action(machine.board, text))
                        except Illegal:
                            continue
                        return text
        finally:
            position.hands[self.seat - 1] = known
        raise AssertionError("a seat can always do something")
