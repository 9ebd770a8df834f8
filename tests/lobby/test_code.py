import hmac
import random

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from seqp2p.lobby.code import make_code, make_place, make_table_number, parse_code, place_of, public_part, safety_words
from seqp2p.lobby.pake import Exchange, give_code
from seqp2p.net.auth import receive, send
from seqp2p.net.errors import BadCode, PeerError
from seqp2p.net.limits import Limits
from seqp2p.net.messages import Confirm, LinkStage, PakeA, PakeB
from tests.net.tools import frames_pair, randomness


@given(st.integers(1, 99), st.binary(min_size=2, max_size=4), st.sampled_from([" ", "-", " - ", "_", "–", ". "]))
def test_every_code_can_be_typed_in_many_ways(number: int, words: bytes, separator: str) -> None:
    code = make_code(number, len(words), lambda _: words)
    assert parse_code(code) == code
    assert public_part(code) == (number, len(words))
    assert place_of(code) is None
    assert parse_code(f"  {code.upper().replace('-', separator)} ") == code
    assert parse_code(f"{number:02}{separator}{separator.join(code.split('-')[1:])}") == code


@given(
    st.integers(1, 99),
    st.integers(0, 10**14 - 1).map("{:014}".format),
    st.binary(min_size=2, max_size=3),
    st.lists(st.sampled_from(["", " ", "-", ". "]), min_size=14, max_size=14),
)
def test_the_place_in_a_code_is_grouped_as_one_likes(number: int, place: str, words: bytes, spaces: list[str]) -> None:
    code = make_code(number, len(words), lambda _: words, place)
    assert parse_code(code) == code
    assert len(code.split("-")) <= 6
    assert public_part(code) == (number, len(words))
    assert place_of(code) == place
    grouped = "".join(digit + space for digit, space in zip(place, spaces, strict=True))
    assert parse_code(f"{number} {grouped}{' '.join(code.split('-')[3:])}") == code


def test_places_have_14_digits() -> None:
    places = [make_place(random.Random(seed).randbytes) for seed in range(200)]
    assert all(len(place) == 14 and place.isdigit() for place in places)
    assert len(set(places)) == 200
    draws = iter([b"\xff" * 6, bytes(5) + b"\x0f"])
    assert make_place(lambda _: next(draws)) == "00000000000007"


WRONG = {
    "not a join code": [
        *("amber-falcon", "7-amber", "7-amber-falcon-fox-amber-fox", "7-4821937-5526041-amber"),
        "7-4821937-5526041-amber-falcon-fox-amber",
    ],
    "number, 1 to 99": [
        *("0-amber-falcon", "100-amber-falcon", "1" * 5000 + "-amber-falcon", "0" * 5000 + "7-amber-falcon"),
        *("٧-amber-falcon", "seven-amber-falcon", "748219375526041-amber-falcon"),
    ],
    "14 digits": [
        *("7-4821937-552604-amber-falcon", "7-4821937-55260411-amber-falcon", "7-8-amber-falcon"),
        *("7-4821937-552604١-amber-falcon", "7-4821937-amber-5526041-falcon"),
    ],
    "'xyzzy' is not a word": ["7-amber-xyzzy"],
    "not a word that join codes use": ["7-amber-" + "\x1b" + "x" * 50],
}


@pytest.mark.parametrize(("part", "text"), [(part, text) for part, texts in WRONG.items() for text in texts])
def test_what_is_wrong_is_said(part: str, text: str) -> None:
    with pytest.raises(BadCode, match=part):
        parse_code(text)


def test_a_slip_gets_the_word_meant() -> None:
    with pytest.raises(BadCode) as error:
        parse_code("7-ambre-falcon")
    assert error.value.hint == "Did you mean 'amber'?"


def test_table_numbers_are_1_to_99() -> None:
    numbers = {make_table_number(random.Random(2).randbytes) for _ in range(3)}
    source = random.Random(3).randbytes
    numbers |= {make_table_number(source) for _ in range(3000)}
    assert numbers == set(range(1, 100))


