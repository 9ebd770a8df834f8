"""The engine, and the rules written naively, held against protocol/perft."""

import json
from itertools import pairwise
from typing import Any

import pytest

from protocol.generate_perft import FILES, FOLDER, Play, as_text, content_of
from seqp2p.rules import (
    CLASSIC,
    KIDS,
    VARIANTS,
    Position,
    deal_order,
    first_seat,
    format_action,
    format_position,
    hand_size,
    legal_actions,
    parse_action,
    parse_card,
    parse_position,
    perft,
    position_hash,
    start,
)
from seqp2p.rules.position_text import parse_options
from seqp2p.rules.status import status
from tests.rules.naive import NaiveGame
from tests.rules.playing import TABLES
from tests.rules.test_games import assert_same

Case = dict[str, Any]
FILE_TEXTS = {name: (FOLDER / f"{name}.json").read_text("ascii") for name in FILES}
CASES: dict[str, list[Case]] = {name: json.loads(text)["cases"] for name, text in FILE_TEXTS.items()}


def begin(case: Case) -> Play:
    """The first position of a case, dealt from its deck or as it is drawn."""
    if "deck" not in case:
        position = parse_position(case["start"])
        return Play(position, tuple(parse_card(position.variant, card) for card in case["pile"]))
    variant, players = VARIANTS[case["variant"]], case["players"]
    deck = [parse_card(variant, card) for card in case["deck"]]
    order = deal_order(players, case["dealer"], hand_size(variant, players))
    hands = [[card for to, card in zip(order, deck, strict=False) if to == seat] for seat in range(1, players + 1)]
    first = first_seat(players, case["dealer"])
    position = start(variant, players, case["teams"], parse_options(case["options"]), first, hands)
    return Play(position, tuple(deck[len(order) :]))


@pytest.mark.parametrize("name", FILES)
def test_hashes_and_counts(name: str) -> None:
    for case in CASES[name]:
        play, checked = begin(case), 0
        assert format_position(play.position) == case["start"]
        for ply in range(len(case["actions"]) + 1):
            if str(ply) in case["hashes"]:
                assert position_hash(play.position).hex() == case["hashes"][str(ply)], (case["name"], ply)
                checked += 1
            counts = case["perft"].get(str(ply), [])
            assert [perft(play.position, play.pile, depth) for depth in range(1, len(counts) + 1)] == counts, (
                case["name"],
                ply,
            )
            checked += bool(counts)
            if ply < len(case["actions"]):
                play = play.after(parse_action(play.position.variant, case["actions"][ply]))
        assert format_position(play.position) == case["end"]
        assert checked == len(case["hashes"]) + len(case["perft"])
        assert checked >= 4


def naively(case: Case) -> NaiveGame:
    """The same game, dealt naively."""
    deck, players = case["deck"], case["players"]
    hand = {2: 7, 3: 6, 4: 6, 6: 5, 8: 4, 9: 4, 10: 3, 12: 3}[players] if case["variant"] == "classic" else 3
    left = case["dealer"] % players + 1
    seats = [(left + place - 1) % players + 1 for place in range(players)]
    return NaiveGame(
        kids=case["variant"] == "kids",
        players=players,
        teams=case["teams"],
        options=set(case["options"].split(",")) - {"-"},
        seat=left,
        hands={seat: deck[seats.index(seat) : players * hand : players] for seat in sorted(seats)},
        pile=deck[players * hand :][::-1],
    )


@pytest.mark.parametrize("name", [name for name in FILES if name != "positions"])
def test_the_rules_written_naively_come_to_the_same_end(name: str) -> None:
    for case in CASES[name]:
        naive = naively(case)
        for ply, action in enumerate(case["actions"]):
            if str(ply) in case["perft"]:
                assert len(naive.legal()) == case["perft"][str(ply)][0]
            card = action.split(" ")[0]
            put_down = {naive.todo[0][1]: [card] if card != "draw" else []}
            lying = [other for seat in naive.hands for other in naive.discards[seat] + put_down.get(seat, [])]
            naive.play(action, [] if naive.pile else lying[::-1])
        assert_same(naive, parse_position(case["end"]))


def test_every_variant_size_and_option_is_there() -> None:
    dealt = [case for name in FILES for case in CASES[name] if "deck" in case]
    found = {(case["variant"], case["players"], case["teams"], case["options"]) for case in dealt}
    options = ["-", "advanced", "no-table-talk", "manual-draw", "advanced,no-table-talk,manual-draw"]
    assert found == {
        (variant.name, players, teams, chosen)
        for variant, players, teams in TABLES
        for chosen in (options if variant is CLASSIC else options[:1])
    }
    for case in dealt:
        variant = CLASSIC if case["variant"] == "classic" else KIDS
        assert sorted(case["deck"]) == sorted(variant.faces[card] for card in variant.deck)


def walk(case: Case) -> list[Position]:
    plays = [begin(case)]
    for text in case["actions"]:
        plays.append(plays[-1].after(parse_action(plays[-1].position.variant, text)))
    return [play.position for play in plays]


def test_the_games_show_every_rule() -> None:
    kinds, seen = set[str](), set[str]()
    for name in FILES:
        for case in CASES[name]:
            for text, (before, after) in zip(case["actions"], pairwise(walk(case)), strict=True):
                action = parse_action(before.variant, text)
                kinds.add(action.kind)
                seen |= {before.phase} | ({"named"} if action.ends else set())
                seen |= {"reshuffle"} if after.reshuffles > before.reshuffles else set()
                seen |= {"broken"} if len(after.sequences) < len(before.sequences) else set()
                seen |= {"drawn"} if after.drawn_game else {"won"} if after.winner else set()
                legal = {format_action(before.variant, other) for other in legal_actions(before)}
                assert action.ends or action.kind == "call" or text in legal
                assert name == "positions" or status(after) == ()
    assert kinds == {"place", "remove", "exchange", "pass", "draw", "end", "waive", "call", "give"}
    assert seen == {"play", "draw", "late", "penalty", "named", "reshuffle", "broken", "drawn", "won"}


@pytest.mark.parametrize("name", ["kids", "positions"])
def test_the_files_are_what_the_generator_writes(name: str) -> None:
    assert as_text(content_of(name)) == FILE_TEXTS[name]


def test_no_file_is_left_over() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == set(FILES)
