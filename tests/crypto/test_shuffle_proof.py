from collections.abc import Callable
from dataclasses import replace
from itertools import product

import pytest

from seqp2p.crypto import group
from seqp2p.crypto import shuffle as module
from seqp2p.crypto.elgamal import Ciphertext, card_points, fresh_deck, reencrypt
from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.group import INFINITY, ORDER, G, Point, add, encode_point, mul, mul_base, neg, sub, sum_points
from seqp2p.crypto.oracle import nonces
from seqp2p.crypto.shuffle import ShuffleProof, generators, prove_shuffle, shuffle, shuffle_and_prove, verify_shuffle
from tests.crypto.adversary import Deck, forge, mapped, second_verifier_accepts
from tests.crypto.tools import CONTEXT, point, stream

PK = mul_base(7**80)
CARDS = card_points("classic", 104)
DECK = tuple(reencrypt(card, PK, 100 + i) for i, card in enumerate(fresh_deck(PK, CARDS[:3])))
SHUFFLED, PROOF = shuffle_and_prove(DECK, PK, CONTEXT, stream("proof"))
PARTS = ShuffleProof.decode(PROOF, 3)
REGIONS = ("c", "c_hat", "t", "t_hat", "s", "s_hat", "s_prime")


def broken(deck: Deck, shuffled: Deck, proof: bytes) -> set[str]:
    """The names of the equations that do not hold."""
    equations = module.shuffle_equations(deck, shuffled, PK, proof, CONTEXT)
    return {equation.name.split()[0] for equation in equations if not equation.holds()}


def refused(
    deck: Deck = DECK, shuffled: Deck = SHUFFLED, pk: Point = PK, proof: bytes = PROOF, match: str = "does not hold"
) -> None:
    with pytest.raises(CryptoError, match=match):
        verify_shuffle(deck, shuffled, pk, proof, CONTEXT)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 104])
def test_right_proofs_hold_and_a_plain_verifier_agrees(n: int) -> None:
    deck = fresh_deck(PK, CARDS[:n])
    shuffled, proof = shuffle_and_prove(deck, PK, CONTEXT, stream(n))
    verify_shuffle(deck, shuffled, PK, proof, CONTEXT)
    assert second_verifier_accepts(deck, shuffled, PK, proof, CONTEXT)
    assert len(proof) == module.proof_size(n) == 163 * n + 293
    assert shuffle_and_prove(deck, PK, CONTEXT, stream(n)) == (shuffled, proof)
    assert ShuffleProof.decode(proof, n).encode() == proof


def test_generators_are_fixed_and_differ() -> None:
    assert len({module.generator(i) for i in range(105)} | set(CARDS) | {G}) == 105 + 104 + 1
    assert generators(3) == (module.generator(1), module.generator(2), module.generator(3)) == generators(104)[:3]


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("half", ["a", "b"])
def test_the_key_and_every_ciphertext_are_bound(place: int, half: str) -> None:
    def bent(cards: Deck) -> Deck:
        card = replace(cards[place], **{half: add(getattr(cards[place], half), G)})
        return [*cards[:place], card, *cards[place + 1 :]]

    refused(deck=bent(DECK))
    refused(shuffled=bent(SHUFFLED))
    refused(pk=add(PK, G))


def test_every_commitment_and_response_is_bound() -> None:
    # A response that is changed breaks its own equations only; a commitment changes the challenge, so all break.
    every = {f"t_{k}" for k in ("1", "2", "3", "4a", "4b")} | {f"t_hat_{i}" for i in (1, 2, 3)}
    for region in REGIONS:
        values = getattr(PARTS, region)
        for i, value in enumerate(values):
            other = add(value, G) if isinstance(value, Point) else value % (ORDER - 1) + 1
            changed = replace(PARTS, **{region: (*values[:i], other, *values[i + 1 :])})
            found = broken(DECK, SHUFFLED, changed.encode())
            assert found, (region, i)
            assert found == every if region[0] in "ct" else found < every, (region, i)