KEYS = st.binary(min_size=32, max_size=32)


@given(st.binary(max_size=400), KEYS, KEYS)
def test_both_ends_have_the_same_safety_words(seed: bytes, key_a: bytes, key_b: bytes) -> None:
    assert safety_words(seed, key_a, key_b) == safety_words(seed, key_b, key_a)


def test_other_keys_or_another_table_give_other_safety_words() -> None:
    keys = [bytes([number]) * 32 for number in range(40)]
    assert len({safety_words(b"seed", keys[0], key) for key in keys[1:]}) == 39
    assert len({safety_words(bytes([number]), keys[0], keys[1]) for number in range(40)}) == 40


JOINER, HOST, CERTIFICATE = bytes([1]) * 32, bytes([2]) * 32, bytes([3]) * 32
CODE = "7-amber-falcon"
LIMITS = Limits()


def exchange(
    code: str, *, host: bool, joiner: bytes = JOINER, host_key: bytes = HOST, certificate: bytes = CERTIFICATE
) -> Exchange:
    return Exchange(code, joiner, host_key, certificate, randomness, host=host)


@pytest.mark.parametrize(
    "other",
    [
        exchange("8-amber-falcon", host=True),
        exchange(CODE, host=True, joiner=bytes(32)),
        exchange(CODE, host=True, host_key=bytes(32)),
        exchange(CODE, host=True, certificate=bytes(32)),
    ],
)
def test_any_difference_shows(other: Exchange) -> None:
    mine = exchange(CODE, host=False)
    assert not set(mine.finish(other.message)) & set(other.finish(mine.message))


def test_messages_that_are_none() -> None:
    fresh = [exchange(CODE, host=False) for _ in range(6)]
    reflected = b"B" + fresh[5].message[1:]
    wrong = [b"B" + bytes(32), b"A" + bytes(32), b"X" + bytes(32), bytes(33), b"B" + b"\xff" * 32, reflected]
    for mine, message in zip(fresh, wrong, strict=True):
        with pytest.raises(PeerError, match="did not send a message of the code exchange"):
            mine.finish(message)


@pytest.mark.parametrize("step", [1, 2, 3])
async def test_a_host_that_does_not_know_the_code(step: int, nursery: trio.Nursery) -> None:
    here, there = frames_pair()

    @nursery.start_soon
    async def host() -> None:
        first = await receive(here, LinkStage.CODE_HOST, LIMITS)
        assert isinstance(first, PakeA)
        guess = exchange("7-amber-eagle", host=True)
        await send(here, Confirm(bytes(32)) if step == 1 else PakeB(guess.message))
        if step == 1:
            return
        joiner, mac = guess.finish(first.message)
        second = await receive(here, LinkStage.CODE_HOST, LIMITS)
        assert isinstance(second, Confirm)
        assert not hmac.compare_digest(second.mac, joiner)
        await send(here, PakeB(guess.message) if step == 2 else Confirm(mac))

    with pytest.raises(PeerError, match="code"):
        await give_code(there, exchange(CODE, host=False), LIMITS)


async def test_a_client_that_waits_for_its_turn_is_told(autojump_clock: object, nursery: trio.Nursery) -> None:
    here, there = frames_pair()
    told: list[float] = []
    own, theirs = exchange(CODE, host=False), exchange(CODE, host=True)

    @nursery.start_soon
    async def host() -> None:
        first = await receive(here, LinkStage.CODE_HOST, LIMITS)
        assert isinstance(first, PakeA)
        await trio.sleep(10)
        await send(here, PakeB(theirs.message))
        assert isinstance(await receive(here, LinkStage.CODE_HOST, LIMITS), Confirm)
        await send(here, Confirm(theirs.finish(first.message)[1]))

    begun = trio.current_time()
    await give_code(there, own, LIMITS, lambda: told.append(trio.current_time() - begun))
    assert told == [pytest.approx(LIMITS.code_hurry_s, abs=0.1)]
