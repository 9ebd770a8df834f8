"""Sections 6, 7 and 10: the chain and the steps."""

import copy
from collections import deque
from collections.abc import Container
from dataclasses import dataclass, field
from typing import Any

from protocol.second.agreement import OPTIONS, deal_owners, draw_dealer, read_agreement
from protocol.second.basics import (
    Encoding,
    G,
    H,
    Point,
    Refused,
    check_signature,
    hash_point,
    is_bytes,
    is_int,
    is_text,
    raising,
    read_point,
    read_points,
    read_scalar,
    require,
    total,
    u32,
    unpack,
    unpack_map,
    write_point,
)
from protocol.second.proofs import Deck, check_key, check_shares, check_shuffle, read_deck, write_deck
from protocol.second.rules import BOARDS, Action, Illegal, Position, read_action


class Failure(Exception):
    """What section 6.1 calls a class of failure; for a Violation with its seat, step and evidence.

    ``failure`` is what section 13 calls it.
    """

    def __init__(
        self, name: str, seat: int = 0, step: int = 0, evidence: tuple[Any, ...] = (), failure: str = ""
    ) -> None:
        super().__init__(name)
        self.name, self.seat, self.step, self.evidence = name, seat, step, evidence
        self.failure = failure or {"Unattributable": "signature", "TooEarly": "chain", "OtherPast": "chain"}[name]


Signed = tuple[bytes, bytes]
EVERY_STEP = range(1, 100_001)
SHOWING = ("place", "remove", "exchange", "give")
COURTESIES = ("hello", "good luck", "well played", "good game", "thank you", "one moment")


class Wrong(Exception):
    """A record that cannot stand there, or that does not hold; the text is the class of section 13."""


def stands(condition: object, failure: str) -> None:
    if not condition:
        raise Wrong(failure)


class Bad(Exception):
    """A contribution that its step does not take, or wrong shares; the text is the class of section 13."""


def formed(condition: object) -> None:
    """Of another seat or kind, or with a body not in its form."""
    if not condition:
        raise Bad("step")


# What the check of a body is about (section 13); in the others an action, where it is not shares.
FAILURES = {"seat": "key", "reveal": "key", "shuffle": "shuffle", "deal": "share", "draw": "share", "over": "result"}


class BadRemark(Exception):
    """No remark of a seat of this game."""