def test_wrong_lengths_are_refused() -> None:
    refused(proof=PROOF[163:], match="782 bytes")
    refused(deck=DECK[:2], match="619 bytes")
    refused(shuffled=SHUFFLED[:2], match="keeps the number of cards")
    refused(deck=(), shuffled=(), proof=bytes(293), match="not a point")
    with pytest.raises(CryptoError, match="at least one"):
        prove_shuffle((), (), PK, (), (), CONTEXT, stream(0))


def test_infinity_in_the_statement_is_refused() -> None:
    refused(pk=INFINITY, match="infinity")
    for card in (Ciphertext(INFINITY, G), Ciphertext(G, INFINITY)):
        refused(deck=(card, *DECK[1:]), match="infinity")
        refused(shuffled=(*SHUFFLED[:2], card), match="infinity")
        with pytest.raises(CryptoError, match="infinity"):
            prove_shuffle(DECK, (*SHUFFLED[:2], card), PK, (0, 1, 2), (1, 1, 1), CONTEXT, stream(0))


@pytest.mark.parametrize("place", range(14))
def test_points_that_are_none_are_refused(place: int) -> None:
    for bad in (bytes(33), b"\2" + b"\xff" * 32, b"\4" + PROOF[1:33]):
        refused(proof=PROOF[: 33 * place] + bad + PROOF[33 * (place + 1) :], match="not a point")


@pytest.mark.parametrize("place", range(10))
def test_scalars_out_of_range_are_refused(place: int) -> None:
    at = 14 * 33 + 32 * place
    for bad in (bytes(32), ORDER.to_bytes(32, "big"), b"\xff" * 32):
        refused(proof=PROOF[:at] + bad + PROOF[at + 32 :], match="1 … q−1")


OTHER_DECK, _ = shuffle_and_prove(DECK, PK, CONTEXT, stream("other deck"))
Change = Callable[[Ciphertext, Ciphertext, Ciphertext], Deck]
CHEATS: dict[str, Change] = {
    "a card twice, re-encrypted": lambda a, b, c: (reencrypt(b, PK, 9), b, c),
    "a ciphertext twice": lambda a, b, c: (b, b, c),
    "a card swapped in": lambda a, b, c: (a, Ciphertext(G, add(CARDS[50], PK)), c),
    "no card swapped in": lambda a, b, c: (a, Ciphertext(mul_base(77), point(5)), c),
    "a card of another deck": lambda a, b, c: (OTHER_DECK[0], b, c),
    "two cards whose sum stays": lambda a, b, c: (replace(a, b=add(a.b, G)), replace(b, b=sub(b.b, G)), c),
    "cards swapped after the proof": lambda a, b, c: (c, b, a),
}


@pytest.mark.parametrize("change", CHEATS.values(), ids=CHEATS)
def test_a_shuffle_of_other_cards_is_refused(change: Change) -> None:
    shuffled, permutation, rerandomisers = shuffle(DECK, PK, stream("cheat"))
    bent = change(*shuffled)
    proof = prove_shuffle(DECK, bent, PK, permutation, rerandomisers, CONTEXT, stream("cheat proof"))
    found = broken(DECK, bent, proof)
    assert found
    assert found <= {"t_4a", "t_4b"}
    refused(shuffled=bent, proof=proof, match="t_4[ab] of the shuffle proof")


def test_a_shuffle_of_another_deck_is_refused() -> None:
    refused(shuffled=OTHER_DECK)


def test_other_rerandomisers_are_refused() -> None:
    shuffled, permutation, rerandomisers = shuffle(DECK, PK, stream("cheat"))
    wrong = (rerandomisers[1], rerandomisers[0], rerandomisers[2])
    proof = prove_shuffle(DECK, shuffled, PK, permutation, wrong, CONTEXT, stream("wrong"))
    assert broken(DECK, shuffled, proof) == {"t_4a", "t_4b"}


