"""The steps before the first turn: ``seat``, ``reveal``, ``shuffle`` and ``deal``. docs/protocol.md, "Steps".

Each kind of step has a *check*, which judges one seat's body and returns the part that the step keeps, or raises
Refusal (or CryptoError), and a *close*, which runs once when all are in and changes the game. A check changes
nothing; ``held`` are the kept parts of earlier seats.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias

from seqp2p.crypto.elgamal import Ciphertext, decode_deck, joint_key
from seqp2p.crypto.group import Point, decode_point, decode_points, encode_point
from seqp2p.crypto.key_proof import key_commitment
from seqp2p.crypto.oracle import Context
from seqp2p.i18n import message
from seqp2p.match.contribution import RevealBody, SeatBody, SharesBody, ShuffleBody
from seqp2p.match.errors import Refusal
from seqp2p.match.events import Dealt, Event, Redealt, Seated, Shuffled
from seqp2p.match.game import Game, StepPlan
from seqp2p.match.joint import draw_dealer
from seqp2p.rules import UNKNOWN, deal_order, first_seat, hand_size, start

Held: TypeAlias = Mapping[int, Any]


def check_seat(_game: Game, _plan: StepPlan, body: SeatBody, _context: Context, _held: Held) -> bytes:
    """Check a commitment: any 32 bytes; step ``reveal`` opens it."""
    return body.commitment


def close_seat(game: Game, _plan: StepPlan, commitments: Mapping[int, bytes]) -> tuple[Event, ...]:
    """Keep the commitments of all seats, before any key is shown."""
    game.commitments.update(commitments)
    return ()


def check_reveal(game: Game, _plan: StepPlan, body: RevealBody, context: Context, held: Held) -> tuple[Point, bytes]:
    """Check that the key and the nonce open the commitment, and that the seat knows the key's secret.

    Two seats with one key made it together (each proof is bound to its seat), and only all seats together can make
    keys that cancel out (each is committed to before any is shown). Both are refused, at the seat that comes last.
    """
    key = decode_point(body.key)
    if key_commitment(game.id, context.seat, body.key, body.nonce) != game.commitments[context.seat]:
        raise Refusal(message("the game key and nonce are not those it committed to"))
    game.checks.key(key, body.proof, context)
    others = {seat: encode_point(other) for seat, (other, _) in held.items()}
    if body.key in others.values():
        raise Refusal(message("its game key is another seat's too"))
    if len(others) == game.players - 1:
        joint_key([key, *(other for other, _ in held.values())])
    return key, body.nonce


def close_reveal(game: Game, _plan: StepPlan, revealed: Mapping[int, tuple[Point, bytes]]) -> tuple[Event, ...]:
    """Fix the joint key and the dealer, and start the shuffle of the whole deck."""
    game.keys.update({seat: revealed[seat][0] for seat in game.seats})
    game.joint_key = joint_key([game.keys[seat] for seat in game.seats])
    game.draw = draw_dealer(game.variant, game.players, [revealed[seat][1] for seat in game.seats])
    game.owners = deal_order(game.players, game.draw.dealer, hand_size(game.variant, game.players))
    game.deck.begin(range(len(game.variant.deck)), game.joint_key)
    return (Seated(game.draw),)


def check_shuffle(
    game: Game, _plan: StepPlan, body: ShuffleBody, context: Context, _held: Held
) -> tuple[Ciphertext, ...]:
    """Check that the new deck is the old one, re-encrypted in another order."""
    before = game.deck.mixing
    after = decode_deck(body.deck, len(before))
    game.checks.shuffle(before, after, game.joint_key, body.proof, context)
    return after


def close_shuffle(game: Game, plan: StepPlan, decks: Mapping[int, tuple[Ciphertext, ...]]) -> tuple[Event, ...]:
    """Give this deck to the next seat; after the last seat it is the pile."""
    game.deck.mixing = decks[plan.subject]
    game.shuffles += 1
    if plan.subject == game.seats[-1]:
        game.deck.adopt()
    return (Shuffled(plan.subject, 1 + game.seats.index(plan.subject), game.reshuffles),)


def positions_of_others(game: Game, seat: int) -> list[int]:
    """Return the deck positions dealt to other seats, ascending."""
    return [position for position, owner in enumerate(game.owners, game.deck.drawn) if owner != seat]


def check_shares(game: Game, positions: list[int], body: SharesBody, context: Context) -> dict[int, Point]:
    """Check one share for each of these deck positions, with one proof, and return them by position."""
    shares = decode_points(body.shares, len(positions))
    statement = [(position, game.deck.ciphertexts[position].a) for position in positions]
    game.checks.shares(game.keys[context.seat], statement, shares, body.proof, context)
    return dict(zip(positions, shares, strict=True))


def check_deal(game: Game, _plan: StepPlan, body: SharesBody, context: Context, _held: Held) -> dict[int, Point]:
    """Check the shares for every card dealt to other seats."""
    return check_shares(game, positions_of_others(game, context.seat), body, context)


def close_deal(game: Game, _plan: StepPlan, shares: Mapping[int, dict[int, Point]]) -> tuple[Event, ...]:
    """Deal the hands, which only their holders can open."""
    game.shares += sum(map(len, shares.values()))
    for owner in game.owners:
        position = game.deck.give(owner)
        game.deck.open_partly(position, [shares[seat][position] for seat in game.seats if seat != owner])
    if game.position is not None:
        return (Redealt(),)
    assert game.draw is not None, "dealing before the dealer is drawn"
    settings = game.agreement.settings
    hidden = (UNKNOWN,) * hand_size(game.variant, game.players)
    first = first_seat(game.players, game.draw.dealer)
    game.position = start(
        game.variant, game.players, settings.teams, settings.options, first, [hidden for _ in game.seats]
    )
    return (Dealt(),)