@dataclass
class Machine:
    agreement_bytes: bytes
    proofs: Container[int] = EVERY_STEP
    """The steps whose proofs of shuffles and shares are checked: they take long in plain Python."""
    number: int = 1
    heads: list[bytes] = field(default_factory=list)
    closed: list[dict[int, Signed]] = field(default_factory=list)
    held: dict[int, Signed] = field(default_factory=dict)
    kept: dict[int, Any] = field(default_factory=dict)
    keys: dict[int, bytes] = field(default_factory=dict)
    over: bool = False
    openings: dict[int, int] = field(default_factory=dict)

    remarks: dict[int, list[bytes]] = field(default_factory=dict)  # hashes, by seat
    called: set[bytes] = field(default_factory=set)
    placed_at: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        agreement = read_agreement(self.agreement_bytes)
        self.settings, self.entries = agreement["settings"], agreement["seats"]
        self.game = H("seqp2p/1 table", self.agreement_bytes)
        self.heads.append(self.game)
        self.everybody = range(1, self.settings["players"] + 1)
        self.seats = list(self.everybody)
        self.dropped_last: list[int] = []
        self.stopped = False
        self.skipped: set[int] = set()
        self.actions: set[int] = set()
        self.ballots: dict[int, dict[int, Signed]] = {}
        self.left: set[int] = set()
        self.evidence: list[tuple[Failure, bytes]] = []
        self.board = BOARDS[self.settings["variant"]]
        self.data = self.board.data
        count = len(self.data["deck"])
        self.points = [hash_point(f"seqp2p/1 card {self.board.name}", k) for k in range(count)]
        self.physical = {point: k for k, point in enumerate(self.points)}
        self.cards: list[tuple[Point, Point]] = []
        self.drawn = 0
        self.hands: dict[int, list[int]] = {seat: [] for seat in self.seats}
        self.partial: dict[int, Point] = {}
        self.shown: dict[int, int] = {}
        self.discards: list[int] = []
        self.position: Position | None = None
        shuffles = [("shuffle", seat) for seat in self.seats]
        self.plans = deque([("seat", 0), ("reveal", 0), *shuffles, ("deal", 0)])
        self._open()

    @property
    def dealt(self) -> Position:
        """The position, once cards are dealt."""
        assert self.position is not None
        return self.position

    def _open(self) -> None:
        if self.plans:
            self.kind, self.subject = self.plans.popleft()
        elif self.over or self.stopped:
            self.kind, self.subject = "", 0
        else:
            mover = self.dealt.to_move
            kind = {"play": "turn", "draw": "turn", "late": "late", "penalty": "discard"}[self.dealt.phase]
            self.kind, self.subject = (kind, mover) if mover else ("over", 0)
        self.held, self.kept = {}, {}

    @property
    def who(self) -> set[int]:
        if not self.kind:
            return set()
        if self.kind in ("shuffle", "turn", "late"):
            return {self.subject}
        if self.kind == "discard":
            return set(self.dealt.penalised)
        if self.kind == "deal":
            return {seat for seat in self.seats if set(self.owners) - {seat}}
        return set(self.seats) - ({self.subject} if self.kind == "draw" else set())

    @property
    def confirmed(self) -> bool:
        return self.over or (self.kind == "over" and 2 * len(self.held.keys() - self.proven.keys()) > len(self.seats))

    def receive(self, contribution: Signed, *, closing: bool = True) -> str:
        """``ok`` or ``duplicate``; raises Failure."""
        payload, signature = contribution
        envelope = self._attributed(payload, signature)
        seat, step = envelope["seat"], envelope["step"]
        if step > self.number or (step == self.number and not self.kind):
            raise Failure("TooEarly")
        if envelope["prev"] != self.heads[step - 1]:
            raise Failure("OtherPast")
        if step in self.actions:
            return "void"
        first = (self.held if step == self.number else self.closed[step - 1]).get(seat)
        if first is not None:
            if first[0] == payload:
                return "duplicate"
            raise Failure("Violation", seat, step, (first, contribution), "equivocation")
        try:
            formed(step == self.number and seat in self.who and envelope["kind"] == self.kind)
            self.kept[seat] = getattr(self, f"_check_{self.kind}")(seat, envelope["body"])
        except Bad as bad:
            raise Failure("Violation", seat, step, (contribution,), str(bad)) from None
        except (Encoding, Refused, Illegal):
            raise Failure("Violation", seat, step, (contribution,), FAILURES.get(self.kind, "rules")) from None
        self.held[seat] = contribution
        if closing and set(self.held) == self.who:
            self._close()
        return "ok"

    def weigh(self, evidence: tuple[Signed, ...]) -> Failure | None:
        """What one contribution that is wrong, or two for one place, prove."""
        if len(evidence) == 1:
            before = copy.copy(self.held), copy.copy(self.kept)
            try:
                self.receive(evidence[0], closing=False)
            except Failure as failure:
                if failure.name != "Violation":
                    raise
                return failure if failure.evidence == evidence else None
            finally:
                self.held, self.kept = before
            return None
        (place, first), (same, second) = (self._place(*signed) for signed in evidence)
        if place != same or first == second:
            return None
        return Failure("Violation", place[0], place[1], evidence, "equivocation")

    def _place(self, payload: bytes, signature: bytes) -> tuple[tuple[Any, ...], bytes]:
        try:
            said = self.read_signed("ballot", payload, signature)
            return (said["seat"], said["step"], said["prev"], said["round"]), payload
        except Encoding:
            said = self._attributed(payload, signature)
            return (said["seat"], said["step"], said["prev"], 0), payload

    def accuse(self, violation: Failure) -> None:
        self.evidence.append((violation, self.heads[-1]))

    @property
    def proven(self) -> dict[int, Failure]:
        """The evidence against each cheat: the first, but a pair before one alone."""
        found: dict[int, Failure] = {}
        for violation, _ in self.evidence:
            if violation.seat not in found or len(found[violation.seat].evidence) < len(violation.evidence):
                found[violation.seat] = violation
        return found

    # 10.1

    def read_signed(self, name: str, payload: bytes, signature: bytes) -> dict[str, Any]:
        """A ballot, a head or a leave; Encoding if it is none, Failure if nobody here signed it."""
        place = "v", "game", "step", "prev", "seat", "round"
        keys = {
            "ballot": (*place, "action", "about", "reason", "last"),
            "head": (*place, "head"),
            "leave": ("v", "game", "seat"),
        }
        said = unpack_map(payload, *keys[name], size_max=512)
        require(is_int(said["v"], 1, 1) and is_bytes(said["game"], 32) and is_int(said["seat"], 1, 12))
        if name == "ballot":
            self._check_ballot(said)
        if name == "head":
            require(is_int(said["step"], 1, 100_000) and is_bytes(said["prev"], 32))
            require(is_int(said["round"], 0, 1000) and is_bytes(said["head"], 32))
        with raising(Failure("Unattributable")):
            self._check_author(said, name, payload, signature)
        return said

    def _check_author(self, said: dict[str, Any], name: str, payload: bytes, signature: bytes) -> None:
        require(said["game"] == self.game and said["seat"] in self.everybody)
        check_signature(self.entries[said["seat"] - 1]["key"], f"seqp2p/1 {name}", payload, signature)

    def _check_ballot(self, said: dict[str, Any]) -> None:
        about, last = said["about"], said["last"]
        require(is_int(said["step"], 1, 100_000) and is_bytes(said["prev"], 32) and is_int(said["round"], 1, 1000))
        require(said["action"] in ("skip", "drop"))
        require(said["reason"] in ("late", "absent", "left", "cheated", "joined"))
        require(type(about) is list and 1 <= len(about) <= 11 and all(is_int(seat, 1, 12) for seat in about))
        require(about == sorted(set(about)) and said["seat"] not in about)
        if last is not None:
            require(type(last) is dict and list(last) == ["round", "head"] and is_bytes(last["head"], 32))
            require(is_int(last["round"], 0, 1000) and last["round"] < said["round"])

    def receive_leave(self, payload: bytes, signature: bytes) -> None:
        with raising(Failure("Unattributable")):
            said = self.read_signed("leave", payload, signature)
        stands(said["seat"] not in self.left, "order")
        self.left.add(said["seat"])

    def close_by_ballots(self, ballots: list[Signed]) -> None:
        said: list[dict[str, Any]] = []
        for ballot in ballots:
            said.append(self._read_ballot(ballot))
            voted = {one["seat"] for one in said[:-1] if one["round"] == said[-1]["round"]}
            stands(said[-1]["seat"] not in voted, "ballot")
        first = said[0]
        place = [first[key] for key in ("round", "action", "about")]
        stands(all([one[key] for key in ("round", "action", "about")] == place for one in said), "ballot")
        about = first["about"]
        stands([one["seat"] for one in said] == [seat for seat in self.seats if seat not in about], "ballot")
        stands(not any(one["last"] for one in said) or self._action_stands(said, about), "ballot")
        self.closed.append({})
        self.actions.add(self.number)
        self.heads.append(H("seqp2p/1 closed", self.heads[-1], first["action"].encode(), bytes(about)))
        if first["action"] == "skip":
            self._skip()
        else:
            self._drop(about)
        self.number += 1
        self._open()

    def _read_ballot(self, ballot: Signed) -> dict[str, Any]:
        with raising(Failure("Unattributable")):
            said = self.read_signed("ballot", *ballot)
        if said["step"] > self.number:
            raise Failure("TooEarly")
        stands(said["step"] == self.number and self.kind, "ballot")
        if said["prev"] != self.heads[-1]:
            raise Failure("OtherPast")
        about = said["about"]
        votable = self.position is not None and self.kind != "over" and len(self.seats) > 2
        stands(votable and {said["seat"], *about} <= set(self.seats), "ballot")
        stands(2 * (len(self.seats) - len(about)) > len(self.seats), "ballot")
        may_skip = self.kind == "turn" and about == [self.subject] and self.subject not in self.skipped
        stands(said["action"] != "skip" or may_skip, "ballot")
        return said

    def _action_stands(self, said: list[dict[str, Any]], about: list[int]) -> bool:
        named = {one["last"]["head"] for one in said if one["last"]}
        cheats = {
            violation.seat
            for violation, head in self.evidence
            if head == self.heads[-1] and len(violation.evidence) == 2 and violation.seat in self.seats
            if self._is_of_this_step(violation.evidence[0])
        }
        if any(one["last"]["round"] for one in said if one["last"]) or len(named) < 2 or not cheats:
            return False
        extra = len(set(about) | cheats)
        honest = [one["last"]["head"] for one in said if one["last"] and one["seat"] not in cheats]
        for head in named:
            count = honest.count(head)
            if count and 2 * (count + extra) > len(self.seats):
                return False
        return True

    def _is_of_this_step(self, signed: Signed) -> bool:
        said = unpack(signed[0])
        return "kind" in said and (said["step"], said["prev"]) == (self.number, self.heads[-1])

    def _skip(self) -> None:
        self.position = self.dealt.skipped()
        self.placed_at[self.subject] = self.number
        self.skipped.add(self.subject)

    def _drop(self, about: list[int]) -> None:
        self.seats = [seat for seat in self.seats if seat not in about]
        self.dropped_last = about
        self.position = self.dealt.dropped(about)
        self.plans.clear()
        self.joint = total(*((1, read_point(self.keys[seat])) for seat in self.seats))
        if self.joint is None or len(self.teams_of(self.seats)) < 2:
            self.stopped = True
        elif self.position.to_move:
            self.owners = [seat for seat in self.seats for _ in self.position.hands[seat - 1]]
            self.hands = {seat: [] for seat in self.everybody}
            self.shown, self.partial = {}, {}
            self._begin(k for k in range(len(self.points)) if k not in self.discards)
            self.plans.extend(("shuffle", seat) for seat in self.seats if self.mixing)
            self.plans.extend([("deal", 0)] if self.owners else [])

    def teams_of(self, seats: Any) -> set[int]:
        return {(seat - 1) % self.settings["teams"] for seat in seats}

    @property
    def forfeited(self) -> list[int]:
        """Who has won because all others left or cheated; nobody otherwise."""
        at_fault = self.left | set(self.proven)
        stay = [seat for seat in self.seats if seat not in at_fault]
        if self.position is None or not self.position.to_move or len(self.teams_of(stay)) != 1:
            return []
        last = [seat for seat in self.seats if seat in at_fault] or self.dropped_last
        opponents = [seat for seat in last if not self.teams_of([seat]) <= self.teams_of(stay)]
        return stay if opponents and set(opponents) <= at_fault else []

    def _attributed(self, payload: bytes, signature: bytes) -> dict[str, Any]:
        with raising(Failure("Unattributable")):
            keys = "v", "game", "step", "prev", "seat", "kind", "body"
            envelope = unpack_map(payload, *keys, size_max=32_768, values_max=64)
            require(is_int(envelope["v"], 1, 1))
            require(is_bytes(envelope["game"], 32) and is_bytes(envelope["prev"], 32))
            require(is_int(envelope["step"], 1, 100_000) and is_int(envelope["seat"], 1, 12))
            require(type(envelope["kind"]) is str and type(envelope["body"]) is dict)
            require(all(type(key) is str for key in envelope["body"]))
            self._check_author(envelope, "contribution", payload, signature)
        return envelope

    def context(self, seat: int) -> dict[str, Any]:
        return {"game": self.game, "step": self.number, "seat": seat, "prev": self.heads[-1]}

    def _close(self) -> None:
        getattr(self, f"_close_{self.kind}")()
        payloads = [self.held[seat][0] for seat in sorted(self.held)]
        self.heads.append(H("seqp2p/1 step", self.heads[-1], *payloads))
        self.closed.append(self.held)
        self.number += 1
        self._open()

    def _check_seat(self, seat: int, body: dict[str, Any]) -> Any:
        formed(list(body) == ["commitment"] and is_bytes(body["commitment"], 32))
        return body["commitment"]

    def _close_seat(self) -> None:
        self.commitments = self.kept

    def _check_reveal(self, seat: int, body: dict[str, Any]) -> Any:
        formed(list(body) == ["key", "proof", "nonce"])
        key, nonce = body["key"], body["nonce"]
        formed(is_bytes(key, 33) and is_bytes(body["proof"], 65) and is_bytes(nonce, 32))
        point = read_point(key)
        opened = H("seqp2p/1 key commitment", self.game, u32(seat), key, nonce)
        require(opened == self.commitments[seat])
        check_key(self.context(seat), key, body["proof"])
        others = [other for other, _ in self.kept.values()]
        require(key not in others)
        if len(others) == len(self.seats) - 1:
            require(total((1, point), *((1, read_point(other)) for other in others)) is not None)
        return key, nonce

    def _close_reveal(self) -> None:
        self.keys = {seat: self.kept[seat][0] for seat in self.seats}
        self.joint = total(*((1, read_point(key)) for key in self.keys.values()))
        nonces = [self.kept[seat][1] for seat in self.seats]
        self.dealer = draw_dealer(self.board.name, len(self.seats), nonces)
        sizes = {size["players"]: size["hand"] for size in self.data["sizes"]}
        self.owners = deal_owners(len(self.seats), self.dealer, sizes[len(self.seats)])
        self._begin(range(len(self.points)))

    def _begin(self, physical: Any) -> None:
        self.mixing: Deck = [(G, total((1, self.points[k]), (1, self.joint))) for k in sorted(physical)]

    def _check_shuffle(self, seat: int, body: dict[str, Any]) -> Any:
        formed(list(body) == ["deck", "proof"])
        formed(type(body["deck"]) is bytes and type(body["proof"]) is bytes)
        after = read_deck(body["deck"], len(self.mixing))
        if self.number in self.proofs:
            joint = write_point(self.joint)
            check_shuffle(self.context(seat), joint, write_deck(self.mixing), body["deck"], body["proof"])
        return after

    def _close_shuffle(self) -> None:
        self.mixing = self.kept[self.subject]
        if self.subject == self.seats[-1]:
            self.drawn = len(self.cards)
            self.cards.extend(self.mixing)

    def _shares(self, seat: int, positions: list[int], shares: bytes, proof: bytes) -> dict[int, Point]:
        asked = [(position, self.cards[position][0]) for position in positions]
        with raising(Bad("share")):
            if self.number in self.proofs:
                found = check_shares(self.context(seat), self.keys[seat], asked, shares, proof)
            else:
                found = read_points(shares, len(positions))
        return dict(zip(positions, found, strict=True))

    def _check_deal(self, seat: int, body: dict[str, Any], positions: list[int] | None = None) -> Any:
        formed(list(body) == ["shares", "proof"] and type(body["shares"]) is bytes and is_bytes(body["proof"], 98))
        due = [position for position, owner in enumerate(self.owners, self.drawn) if owner != seat]
        return self._shares(seat, due if positions is None else positions, body["shares"], body["proof"])

    def _give(self, seat: int, shares: list[Point]) -> None:
        self.hands[seat].append(self.drawn)
        self.partial[self.drawn] = total((1, self.cards[self.drawn][1]), *((-1, share) for share in shares))
        self.drawn += 1

    def _close_deal(self) -> None:
        for position, owner in enumerate(self.owners, self.drawn):
            self._give(owner, [self.kept[seat][position] for seat in self.seats if seat != owner])
        if self.position is not None:
            return
        settings = self.settings
        options = [word for name, (unusual, word) in OPTIONS.items() if settings[name] is unusual]
        hand = len(self.hands[1])
        self.position = Position(
            self.board,
            options,
            len(self.seats),
            settings["teams"],
            self.dealer % len(self.seats) + 1,
            [["?"] * hand for _ in self.seats],
            len(self.points) - hand * len(self.seats),
            discards=[[] for _ in self.seats],
        )

    def _check_turn(self, seat: int, body: dict[str, Any]) -> Any:
        if self.kind == "turn" and set(body) == {"action", "remark", "signature"}:
            return self._check_call(seat, body)
        action, shown = self._check_action(seat, body)
        require(action.kind != "call")
        return action, shown, self._known(seat, shown).after(action), b""

    _check_late = _check_turn

    def _check_action(self, seat: int, body: dict[str, Any]) -> tuple[Action, dict[int, int]]:
        formed(list(body) == ["action", "cards", "shares", "proof"])
        formed(type(body["action"]) is str and len(body["action"]) <= 64)
        formed(type(body["cards"]) is list and all(is_int(card, 0, 2**31 - 1) for card in body["cards"]))
        formed(type(body["shares"]) is bytes and type(body["proof"]) is bytes and len(body["proof"]) <= 98)
        action = read_action(self.board, body["action"])
        cards, hand = body["cards"], self.hands[seat]
        require(cards == sorted(set(cards)) and set(cards) <= set(hand))
        require(len(cards) == (len(hand) if action.kind == "pass" else 1 if action.kind in SHOWING else 0))
        if not cards and body["shares"]:
            raise Bad("share")
        require(cards or not body["proof"])
        shares = self._shares(seat, cards, body["shares"], body["proof"]) if cards else {}
        shown = {}
        for position, share in shares.items():
            physical = self.physical.get(total((1, self.partial[position]), (-1, share)))
            require(physical is not None)
            shown[position] = physical or 0
        faces = [self.board.faces[self.data["deck"][card]] for card in shown.values()]
        require(action.kind not in SHOWING or faces == [action.card])
        return action, shown

    def _check_call(self, seat: int, body: dict[str, Any]) -> Any:
        formed(list(body) == ["action", "remark", "signature"])
        formed(type(body["action"]) is str and len(body["action"]) <= 64)
        formed(type(body["remark"]) is bytes and len(body["remark"]) <= 1024 and is_bytes(body["signature"], 64))
        action = read_action(self.board, body["action"])
        require(action.kind == "call")
        try:
            said = self.read_remark(body["remark"], body["signature"])
        except BadRemark:
            raise Refused("remark") from None
        require(said["seat"] == action.seat and not said["courtesy"])
        require(said["step"] <= self.number and said["prev"] == self.heads[said["step"] - 1])
        require(said["step"] >= self.placed_at.get(seat, 0))
        hashed = H("seqp2p/1 remark hash", body["remark"])
        require(hashed not in self.called)
        return action, {}, self.dealt.after(action), hashed

    def _check_discard(self, seat: int, body: dict[str, Any]) -> Any:
        action, shown = self._check_action(seat, body)
        require(action.kind == "give")
        return action, shown

    def _close_discard(self) -> None:
        for seat in sorted(self.kept):
            action, shown = self.kept[seat]
            self.position = self._known(seat, shown).after(action)
            self._put_down(seat, action, shown)

    def _put_down(self, seat: int, action: Action, shown: dict[int, int]) -> None:
        self.shown.update(shown)
        if action.kind in SHOWING:
            (position,) = shown
            self.hands[seat].remove(position)
            self.discards.append(shown[position])

    def _known(self, seat: int, shown: dict[int, int]) -> Position:
        """The position for those who have seen these cards of the mover's hand."""
        known = {**self.shown, **shown}
        position = copy.deepcopy(self.dealt)
        position.hands[seat - 1] = [
            self.board.faces[self.data["deck"][known[at]]] if at in known else "?" for at in self.hands[seat]
        ]
        return position

    def _close_turn(self) -> None:
        action, shown, after, called = self.kept[self.subject]
        before, self.position = self.dealt, after
        self._put_down(self.subject, action, shown)
        if action.kind in ("place", "remove", "pass"):
            self.placed_at[self.subject] = self.number
            self.skipped.discard(self.subject)
        if called:
            self.called.add(called)
        if after.reshuffles > before.reshuffles:
            self._begin(self.discards)
            self.discards = []
            self.plans.extend(("shuffle", seat) for seat in self.seats)
        if after.draws > before.draws:
            self.plans.append(("draw", self.subject))

    _close_late = _close_turn

    def _check_draw(self, seat: int, body: dict[str, Any]) -> Any:
        return self._check_deal(seat, body, [self.drawn])[self.drawn]

    def _close_draw(self) -> None:
        self._give(self.subject, list(self.kept.values()))

    def _check_over(self, seat: int, body: dict[str, Any]) -> Any:
        formed(list(body) == ["position"] and is_bytes(body["position"], 32))
        require(body["position"] == self.dealt.hash())

    def _close_over(self) -> None:
        self.over = True

    def read_remark(self, payload: bytes, signature: bytes) -> dict[str, Any]:
        with raising(BadRemark()):
            keys = "v", "game", "seat", "number", "last", "step", "prev", "courtesy", "text"
            said = unpack_map(payload, *keys, size_max=1024)
            require(is_int(said["v"], 1, 1) and is_int(said["seat"], 1, 12) and is_int(said["number"], 1, 200))
            require(all(is_bytes(said[key], 32) for key in ("game", "last", "prev")))
            require(is_int(said["step"], 1, 100_000) and type(said["courtesy"]) is bool and type(said["text"]) is str)
            self._check_author(said, "remark", payload, signature)
            require(is_text(said["text"], 200) and (not said["courtesy"] or said["text"] in COURTESIES))
        return said

    def receive_remark(self, payload: bytes, signature: bytes) -> None:
        said = self.read_remark(payload, signature)
        if said["step"] > self.number:
            raise Failure("TooEarly")
        chain = self.remarks.setdefault(said["seat"], [])
        if (said["number"], said["last"]) != (len(chain) + 1, chain[-1] if chain else bytes(32)):
            raise BadRemark
        chain.append(H("seqp2p/1 remark hash", payload))

    def open_seat(self, seat: int, secret: bytes) -> None:
        require(self.over and self.settings["open_hands"] and seat in self.keys)
        require(all(seat > other for other in self.openings))
        x = read_scalar(secret)
        require(total((x, G)) == read_point(self.keys[seat]))
        self.openings[seat] = x
