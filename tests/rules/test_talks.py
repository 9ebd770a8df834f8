"""What is played at a position on the engine and on the second program, and why other actions are refused."""

import re
from pathlib import Path
from typing import Any

import pytest

from seqp2p import rules
from seqp2p.rules.status import status
from tests.rules.both import both_at
from tests.rules.playing import do, full_board, make
from tests.ui.kept import Talk, talks

TALKS = Path(__file__).with_name("talks.txt")
RULES = Path(__file__).parents[2] / "docs" / "rules.md"


def position_of(place: str) -> rules.Position:
    """``2C,3C 4C a=h2,d7 quiet=7``: the hands, then chips and other arguments of ``make``."""
    words = place.split()
    hands = [word for word in words if "=" not in word and word not in ("full", "impossible")]
    given: dict[str, Any] = dict(word.split("=") for word in words if "=" in word)
    chips = {team: given.pop(team, "").replace(",", " ") for team in "abc"}
    given |= {name: int(number) for name, number in given.items() if number.isdecimal()}
    given |= {"discards": given["discards"].split("/")} if "discards" in given else {}
    given["variant"] = rules.VARIANTS[given.get("variant", "classic")]
    return make(full_board() if "full" in words else chips, hands, possible="impossible" not in words, **given)


def told(position: rules.Position) -> str:
    """What follows: whose turn it is for what, the cards, turns without a chip, the sequences, and what is pending."""
    hands = "/".join(str(len(hand)) for hand in position.hands)
    counts = [f"{name} {count}" for name in ("idle", "quiet") if (count := getattr(position, name))]
    ends = [(team, rules.format_ends(position.variant, (at[0], at[-1]))) for team, at in position.sequences]
    made = [f"{'abc'[team - 1]}:{names}" for team, names in ends]
    pending = rules.format_position(position).split()[16:]
    over = f"team {position.winner} has won" if position.winner else "the game is drawn"
    turn = over if position.over else f"{position.phase}: seat {position.to_move}"
    parts = [f"{turn}, turn {position.turn}", f"hands {hands}", f"pile {position.pile}", *counts, *made, *pending]
    return "; ".join(parts)


def dropped(position: rules.Position, seats: str) -> rules.Position:
    """These seats leave: all cards that nobody has seen are still there, and what lies on the table."""
    after = rules.drop(position, [int(seat) for seat in seats.split(",") if seat])
    assert after.exchanged == (position.exchanged if position.mover in after.staying else 0)
    assert sum(map(len, after.hands)) + after.pile == sum(map(len, position.hands)) + position.pile
    assert (after.discards, after.draws, after.chips) == (position.discards, position.draws, position.chips)
    return after


@talks(__file__, "talks.txt")
def test_talk(talk: Talk) -> None:
    """Actions, skips and drops, one after the other; a card behind + is drawn."""
    position = position_of(talk.place)
    possible, variant = status(position) == (), position.variant
    absent = position.out or position.phase == "penalty" or "skip" in talk.text or "> drop" in talk.text
    both = None if absent else both_at(position)

    def follow(text: str, drawn: str) -> rules.Position:
        if text == "skip":
            return rules.skip(position)
        if text.startswith("drop"):
            return dropped(position, text.removeprefix("drop").strip())
        action = rules.parse_action(variant, text)
        if both is None:
            return rules.apply(position, action)
        if drawn:
            both.lay_on_top(rules.parse_card(variant, drawn))
        both.play(action)
        both.compare_legal()
        return both.game.position

    def answer(line: str) -> list[str]:
        nonlocal position
        text, _, drawn = line[2:].partition(" +")
        try:
            position = follow(text, drawn)
        except ValueError as refused:
            return [str(refused)]
        assert not possible or status(position) == ()
        counted = {square for _, line in position.sequences for square in line} - {*variant.board.corners}
        assert position.options.advanced or {*rules.squares_of(position.protected)} == counted
        return [told(position)]

    if both is not None:
        both.compare_legal()
    talk.check(map(answer, talk.lines))


def test_names_of_two_lines_that_share_chips_are_ambiguous() -> None:
    with pytest.raises(rules.AmbiguousAction):
        do(make({"a": "a5 b5 c5 e5 f5 g5"}, ["JC", "JS"]), "JC d5 a5-e5 b5-f5")


def test_every_talk_that_docs_rules_md_names_exists() -> None:
    named = re.findall(r"test_talks\.py::test_talk` \((.*?)\)", RULES.read_text("utf-8"))
    claims = re.findall(r"^== (.*)$", TALKS.read_text("utf-8"), re.MULTILINE)
    assert len(named) > 10
    assert {claim for names in named for claim in names.split("; ")} <= {*claims}
