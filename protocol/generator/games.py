"""Whole games played in memory: one match, every seat's own side, bots that choose; and their replays."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from protocol.generator.stream import Stream, StreamChoices, identity
from protocol.generator.vectors import packb, unpackb
from seqp2p.api.settings import table_settings
from seqp2p.bots.player import Bot
from seqp2p.bots.registry import FORGETFUL
from seqp2p.crypto.group import encode_points, encode_scalar, random_below
from seqp2p.crypto.hashing import CONTRIBUTION, FILE
from seqp2p.crypto.identity import Identity, sign
from seqp2p.crypto.oracle import Context
from seqp2p.crypto.schnorr import prove_shares, share
from seqp2p.match.ballots import Wish
from seqp2p.match.chain import ClosedStep
from seqp2p.match.contribution import Body, Contribution, SharesBody, StepKind, make_payload
from seqp2p.match.machine import Match
from seqp2p.match.remark import COURTESIES, Remark
from seqp2p.match.seat import SeatKeys
from seqp2p.match.signed import BallotPayload, HeadPayload
from seqp2p.match.steps import why_not_callable
from seqp2p.match.table import Agreement, SeatEntry, Settings, encode_agreement
from seqp2p.replay.format import (
    MAGIC,
    AnyRecord,
    CertificateRecord,
    EndRecord,
    EvidenceRecord,
    OpeningRecord,
    OpenRecord,
    RemarkRecord,
    StepRecord,
    TableRecord,
    end_digest,
    frame,
    pairs,
)
from seqp2p.rules import Action, call

Change = Callable[[dict[str, Any]], None]
# At a table with the table-talk rule: how often, one in so many turns, somebody says something, and how often a mover
# calls what can be called.
SAYS_ONE_IN = 6
CALLS_ONE_IN = 3
NAMES = ("ann", "ben", "cleo", "dora", "emil", "fay", "gus", "hana", "ivo", "jana", "kim", "lou")


def settings(variant: str, players: int, **choices: Any) -> Settings:
    """Return the settings of a table of this size, the usual ones but for these choices."""
    return table_settings(players, variant=variant, **choices)


@dataclass
class Game:
    """A game being played: ``match`` is the public state, ``seats`` the secrets of each seat."""

    name: str
    settings: Settings
    bots: Sequence[str] = ()
    """By seat; without any all play at random."""
    match: Match = field(init=False)
    seats: list[SeatKeys] = field(init=False)
    identities: list[Identity] = field(init=False)
    actions: list[tuple[int, int, Action]] = field(default_factory=list)
    """(step, seat, action) in order."""
    said: list[tuple[int, Remark]] = field(default_factory=list)
    """What was said, with the number of steps that were closed then."""
    votes: Mapping[int, Wish] = field(default_factory=dict)
    """The steps at which the others vote, and what for."""

    def __post_init__(self) -> None:
        players = self.settings.players
        self.identities = [identity(name) for name in NAMES[:players]]
        entries = tuple(
            SeatEntry(name, each.public, Stream(f"{self.name} table nonce {seat}")(32))
            for seat, (name, each) in enumerate(zip(NAMES, self.identities, strict=False), 1)
        )
        self.match = Match(encode_agreement(Agreement(1, self.settings, entries)))
        self.seats = [
            SeatKeys(seat, each, Stream(f"{self.name} seat {seat}")) for seat, each in enumerate(self.identities, 1)
        ]
        self._players: list[Bot] = [
            FORGETFUL[bot](StreamChoices(f"{self.name} bot {seat}"))
            for seat, bot in enumerate(self.bots or ["random"] * players, 1)
        ]
        self._chance = Stream(f"{self.name} talk")

    def contributions(self) -> list[Contribution]:
        """Return the contributions that the open step waits for, in seat order, without taking them."""
        return [self.contribution(seat) for seat in sorted(self.match.awaited)]

    def contribution(self, seat: int) -> Contribution:
        """Return this seat's contribution to the open step."""
        own = self.seats[seat - 1]
        if self.match.kind not in ("turn", "late", "discard"):
            return own.contribute(self.match)
        if (remark := self.callable_remark(seat)) is not None and random_below(CALLS_ONE_IN, self._chance) == 0:
            self.actions.append((self.match.number, seat, call(remark.said.seat)))
            return own.call(self.match, remark)
        action = self._players[seat - 1].choose(own.view(self.match))
        self.actions.append((self.match.number, seat, action))
        return own.play(self.match, action)

    def callable_remark(self, seat: int) -> Remark | None:
        """Return the latest remark that this seat can call now."""
        settings, position = self.settings, self.match.game.position
        if settings.table_talk or position is None or self.match.kind != "turn" or position.phase != "play":
            return None
        others = [remark for _, remark in self.said if (remark.said.seat - seat) % settings.teams]
        fits = [one for one in others if why_not_callable(self.match.game, one, seat, self.match.number) is None]
        return fits[-1] if fits else None

    def talk(self) -> None:
        """Sometimes let a seat say something; every fourth remark is a courtesy."""
        if self.match.kind != "turn" or self.settings.table_talk or random_below(SAYS_ONE_IN, self._chance):
            return
        own = self.seats[random_below(self.settings.players, self._chance)]
        courtesy = COURTESIES[len(self.said) // 4 % len(COURTESIES)]
        self.say(own.number, courtesy if len(self.said) % 4 == 3 else f"look at e{own.number}")

    def say(self, seat: int, text: str) -> Remark:
        """Let a seat say this."""
        remark = self.match.receive_remark(*self.seats[seat - 1].say(self.match, text))
        assert remark is not None, "an own remark is the next of its seat"
        self.said.append((len(self.match.record), remark))
        return remark

    def play(self, until: int = 0) -> "Game":
        """Play to the end, or until this step is open; released secrets follow if the table opens its hands."""
        while self.match.kind is not None and self.match.number != until:
            self.talk()
            if (wish := self.votes.get(self.match.number)) is not None:
                self.vote(wish)
                continue
            for contribution in self.contributions():
                self.match.receive(contribution)
        if self.match.kind is None and self.settings.open_hands and self.match.confirmed:
            for own in self.staying():
                self.match.open_seat(own.number, own.release())
        return self

    def staying(self) -> list[SeatKeys]:
        """Return the seats in the game."""
        return [own for own in self.seats if own.number in self.match.game.seats]

    def show(self) -> None:
        """Let all seats in the game sign the heads of steps that are not final."""
        for own in self.staying():
            for head in own.heads(self.match):
                self.match.receive_word(HeadPayload, head)

    def ballots(self, wish: Wish) -> list[Contribution]:
        """Return equal ballots of the first round, of all seats that these are not about."""
        self.show()
        voters = [own for own in self.staying() if own.number not in wish.about]
        return [own.ballot(self.match, 1, wish, "late") for own in voters]

    def vote(self, wish: Wish) -> None:
        """Let the others close the open step by an action."""
        for ballot in self.ballots(wish):
            self.match.receive_word(BallotPayload, ballot)
        self.show()
        assert self.match.record[-1].action == wish.action, "all have voted"

    # What no honest seat signs.

    def context(self, seat: int) -> Context:
        """Return the context of an honest proof of this seat now."""
        return Context(self.match.game.id, self.match.number, seat, self.match.head)

    def signed(self, payload: bytes, seat: int, label: str = CONTRIBUTION) -> Contribution:
        """Return these bytes signed by this seat."""
        return Contribution(payload, sign(self.identities[seat - 1], label, payload))

    def made(self, seat: int, kind: StepKind, body: Body) -> Contribution:
        """Return this body as a contribution of the seat to the open step."""
        match = self.match
        return self.signed(make_payload(match.game.id, match.number, match.head, seat, kind, body), seat)

    def changed(self, contribution: Contribution, change: Change, label: str = CONTRIBUTION) -> Contribution:
        """Return a contribution with its payload's map changed, signed again by the seat in it."""
        plain = opened(contribution)
        change(plain)
        return self.signed(packb(plain), plain["seat"], label)

    def shares(self, seat: int, positions: Collection[int], stream: Stream) -> SharesBody:
        """Return the seat's shares of these deck positions with their proof."""
        x, key = self.seats[seat - 1].release(), self.match.game.keys[seat]
        cards = [(at, self.match.game.deck.ciphertexts[at].a) for at in positions]
        shares = [share(x, a, stream) for _, a in cards]
        return SharesBody(encode_points(shares), prove_shares(x, key, cards, shares, self.context(seat), stream))

    # The record.

    def records(self) -> list[AnyRecord]:
        """Return the records of the replay, all but the last."""
        match = self.match
        found: list[AnyRecord] = [TableRecord(match.agreement_bytes)]
        for number in range(len(match.record) + 1):
            if number:
                found.append(record_of(match.record[number - 1]))
            found += [RemarkRecord(said.payload, said.signature) for closed, said in self.said if closed == number]
        if match.held:
            found.append(OpenRecord(match.number, pairs(tuple(contribution for _, contribution in match.held))))
        return found + [OpeningRecord(seat, encode_scalar(secret)) for seat, secret in sorted(match.openings.items())]

    def written(self, *behind: AnyRecord) -> bytes:
        """Return the replay that seat 1 writes, with these records before its end."""
        return replay([*self.records(), *behind], self.identities[0])


def opened(contribution: Contribution) -> dict[str, Any]:
    """Return the payload's map."""
    found: dict[str, Any] = unpackb(contribution.payload)
    return found


def in_envelope(**fields: Any) -> Change:
    """Set fields of the payload's map."""
    return lambda plain: plain.update(fields)


def in_body(**fields: Any) -> Change:
    """Set fields of the body in the payload's map."""
    return lambda plain: plain["body"].update(fields)


def record_of(step: ClosedStep) -> StepRecord | CertificateRecord:
    """Return a closed step in the form of a replay."""
    if step.action:
        return CertificateRecord(step.number, pairs(step.ballots))
    return StepRecord(step.number, pairs(tuple(held for _, held in step.contributions)))


def evidence(*contributions: Contribution) -> EvidenceRecord:
    """Return these contributions as the evidence of a replay."""
    return EvidenceRecord(pairs(contributions))


def replay(records: Sequence[AnyRecord], writer: Identity) -> bytes:
    """Return a replay of these records, signed by its writer."""
    return finish(MAGIC + b"".join(map(frame, records)), writer)


def finish(data: bytes, writer: Identity) -> bytes:
    """Return the file with the writer's last record at its end."""
    return data + frame(EndRecord(writer.public, sign(writer, FILE, end_digest(data))))
