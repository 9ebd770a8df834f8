"""The meeting place of a table: from the digits in its code to tokens at a relay."""

from seqp2p.lobby.place import meeting_place


async def test_a_place_has_four_tokens_and_a_mark() -> None:
    place = await meeting_place("48219375526041")
    assert len(set(place.tokens)) == 4
    assert {len(token) for token in place.tokens} == {32}
    assert len(place.mark) == 16
    assert place == await meeting_place("48219375526041")


async def test_another_digit_is_another_place() -> None:
    one, other = await meeting_place("48219375526041"), await meeting_place("48219375526042")
    assert not set(one.tokens) & set(other.tokens)
    assert one.mark != other.mark
