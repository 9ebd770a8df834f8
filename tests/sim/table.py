"""Tables for simulated games: the same for the same number, with keys and secrets that follow from it.

Games at one table share their first steps byte by byte (agreement, keys, shuffles, deal), so each process pays for
these once. From the first turn on each game is its own.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from seqp2p.crypto.elgamal import Ciphertext, encode_deck
from seqp2p.crypto.group import Point, Randomness, encode_points
from seqp2p.crypto.identity import Identity
from seqp2p.crypto.oracle import Context
from seqp2p.crypto.schnorr import prove_shares, share
from seqp2p.crypto.shuffle import shuffle_and_prove
from seqp2p.match.contribution import Body, ShuffleBody
from seqp2p.match.machine import Match
from seqp2p.match.seat import SeatKeys, SeatSecrets
from seqp2p.match.table import TABLE_OPTIONS, Agreement, SeatEntry, Settings, check_settings
from seqp2p.rules import KNOWN_VARIANTS
from tests.sim import mini_variant

TABLES: Final = 12
"""The number of tables of each size. More would share less, fewer would shuffle too little."""


@dataclass(frozen=True, slots=True)
class TableKey:
    number: int
    players: int
    variant: str = mini_variant.NAME


def drawn_from(*seed: object) -> random.Random:
    return random.Random(repr(seed))


def fresh(*seed: object) -> Randomness:
    """Return secret bytes that are the same for the same words."""
    return drawn_from(*seed).randbytes


def identity(table: TableKey, seat: int) -> Identity:
    return Identity.generate(fresh("identity", table, seat))


def draw_settings(table: TableKey) -> Settings:
    """Return settings: teams, options, clock and grace at random, among those of the variant."""
    dice = drawn_from("settings", table)
    variant = KNOWN_VARIANTS[table.variant]
    teams = dice.choice(next(size.teams for size in variant.sizes if size.players == table.players))

    free = (*variant.options, "open_hands")
    options = {row.field: dice.random() < 0.5 if row.field in free else row.usual for row in TABLE_OPTIONS}
    settings = Settings(
        variant=table.variant,
        players=table.players,
        teams=teams,
        colours=variant.colours[:teams],
        turn_time_s=dice.choice((0, 0, 5, 15)),
        grace_s=dice.choice((5, 10, 20)),
        **options,
    )
    check_settings(settings)
    return settings


def make_agreement(table: TableKey, settings: Settings | None = None) -> Agreement:
    """Return the agreement of a table, with its own settings or these."""
    settings = draw_settings(table) if settings is None else settings
    nonces = fresh("nonces", table)
    seats = tuple(
        SeatEntry(f"player {seat}", identity(table, seat).public, nonces(32)) for seat in range(1, table.players + 1)
    )
    return Agreement(1, settings, seats)


@lru_cache(2_000)
def _shuffled(
    deck: tuple[Ciphertext, ...], key: Point, context: Context, seed: tuple[object, ...]
) -> tuple[tuple[Ciphertext, ...], bytes]:
    return shuffle_and_prove(deck, key, context, fresh("shuffle", seed, context))


@lru_cache(2_000)
def _shared(
    secret: int, key: Point, cards: tuple[tuple[int, Point], ...], context: Context, seed: tuple[object, ...]
) -> tuple[bytes, bytes]:
    randomness = fresh("shares", seed, context)
    shares = [share(secret, a, randomness) for _, a in cards]
    return encode_points(shares), prove_shares(secret, key, cards, shares, context, randomness)


class Everything(set[bytes]):
    """The payloads of a seat whose key signs outside its program, too."""

    def __contains__(self, _: object) -> bool:
        return True


class VirtualSeat(SeatKeys):
    """A seat whose proofs follow from its table and the statement: each is made once per process.

    ``life`` counts the starts of its process: after a crash the same statement gets another proof, as from a seat with
    real randomness.
    """

    def __init__(self, table: TableKey, number: int, life: int, kept: SeatSecrets | None = None) -> None:
        super().__init__(number, identity(table, number), fresh("seat", table, number, life), kept)
        self._seed = (table, number, life)

    def _shuffle_body(self, match: Match) -> Body:
        game = match.game
        deck, proof = _shuffled(tuple(game.deck.mixing), game.joint_key, self._context(match), self._seed)
        return ShuffleBody(encode_deck(deck), proof)

    def _shares(self, match: Match, positions: Sequence[int]) -> tuple[bytes, bytes]:
        cards = tuple((position, match.game.deck.ciphertexts[position].a) for position in positions)
        return _shared(self._secret, self._key, cards, self._context(match), self._seed)
