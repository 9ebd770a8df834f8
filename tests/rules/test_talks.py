"""What is played at a position on the engine and on the rules written naively, and why other actions are refused."""

import re
from pathlib import Path
from typing import Any

import pytest

from seqp2p.rules import AmbiguousAction, Position, RulesError, format_ends, parse_action, parse_card
from seqp2p.rules.status import status
from tests.rules.both import both_at
from tests.rules.playing import do, full_board, make
from tests.ui.kept import Talk, talks

TALKS = Path(__file__).with_name("talks.txt")
RULES = Path(__file__).parents[2] / "docs" / "rules.md"


def position_of(place: str) -> Position:
    """``2C,3C 4C a=h2,d7 quiet=7``: the hands, then chips and other arguments of ``make``."""
    words = place.split()
    hands = [word for word in words if "=" not in word and word not in ("full", "impossible")]
    given: dict[str, Any] = dict(word.split("=") for word in words if "=" in word)
    chips = {team: given.pop(team, "").replace(",", " ") for team in "ab"}
    given |= {name: int(number) for name, number in given.items() if number.isdecimal()}
    given |= {"discards": given["discards"].split("/")} if "discards" in given else {}
    return make(full_board() if "full" in words else chips, hands, possible="impossible" not in words, **given)


def told(position: Position) -> str:
    """What follows an action: whose turn it is for what, the hands and the pile, and the sequences."""
    if position.over:
        return f"team {position.winner} has won" if position.winner else "the game is drawn"
    hands = "/".join(str(len(hand)) for hand in position.hands)
    made = [f"{'ab'[team - 1]}:{format_ends(position.variant, (at[0], at[-1]))}" for team, at in position.sequences]
    return "; ".join([f"{position.phase}: seat {position.to_move}", f"hands {hands}", f"pile {position.pile}", *made])


@talks(__file__, "talks.txt")
def test_talk(talk: Talk) -> None:
    """Actions, one after the other; a card behind + is drawn."""
    both = both_at(position_of(talk.place))
    possible = status(both.game.position) == ()
    both.compare_legal()

    def answer(line: str) -> list[str]:
        text, _, drawn = line[2:].partition(" +")
        variant = both.game.position.variant
        try:
            action = parse_action(variant, text)
            if drawn:
                both.lay_on_top(parse_card(variant, drawn))
            both.play(action)
        except RulesError as refused:
            return [str(refused)]
        assert not possible or status(both.game.position) == ()
        both.compare_legal()
        return [told(both.game.position)]

    talk.check(map(answer, talk.lines))


def test_names_of_two_lines_that_share_chips_are_ambiguous() -> None:
    with pytest.raises(AmbiguousAction):
        do(make({"a": "a5 b5 c5 e5 f5 g5"}, ["JC", "JS"]), "JC d5 a5-e5 b5-f5")


def test_every_talk_that_docs_rules_md_names_exists() -> None:
    named = re.findall(r"test_talks\.py::test_talk` \((.*?)\)", RULES.read_text("utf-8"))
    claims = re.findall(r"^== (.*)$", TALKS.read_text("utf-8"), re.MULTILINE)
    assert len(named) > 10
    assert {claim for names in named for claim in names.split("; ")} <= {*claims}
