"""What no honest seat signs: any ballot, head or remark that can be written, drawn by dice."""

import random
from collections.abc import Callable
from typing import Final

from seqp2p.crypto.hashing import BALLOT, HEAD, REMARK
from seqp2p.match.ballots import Sanction
from seqp2p.match.encoding import encode
from seqp2p.match.machine import Match
from seqp2p.match.remark import RemarkPayload
from seqp2p.match.signed import BallotPayload, HeadPayload, LastRecord

ROUNDS: Final = (1, 1, 1, 2, 2, 3, 5, 17, 40, 999)


def known_heads(match: Match) -> list[bytes]:
    """Heads that a seat may have reason to name, and one that none has."""
    live = [head for step in match.chain.live for head in step.decree.complete]
    votes = [step.decree.head_of("drop", frozenset({number})) for step in match.chain.live for number in (1, 2, 3)]
    return [bytes(32), *match.game.heads[-3:], *live[-6:], *votes[:6]]


def any_ballot(match: Match, seat: int, dice: random.Random) -> bytes:
    base = match.chain.base
    step, right = (match.number, match.head) if base is None else (base.number, base.prev)
    prev = dice.choice([right, right, right, *known_heads(match)])
    round_ = dice.choice(ROUNDS)
    last = dice.choice([None, LastRecord(dice.randrange(round_), dice.choice([right, *known_heads(match)]))])
    others = [number for number in (1, 2, 3) if number != seat]
    about = tuple(sorted(dice.sample(others, dice.choice([1, 1, 2]))))
    action: Sanction = dice.choice(("skip", "drop"))
    step = max(1, step + dice.choice([0, 0, 0, -1, 1]))
    return encode(BallotPayload(1, match.game.id, step, prev, seat, round_, action, about, "cheated", last))


def any_head(match: Match, seat: int, dice: random.Random) -> bytes:
    past, heads = match.game.heads, known_heads(match)
    step = max(1, match.number + dice.choice([-3, -2, -1, -1, 0, 1]))
    prev = dice.choice([past[min(step, len(past)) - 1], dice.choice(heads)])
    round_ = dice.choice([0, 0, 1, 2, 3, 1000])
    return encode(HeadPayload(1, match.game.id, step, prev, seat, round_, dice.choice([match.head, *heads])))


def any_remark(match: Match, seat: int, dice: random.Random) -> bytes:
    """Mostly the next of its seat, dated as its seat likes."""
    number, last = match.remarks.next_of(seat)
    step = dice.choice([match.number, dice.randint(1, match.number), match.final + 1])
    prev = dice.choice([match.head, *known_heads(match)])
    number = max(1, number + dice.choice([0, 0, 0, 1, -1]))
    return encode(RemarkPayload(1, match.game.id, seat, number, last, step, prev, False, "hm"))


FORGERIES: Final[dict[str, tuple[str, Callable[[Match, int, random.Random], bytes]]]] = {
    "ballot": (BALLOT, any_ballot),
    "head": (HEAD, any_head),
    "remark": (REMARK, any_remark),
}
"""For each kind its label, and how it is made."""
