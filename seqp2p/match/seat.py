"""One seat's own side of a match: its secrets, its hand, and the contributions it owes.

``Match`` has the public state; ``SeatKeys`` adds the secrets of one seat. They are never shown: reprs hide them, and
only signed contributions leave.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from seqp2p.crypto.elgamal import encode_deck
from seqp2p.crypto.group import Point, Randomness, encode_point, encode_points, mul_base, random_scalar
from seqp2p.crypto.hashing import BALLOT, CONTRIBUTION, HEAD, LEAVE, REMARK
from seqp2p.crypto.identity import Identity, sign
from seqp2p.crypto.oracle import Context
from seqp2p.crypto.schnorr import key_commitment, prove_key, prove_shares, share
from seqp2p.crypto.shuffle import shuffle_and_prove
from seqp2p.i18n import message
from seqp2p.match.ballots import Wish
from seqp2p.match.contribution import (
    Body,
    CallBody,
    Contribution,
    OverBody,
    RevealBody,
    SeatBody,
    SharesBody,
    ShuffleBody,
    TurnBody,
    make_payload,
    open_envelope,
)
from seqp2p.match.encoding import encode
from seqp2p.match.machine import Match
from seqp2p.match.remark import COURTESIES, Remark, RemarkPayload
from seqp2p.match.signed import BallotPayload, HeadPayload, LastRecord, LeavePayload, Reason, Word
from seqp2p.match.steps import cards_to_show, final_hash, positions_of_others, why_not_callable
from seqp2p.rules import ACTION_ROWS, Action, IllegalAction, Position, View, apply, format_action, reveal, view

NONCE_SIZE = 32


@dataclass(frozen=True, slots=True)
class SeatSecrets:
    """The secrets that a seat needs to resume its game: x_i (1 to q − 1), and the nonce that opens its commitment."""

    secret: int = field(repr=False)
    nonce: bytes = field(repr=False)


class SeatKeys:
    """The secrets of one seat in one game, and the contributions it makes with them.

    ``number`` counts from 1. ``randomness(n)`` gives n fresh secret bytes. X_i is new for every game.
    """

    def __init__(
        self, number: int, identity: Identity, randomness: Randomness, kept: SeatSecrets | None = None
    ) -> None:
        """``kept`` are the secrets of a seat that resumes; without it new ones are made."""
        self.number = number
        self._identity = identity
        self._randomness = randomness
        self._secret = random_scalar(randomness) if kept is None else kept.secret
        self._key = mul_base(self._secret)
        self._nonce = randomness(NONCE_SIZE) if kept is None else kept.nonce
        self.waits_to_sign = kept is not None
        """True while it may sign nothing: it is resumed, and has not heard what it signed (live/absence.py)."""
        self.signed: set[bytes] = set()
        """The payloads that it has signed, in this process or by its file."""
        self._opened: dict[Point, int] = {}  # physical card by the ciphertext's a: own cards seen so far
        self._given: dict[Point, int] = {}  # the seat that this one has signed a share for, by the ciphertext's a

    def __repr__(self) -> str:
        return f"SeatKeys({self.number})"

    def owes(self, match: Match) -> bool:
        """Return True if the open step waits for this seat, and it may sign on top of the closed steps.

        False where signing would reveal a card to a second seat: a share for its own (current or former) card, or for
        one that it already gave to another seat. False while it waits to sign.
        """
        if self.waits_to_sign or self.number not in match.awaited or not match.may_sign:
            return False
        told = self._told_by_share(match).items()
        return not any(a in self._opened or self._given.get(a, holder) != holder for a, holder in told)

    def remember(self, match: Match, signed: Contribution) -> None:
        """Note the shares in an own contribution of a resumed match, before the match takes it."""
        word = open_envelope(signed.payload)
        if (word.seat, word.step, word.prev) == (self.number, match.number, match.head):
            self._given |= self._told_by_share(match)

    def _told_by_share(self, match: Match) -> dict[Point, int]:
        """Return the seat that learns a card by each share that this seat owes, by the ciphertext's a."""
        ciphertexts = match.game.deck.ciphertexts
        return {ciphertexts[position].a: holder for position, holder in self._to_give(match).items()}

    def _to_give(self, match: Match) -> dict[int, int]:
        """Return the deck positions that this seat owes shares for, each with the seat that gets the card."""
        if match.kind == "draw":
            assert match.plan is not None, "a step that is open has a plan"
            return {match.game.deck.drawn: match.plan.subject}
        if match.kind == "deal":
            owners = dict(enumerate(match.game.owners, match.game.deck.drawn))
            return {position: owners[position] for position in positions_of_others(match.game, self.number)}
        return {}

    def hand(self, match: Match) -> dict[int, int]:
        """Return the seat's own cards: physical card by deck position, for every card dealt to it."""
        deck = match.game.deck
        hand = {position: deck.ciphertexts[position].a for position in deck.hand(self.number)}
        for position, a in hand.items():
            if a not in self._opened:
                self._opened[a] = deck.physical(position, share(self._secret, a, self._randomness))
        return {position: self._opened[a] for position, a in hand.items()}

    def position(self, match: Match) -> Position:
        """Return the position with this seat's own hand known."""
        deck = match.game.deck
        cards = [deck.face(card) for at, card in self.hand(match).items() if at not in deck.shown]
        return reveal(match.game.table_position(), self.number, cards)

    def contribute(self, match: Match) -> Contribution:
        """Return the contribution owed to any open step but a turn. A shuffle takes some 35 ms: run in a thread."""
        body: Body
        match match.kind:
            case "seat":
                body = SeatBody(key_commitment(match.game.id, self.number, encode_point(self._key), self._nonce))
            case "reveal":
                proof = prove_key(self._secret, self._key, self._context(match), self._randomness)
                body = RevealBody(encode_point(self._key), proof, self._nonce)
            case "shuffle":
                body = self._shuffle_body(match)
            case "deal" | "draw":
                self._given |= self._told_by_share(match)
                body = SharesBody(*self._shares(match, list(self._to_give(match))))
            case "over":
                body = OverBody(final_hash(match.game))
            case _:
                raise AssertionError("a turn takes an action")
        return self._sign(match, body)

    def view(self, match: Match) -> View:
        """Return the view of this seat; only after the deal."""
        seen = view(self.position(match), self.number)
        if match.kind == "discard" and self.owes(match):
            # All called seats give at once; the engine takes them in seat order.
            return replace(seen, legal=tuple(Action("give", card) for card in sorted(set(seen.hand))))
        return seen

    def view_after(self, match: Match, action: Action) -> View:
        """Return the view of this seat if the seat to act did this."""
        return view(apply(self.position(match), action), self.number)

    def play(self, match: Match, action: Action) -> Contribution:
        """Sign an action of this seat. Raises IllegalAction or AmbiguousAction before anything is signed."""
        if match.kind == "discard":
            if action not in self.view(match).legal:
                raise IllegalAction(message("your team was called: give up a card from your hand, like QH given"))
        else:
            apply(self.position(match), action)
        return self._sign(match, self._turn_body(match, action))

    def call(self, match: Match, remark: Remark) -> Contribution:
        """Call a remark, in this seat's own turn. Raises IllegalAction if it cannot be called."""
        if fault := why_not_callable(match.game, remark, self.number, match.number):
            raise IllegalAction(fault)
        action = Action("call", seat=remark.said.seat)
        apply(self.position(match), action)
        text = format_action(match.game.variant, action)
        return self._sign(match, CallBody(text, remark.payload, remark.signature))

    def ballot(self, match: Match, round_: int, wish: Wish, reason: Reason) -> Contribution:
        """Sign a vote about the base. It binds this seat: give it to the match."""
        step = match.chain.base
        assert step is not None, "nothing is voted on after the end"
        last = step.decree.last()
        closed = None if last is None else LastRecord(last.round, last.head)
        about = tuple(sorted(wish.about))
        return self._signed(
            BALLOT,
            BallotPayload(
                1, match.game.id, step.number, step.prev, self.number, round_, wish.action, about, reason, closed
            ),
        )

    def heads(self, match: Match) -> tuple[Contribution, ...]:
        """Sign the heads of closings that are not final and not signed yet."""
        return tuple(
            self.head(match, step.number, closing.round)
            for step in match.chain.to_show()
            if (closing := step.decree.closing) is not None and self.number not in step.decree.showers(closing)
        )

    def head(self, match: Match, step: int, round_: int) -> Contribution:
        """Sign the head after a step closed in this round; 0 is the round of contributions."""
        prev, head = match.game.heads[step - 1 : step + 1]
        return self._signed(HEAD, HeadPayload(1, match.game.id, step, prev, self.number, round_, head))

    def leave(self, match: Match) -> Contribution:
        return self._signed(LEAVE, LeavePayload(1, match.game.id, self.number))

    def say(self, match: Match, text: str) -> tuple[bytes, bytes]:
        """Sign a remark; ``text`` is cleaned already (see match/text.py)."""
        number, last = match.remarks.next_of(self.number)
        courtesy = text in COURTESIES
        payload = encode(
            RemarkPayload(1, match.game.id, self.number, number, last, match.number, match.head, courtesy, text)
        )
        return payload, self.sign(REMARK, payload)

    def _signed(self, label: str, word: Word) -> Contribution:
        payload = encode(word)
        return Contribution(payload, self.sign(label, payload))

    def _turn_body(self, match: Match, action: Action) -> TurnBody:
        hand = self.hand(match)
        deck = match.game.deck
        count, whole = cards_to_show(match.game, action, self.number), ACTION_ROWS[action.kind].shows == "hand"
        chosen = [at for at, card in hand.items() if whole or deck.face(card) == action.card][:count]
        shares, proof = self._shares(match, chosen) if chosen else (b"", b"")
        return TurnBody(format_action(match.game.variant, action), tuple(chosen), shares, proof)

    @property
    def secrets(self) -> SeatSecrets:
        """The secrets to keep in a private place, for this seat to resume after a crash."""
        return SeatSecrets(self._secret, self._nonce)

    def belongs(self, match: Match) -> bool:
        """Return True if the secrets are those of this seat in this game, as far as the game shows it."""
        game = match.game
        commitment = key_commitment(game.id, self.number, encode_point(self._key), self._nonce)
        own_key = game.agreement.seats[self.number - 1].key == self.identity_key
        return own_key and game.commitments.get(self.number, commitment) == commitment

    def release(self) -> int:
        """Return the game secret x_i, to be shown only after the end, at a table that agreed to open its hands."""
        return self._secret

    def sign(self, label: str, data: bytes) -> bytes:
        """Return the identity's signature, of something in the game or of this seat's replay."""
        self.signed.add(data)
        return sign(self._identity, label, data)

    @property
    def identity_key(self) -> bytes:
        """The public identity key, 32 bytes."""
        return self._identity.public

    def _context(self, match: Match) -> Context:
        return Context(match.game.id, match.number, self.number, match.head)

    def _sign(self, match: Match, body: Body) -> Contribution:
        assert match.kind is not None, "nothing is contributed after the end"
        payload = make_payload(match.game.id, match.number, match.head, self.number, match.kind, body)
        return Contribution(payload, self.sign(CONTRIBUTION, payload))

    def _shares(self, match: Match, positions: Sequence[int]) -> tuple[bytes, bytes]:
        statement = [(position, match.game.deck.ciphertexts[position].a) for position in positions]
        shares = [share(self._secret, a, self._randomness) for _, a in statement]
        proof = prove_shares(self._secret, self._key, statement, shares, self._context(match), self._randomness)
        return encode_points(shares), proof

    def _shuffle_body(self, match: Match) -> Body:
        game = match.game
        deck, proof = shuffle_and_prove(game.deck.mixing, game.joint_key, self._context(match), self._randomness)
        return ShuffleBody(encode_deck(deck), proof)