THIRD = pow(3, -1, ORDER)
HALF = pow(2, -1, ORDER)
TWO = DECK[:2]
RHO = [21, 34]


@pytest.mark.parametrize(
    ("outputs", "weights", "fails"),
    [
        # Outputs are mixtures of the cards. Σu'_i·e'_i = Σu_j·e_j whatever the weights: only the products tell.
        ([[2 * THIRD, THIRD], [THIRD, 2 * THIRD]], [[2, -1], [-1, 2]], {"t_2"}),
        # Scaled cards, with factors that multiply to 1: only the sums of the rows tell.
        ([[HALF, 0], [0, 2]], [[2, 0], [0, HALF]], {"t_1"}),
        # One card twice, and the weights counted twice, once, or shared.
        ([[1, 0], [1, 0]], [[1, 0], [1, 0]], {"t_2", "t_4a", "t_4b"}),
        ([[1, 0], [1, 0]], [[1, 0], [0, 1]], {"t_4a", "t_4b"}),
        ([[1, 0], [1, 0]], [[HALF, HALF], [HALF, HALF]], {"t_2", "t_4a", "t_4b"}),
        # A sum of cards in the place of one.
        ([[1, 1], [0, 1]], [[1, 0], [-1, 1]], {"t_1", "t_2"}),
        # The honest exchange of two cards.
        ([[0, 1], [1, 0]], [[0, 1], [1, 0]], set()),
    ],
)
def test_linear_maps_of_the_deck_are_refused(
    outputs: list[list[int]], weights: list[list[int]], fails: set[str]
) -> None:
    shuffled = mapped(TWO, outputs, PK, RHO)
    proof = forge(TWO, shuffled, PK, weights, RHO, CONTEXT, stream("forge"))
    assert broken(TWO, shuffled, proof) == fails
    assert second_verifier_accepts(TWO, shuffled, PK, proof, CONTEXT) == (not fails)


def test_commitments_and_responses_of_two_proofs_do_not_mix() -> None:
    other = ShuffleProof.decode(
        prove_shuffle(DECK, SHUFFLED, PK, *shuffle(DECK, PK, stream("proof"))[1:], CONTEXT, stream("again")), 3
    )
    verify_shuffle(DECK, SHUFFLED, PK, other.encode(), CONTEXT)
    for region in REGIONS:
        refused(proof=replace(PARTS, **{region: getattr(other, region)}).encode())


def test_a_commitment_that_sums_to_the_generators_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    # With Σr_i = 0 the verifier meets Σc_i − ΣH_i = infinity, and must go on.
    def rigged(label: str, secret: bytes, statement: bytes, fresh: bytes, count: int) -> tuple[int, ...]:
        drawn = nonces(label, secret, statement, fresh, count)
        return (*drawn[:2], -sum(drawn[:2]) % ORDER, *drawn[3:])

    monkeypatch.setattr("seqp2p.crypto.shuffle.nonces", rigged)
    shuffled, proof = shuffle_and_prove(DECK, PK, CONTEXT, stream("rigged"))
    parts = ShuffleProof.decode(proof, 3)
    assert sum_points(parts.c) == sum_points(generators(3))
    assert parts.t[0] == mul_base(parts.s[0])
    verify_shuffle(DECK, shuffled, PK, proof, CONTEXT)
    assert second_verifier_accepts(DECK, shuffled, PK, proof, CONTEXT)


def test_a_chain_without_masks_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    # With r̂ = 0 the verifier meets ĉ_N − u·H = infinity. It gives ψ away, but that is the prover's loss.
    deck = DECK[:1]
    monkeypatch.setattr("seqp2p.crypto.shuffle.nonces", lambda *_: (0, 0, 3, 4, 5, 6, 7, 8))
    shuffled, proof = shuffle_and_prove(deck, PK, CONTEXT, stream("unmasked"))
    verify_shuffle(deck, shuffled, PK, proof, CONTEXT)
    assert second_verifier_accepts(deck, shuffled, PK, proof, CONTEXT)


