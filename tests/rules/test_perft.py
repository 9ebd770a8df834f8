"""The engine, and the rules of the second program, held against protocol/perft."""

import json
from functools import cache
from itertools import pairwise
from typing import Any, get_args

import pytest

from protocol.generate_perft import FILES, FOLDER, Play, as_text, content_of
from protocol.second.rules import read_action, read_position
from seqp2p import rules
from seqp2p.rules.position_text import parse_options
from seqp2p.rules.status import status
from tests.rules.both import assert_same, legal
from tests.rules.playing import TABLES

Case = dict[str, Any]
FILE_TEXTS = {name: (FOLDER / f"{name}.json").read_text("ascii") for name in FILES}
CASES: dict[str, list[Case]] = {name: json.loads(text)["cases"] for name, text in FILE_TEXTS.items()}


def begin(case: Case) -> Play:
    """The first position of a case, dealt from its deck or as it is drawn."""
    if "deck" not in case:
        position = rules.parse_position(case["start"])
        return Play(position, tuple(rules.parse_card(position.variant, card) for card in case["pile"]))
    variant, players = rules.VARIANTS[case["variant"]], case["players"]
    deck = [rules.parse_card(variant, card) for card in case["deck"]]
    order = rules.deal_order(players, case["dealer"], rules.hand_size(variant, players))
    hands = [[card for to, card in zip(order, deck, strict=False) if to == seat] for seat in range(1, players + 1)]
    first = rules.first_seat(players, case["dealer"])
    position = rules.start(variant, players, case["teams"], parse_options(case["options"]), first, hands)
    return Play(position, tuple(deck[len(order) :]))


@cache
def plays_of(name: str) -> list[list[Play]]:
    """The positions of each case of a file, with their piles."""
    found = []
    for case in CASES[name]:
        plays = [begin(case)]
        for text in case["actions"]:
            plays.append(plays[-1].after(rules.parse_action(plays[-1].position.variant, text)))
        found.append(plays)
    return found


@pytest.mark.parametrize("name", FILES)
def test_hashes_and_counts(name: str) -> None:
    for case, plays in zip(CASES[name], plays_of(name), strict=True):
        assert rules.format_position(plays[0].position) == case["start"]
        assert rules.format_position(plays[-1].position) == case["end"]
        assert name == "positions" or status(plays[-1].position) == ()
        assert len(case["hashes"]) + len(case["perft"]) >= 4
        for ply, told in case["hashes"].items():
            assert rules.position_hash(plays[int(ply)].position).hex() == told, (case["name"], ply)
        for ply, counts in case["perft"].items():
            position, pile = plays[int(ply)].position, plays[int(ply)].pile
            found = [rules.perft(position, pile, depth) for depth in range(1, len(counts) + 1)]
            assert found == counts, (case["name"], ply)


@pytest.mark.parametrize("name", FILES)
def test_the_second_program_comes_to_the_same_positions(name: str) -> None:
    for case, plays in zip(CASES[name], plays_of(name), strict=True):
        second = read_position(case["start"])
        for ply, action in enumerate(case["actions"]):
            if str(ply) in case["perft"]:
                assert len(legal(second)) == case["perft"][str(ply)][0]
            second = second.after(read_action(second.board, action))
            assert_same(second, plays[ply + 1].position)


def test_every_variant_size_and_option_is_there() -> None:
    dealt = [case for name in FILES for case in CASES[name] if "deck" in case]
    found = {(case["variant"], case["players"], case["teams"], case["options"]) for case in dealt}
    words = [row.word for row in rules.RULE_OPTIONS]
    options = ["-", *words, ",".join(words)]
    assert found == {
        (table.variant.name, table.players, table.teams, chosen)
        for table in TABLES
        for chosen in (options if table.variant.options else options[:1])
    }
    for case in dealt:
        variant = rules.VARIANTS[case["variant"]]
        assert sorted(case["deck"]) == sorted(variant.faces[card] for card in variant.deck)


def test_the_games_show_every_rule() -> None:
    kinds, seen = set[str](), set[str]()
    for name in FILES:
        for case, plays in zip(CASES[name], plays_of(name), strict=True):
            for text, (before, after) in zip(case["actions"], pairwise(play.position for play in plays), strict=True):
                action = rules.parse_action(before.variant, text)
                kinds.add(action.kind)
                seen |= {before.phase} | ({"named"} if action.ends else set())
                seen |= {"reshuffle"} if after.reshuffles > before.reshuffles else set()
                seen |= {"broken"} if len(after.sequences) < len(before.sequences) else set()
                seen |= {"drawn"} if after.drawn_game else {"won"} if after.winner else set()
    assert kinds == set(rules.ACTION_ROWS)
    assert seen == {*get_args(rules.Phase), "named", "reshuffle", "broken", "drawn", "won"}


def test_the_files_are_what_the_generator_writes() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == set(FILES)
    for name in ("kids", "positions"):
        assert as_text(content_of(name)) == FILE_TEXTS[name]
