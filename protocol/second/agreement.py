"""Sections 5 and 9: the agreement, and who deals."""

from collections import deque
from typing import Any

from protocol.second.basics import (
    below,
    check_identity_point,
    is_bytes,
    is_int,
    is_name,
    joint_words,
    permutation,
    raising,
    require,
    unpack_map,
)
from protocol.second.rules import DATA

# The options of the rules: the unusual value of each, and the word for it in a position's text.
OPTIONS = {"advanced": (True, "advanced"), "table_talk": (False, "no-table-talk"), "manual_draw": (True, "manual-draw")}


class Table(Exception):
    """An agreement that cannot be played."""


def read_agreement(data: bytes) -> dict[str, Any]:
    agreement = unpack_map(data, "v", "settings", "seats", size_max=8192)
    require(is_int(agreement["v"], 1, 1))
    settings, seats = agreement["settings"], agreement["seats"]
    _check_forms(settings, seats)
    require_table(settings["variant"] in DATA)
    data_ = DATA[settings["variant"]]
    sizes = {size["players"]: size["teams"] for size in data_["sizes"]}
    require_table(settings["teams"] in sizes.get(settings["players"], ()))
    require_table(len(settings["colours"]) == len(set(settings["colours"])) == settings["teams"])
    offered = data_["colours"] if settings["variant"] == "kids" else data_["colours"][: settings["teams"]]
    require_table(set(settings["colours"]) <= set(offered))
    for name, (unusual, _) in OPTIONS.items():
        require_table(settings[name] is not unusual or name in data_["options"])
    require_table(len(seats) == settings["players"])
    for seat in seats:
        require_table(is_name(seat["name"]))
        with raising(Table()):
            check_identity_point(seat["key"])
    for what in ("key", "nonce"):
        require_table(len({seat[what] for seat in seats}) == len(seats))
    return agreement


def require_table(condition: object) -> None:
    if not condition:
        raise Table


def _check_forms(settings: Any, seats: Any) -> None:
    flags = [*OPTIONS, "open_hands"]
    keys = ["variant", "players", "teams", "colours", *flags, "turn_time_s", "grace_s"]
    require(type(settings) is dict and list(settings) == keys)
    require(type(settings["variant"]) is str and len(settings["variant"]) <= 16)
    require(is_int(settings["players"], 1, 12) and is_int(settings["teams"], 1, 12))
    require(type(settings["colours"]) is list)
    require(all(type(colour) is str and len(colour) <= 8 for colour in settings["colours"]))
    require(all(type(settings[key]) is bool for key in flags))
    require(is_int(settings["turn_time_s"], 0, 86_400) and is_int(settings["grace_s"], 1, 86_400))
    require(type(seats) is list)
    for seat in seats:
        require(type(seat) is dict and list(seat) == ["name", "key", "nonce"])
        require(type(seat["name"]) is str and is_bytes(seat["key"], 32) and is_bytes(seat["nonce"], 32))


def draw_dealer(variant: str, players: int, nonces: list[bytes]) -> int:
    words = joint_words(b"".join(nonces))
    if variant == "kids":
        return 1 + below(words, players)
    deck, faces = DATA[variant]["deck"], DATA[variant]["faces"]
    cards: deque[int] = deque()
    tied = list(range(1, players + 1))
    while len(tied) > 1:
        while len(cards) < len(tied):
            cards.extend(permutation(words, len(deck)))
        ranks = {seat: "23456789TJQKA".index(faces[deck[cards.popleft()]][0]) for seat in tied}
        tied = [seat for seat in tied if ranks[seat] == min(ranks.values())]
    return tied[0]


def deal_owners(players: int, dealer: int, hand: int) -> list[int]:
    return [(dealer + p) % players + 1 for p in range(players * hand)]