def test_what_cannot_be_written_is_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    good = (2, 3, 4, 5, 6, 7, 8, 9)
    drawn = iter([(2, 3, 0, 5, 6, 7, 8, 9), good])  # ω_1 = 0 makes t_1 infinite
    monkeypatch.setattr("seqp2p.crypto.shuffle.nonces", lambda *_: next(drawn))
    shuffled, proof = shuffle_and_prove(DECK[:1], PK, CONTEXT, stream("again"))
    assert ShuffleProof.decode(proof, 1).t[0] == mul_base(4)
    verify_shuffle(DECK[:1], shuffled, PK, proof, CONTEXT)
    assert not replace(PARTS, s=(0, 1, 1, 1)).is_writable
    with pytest.raises(CryptoError, match="1 … q−1"):
        replace(PARTS, s=(0, 1, 1, 1)).encode()


def test_no_field_is_a_difference_of_one_cards_ciphertexts() -> None:
    # A deployed poker shuffle showed log_G(a'_i − a_j) for each card: then i comes from j.
    scalars = [*PARTS.s, *PARTS.s_hat, *PARTS.s_prime]
    points = {*PARTS.c, *PARTS.c_hat, *PARTS.t, *PARTS.t_hat, *map(mul_base, scalars), *(mul(PK, s) for s in scalars)}
    points |= {neg(P) for P in points}
    links = [*SHUFFLED, *DECK]
    for one, other in product(links, links):
        assert sub(one.a, other.a) not in points
        assert sub(one.b, other.b) not in points
    for c, H in product(PARTS.c, generators(3)):
        assert sub(c, H) not in points


def test_no_field_moves_with_the_permutation() -> None:
    # For each list of the proof: does the field at place i say anything of ψ(i)? 9 cells, so 8 degrees of
    # freedom (4 once the margins are fixed): 26.1 is exceeded once in a thousand times.
    tables = {region: [[0] * 3 for _ in range(3)] for region in ("c", "c_hat", "t_hat", "s_hat", "s_prime")}
    shuffles = 250
    randomness = stream("observer")
    for _ in range(shuffles):
        shuffled, permutation, rerandomisers = shuffle(DECK, PK, randomness)
        proof = prove_shuffle(DECK, shuffled, PK, permutation, rerandomisers, CONTEXT, randomness)
        parts = ShuffleProof.decode(proof, 3)
        for region, table in tables.items():
            values = [
                v if isinstance(v, int) else int.from_bytes(encode_point(v), "big") for v in getattr(parts, region)
            ]
            ranks = sorted(range(3), key=values.__getitem__)
            for i in range(3):
                table[ranks.index(i)][permutation[i]] += 1
    for region, table in tables.items():
        expected = shuffles / 3
        assert sum((count - expected) ** 2 / expected for row in table for count in row) < 26.1, region


def test_one_permutation_used_twice_gives_proofs_with_nothing_in_common() -> None:
    proofs = []
    for seed in (1, 2):
        randomness = stream(seed)
        rerandomisers = tuple(group.random_scalar(randomness) for _ in range(3))
        shuffled = tuple(reencrypt(DECK[j], PK, rerandomisers[j]) for j in (2, 0, 1))
        proof = prove_shuffle(DECK, shuffled, PK, (2, 0, 1), rerandomisers, CONTEXT, randomness)
        verify_shuffle(DECK, shuffled, PK, proof, CONTEXT)
        parts = ShuffleProof.decode(proof, 3)
        proofs.append({value for region in REGIONS for value in getattr(parts, region)})
    assert not proofs[0] & proofs[1]


def test_secrets_are_not_printed() -> None:
    shuffled, permutation, rerandomisers = shuffle(DECK, PK, stream("print"))
    oracle = module._oracle(DECK, shuffled, PK, CONTEXT)
    secrets = module._ShuffleSecrets.draw(permutation, rerandomisers, oracle, bytes(32))
    assert str(rerandomisers[0]) not in repr(secrets)
    assert "permutation" not in repr(secrets)
