"""Write protocol/perft again: ``python protocol/generate_perft.py``. Its README describes the files and the counts.

The files depend on no random generator of a language: decks and choices come from SHA-256 of a number, and the files
hold them written out. Of several numbers, the one whose game shows the most rules is taken.
"""

import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # so that it also runs from elsewhere

from seqp2p.rules import (  # noqa: E402 -- after the path
    CLASSIC,
    DRAW,
    KIDS,
    RULE_OPTIONS,
    Action,
    Card,
    Options,
    Position,
    Variant,
    apply_known,
    call,
    deal_order,
    first_seat,
    format_action,
    format_position,
    hand_size,
    legal_actions,
    nameable_lines,
    parse_action,
    parse_card,
    parse_position,
    perft,
    position_hash,
    start,
)
from seqp2p.rules.position import format_options  # noqa: E402 -- after the path

FOLDER = ROOT / "protocol" / "perft"
GAMES = {
    "classic": (CLASSIC, Options()),
    **{
        f"classic_{row.word.replace('-', '_')}": (CLASSIC, Options(**{row.field: not row.usual}))
        for row in RULE_OPTIONS
    },
    "classic_all_options": (CLASSIC, Options(*(not row.usual for row in RULE_OPTIONS))),
    "kids": (KIDS, Options()),
}
GAMES_TRIED = 12
ACTIONS_MAX = 300
"""Of longer games none is taken if there is a shorter one."""
HASH_EVERY_PLIES = 20
INNER_NODES_MAX = 1_000
DEPTH_MAX = 4


@dataclass(frozen=True)
class Play:
    """A position, and the pile face up, the next card first."""

    position: Position
    pile: tuple[Card, ...]

    def after(self, action: Action) -> "Play":
        """Apply an action. If a reshuffle is due, the discards are taken in their order."""
        return Play(*apply_known(self.position, self.pile, action))


def deal(variant: Variant, players: int, teams: int, options: Options, dealer: int, deck: list[Card]) -> Play:
    """Return the first position of a deck; its first card is the first that is dealt."""
    order = deal_order(players, dealer, hand_size(variant, players))
    hands: list[list[Card]] = [[] for _ in range(players)]
    for seat, card in zip(order, deck, strict=False):
        hands[seat - 1].append(card)
    position = start(variant, players, teams, options, first_seat(players, dealer), hands)
    return Play(position, tuple(deck[len(order) :]))


def number(*words: object) -> int:
    """Return a large number that is not chosen by hand."""
    return int.from_bytes(sha256(" ".join(map(str, words)).encode()).digest())


def choose(play: Play, name: str, ply: int) -> Action:
    """Return an action by chance; draws are rarely forgotten, and sometimes talk is called or a line named."""
    position, dice = play.position, number(name, ply)
    actions = sorted(legal_actions(position), key=lambda action: format_action(position.variant, action))
    action = actions[dice % len(actions)]
    if position.phase in {"draw", "late"} and dice >> 100 & 3:
        return DRAW
    if position.phase == "play" and not position.options.table_talk and position.players > position.teams:
        others = [seat for seat in range(1, position.players + 1) if (seat - position.to_move) % position.teams]
        if dice >> 104 & 15 == 0:
            return call(others[(dice >> 108) % len(others)])
    names = nameable_lines(position, action)
    return action._replace(ends=(names[(dice >> 116) % len(names)],)) if names else action


def line_of(begin: Play, name: str) -> tuple[list[Action], list[Play]]:
    """Play a game to its end: its actions, and the positions before, between and after them."""
    plays, actions = [begin], list[Action]()
    while not plays[-1].position.over:
        actions.append(choose(plays[-1], name, len(actions)))
        plays.append(plays[-1].after(actions[-1]))
    return actions, plays


def features(actions: list[Action], plays: list[Play]) -> set[object]:
    """Return the rules that a game shows."""
    found: set[object] = {action.kind for action in actions} | {"named" for action in actions if action.ends}
    for before, after in pairwise(plays):
        one, two = before.position, after.position
        found |= {one.phase, two.outcome > 0, "reshuffle" if two.reshuffles > one.reshuffles else ""}
        found |= {"broken"} if len(two.sequences) < len(one.sequences) else set()
        found |= {"passed"} if two.pending and two.pending.passed else set()
        found |= {"empty hand"} if () in two.hands else set()
    return found


def plies_to_count(plays: list[Play]) -> list[int]:
    """Return the start, a few plies, the first of each phase, and those around the first reshuffle and the end."""
    last = len(plays) - 1
    wanted = {0, last // 3, 2 * last // 3, max(last - 2, 0), last - 1}
    for phase in ("draw", "late", "penalty"):
        wanted |= {next((at for at, play in enumerate(plays) if play.position.phase == phase), 0)}
    wanted |= {next((max(at - 2, 0) for at, play in enumerate(plays) if play.position.reshuffles), 0)}
    return sorted(wanted)


def counts(play: Play) -> list[int]:
    """Return perft(1), perft(2) … as far as they are quickly counted."""
    found = [perft(play.position, play.pile, 1)]
    while found[-1] and found[-1] <= INNER_NODES_MAX and len(found) < DEPTH_MAX:
        found.append(perft(play.position, play.pile, len(found) + 1))
    return found


def case(head: dict[str, Any], actions: list[Action], plays: list[Play], plies: Iterable[int]) -> dict[str, Any]:
    """Return a case in the form of a file."""
    variant, last = plays[0].position.variant, len(plays) - 1
    hashed = sorted({*range(0, last, HASH_EVERY_PLIES), last})
    return head | {
        "start": format_position(plays[0].position),
        "actions": [format_action(variant, action) for action in actions],
        "hashes": {str(at): position_hash(plays[at].position).hex() for at in hashed},
        "perft": {str(at): counts(plays[at]) for at in plies},
        "end": format_position(plays[-1].position),
    }


def dealt_case(variant: Variant, players: int, teams: int, options: Options) -> dict[str, Any]:
    """Return the game that shows the most, of some games with these settings."""
    told = format_options(options)
    head = {"variant": variant.name, "players": players, "teams": teams, "options": told}
    games = list[tuple[dict[str, Any], list[Action], list[Play]]]()
    for game in range(GAMES_TRIED):
        name = f"{variant.name} {players}/{teams} {told} {game}"
        order = sorted(range(len(variant.deck)), key=lambda at, name=name: number(name, "deck", at))  # type: ignore[misc]
        deck = [variant.deck[at] for at in order]
        dealer = number(name, "dealer") % players + 1
        own = {"dealer": dealer, "deck": [variant.faces[card] for card in deck]}
        games.append((head | own, *line_of(deal(variant, players, teams, options, dealer, deck), name)))
    head, actions, plays = max(games, key=lambda each: (len(each[1]) <= ACTIONS_MAX, len(features(*each[1:]))))
    head = {"name": f"{variant.name}, {players} players in {teams} teams, options {told}"} | head
    return case(head, actions, plays, plies_to_count(plays))


EMPTY = "*8*/10/10/10/10/10/10/10/10/*8*"
ONE_DEAD = "*b7*/10/10/10/10/10/10/10/6b3/*8*"
"""Both squares of 2S are taken."""


def full_board(rows: int, cols: int) -> str:
    """Chips everywhere, and no five (or four) in line."""

    def cell(row: int, col: int) -> str:
        return "*" if row in {0, rows - 1} and col in {0, cols - 1} else "ab"[(col // 2 + row) % 2]

    return "/".join("".join(cell(row, col) for col in range(cols)) for row in range(rows))


# name, position, pile (next card first), actions
POSITIONS = (
    ("six in line: the mover names five",
     "classic - 2/2 *8*/aaa1aa4/10/10/10/10/10/10/10/*8* - 1 3C,3S/2C,3C 4 -/- 8 8 0 0 0 0 -",
     "4C 5C 6C 7C", "3C d2 b2-f2;2C g4"),
    ("nine in line are two sequences: a win",
     "classic - 2/2 *8*/aaaaa1aaa1/10/10/10/10/10/10/10/*8* a:a2-e2 1 AH,3S/2C,3C 4 -/- 8 8 0 0 0 0 -",
     "4C 5C 6C 7C", "AH f2"),
    ("one chip, five across and five down: a win",
     "classic - 2/2 *8*/aaaa6/4a5/4a5/4a5/4a5/10/10/10/*8* - 1 2C,3S/2C,3C 4 -/- 8 8 0 0 0 0 -",
     "4C 5C 6C 7C", "2C e2"),
    ("a chip of a completed sequence cannot be taken, others can",
     "classic - 2/2 *bbbb4*/8b1/10/10/10/10/10/10/10/*8* b:a1-e1 1 JH,JS/2C,3C 4 -/- 8 8 0 0 0 0 -",
     "4C 5C 6C 7C", "JS xi2"),
    ("advanced: it can be taken, and the sequence counts no more",
     "classic advanced 2/2 *bbbb4*/8b1/10/10/10/10/10/10/10/*8* b:a1-e1 1 JH,JS/2C,2S 4 -/- 8 8 0 0 0 0 -",
     "4C 5C 6C 7C", "JS xb1;2S b1"),
    ("the pile is empty: the discards are the pile, the card just played among them",
     f"classic - 2/2 {EMPTY} - 1 2S,3S/2C,3C 0 2H,3H/4H 4 4 0 0 0 0 -",
     "", "2S b1;2C e2;3S c1;3C d2;2H e6"),
    ("a dead card from an empty pile",
     f"classic - 2/2 {ONE_DEAD} - 1 2S,3S/2C,3C 0 4H/5H 4 4 0 0 0 0 -",
     "", "2S dead;4H f5"),
    ("one exchange in a turn",
     f"classic - 2/2 {ONE_DEAD} - 1 2S,2S/2C,3C 4 -/- 4 4 0 1 0 0 -",
     "4C 5C 6C 7C", "pass;2C e2;2S dead"),
    ("a whole round of passes: a draw",
     f"classic - 2/2 {EMPTY} - 1 JS/JH 4 -/- 4 4 0 0 0 3 -", "4C 5C 6C 7C", "pass;pass"),
    ("208 quiet turns: a draw",
     f"classic - 2/2 {full_board(10, 10)} - 1 2S/2C 4 -/- 300 4 0 0 0 207 -", "4C 5C 6C 7C", "2S dead;pass"),
    ("kids: as many exchanges as pile and discards hold cards",
     f"kids - 2/2 {full_board(6, 7)} - 1 bear,cat/duck 2 lion,owl/yak 40 8 0 0 0 3 -",
     "frog horse", "bear dead;cat dead;frog dead;horse dead;owl dead;pass;duck dead"),
    ("kids: a dragon with nothing to take, a unicorn with nowhere to go",
     f"kids - 3/3 {full_board(6, 7)} - 3 unicorn/dragon/dragon,unicorn 2 -/-/- 40 8 0 0 0 3 -",
     "frog horse", "dragon xb1;unicorn b1;dragon xb1"),
    ("manual draw: forgotten, then late",
     f"classic manual-draw 4/2 {EMPTY} - 1 2S,3S/2C,3C/4C/4S 4 -/-/-/- 4 4 0 0 0 0 -",
     "4H 5H 6H 7H", "2S b1;end;2C e2;draw;end;4C c2;waive;draw"),
    ("manual draw: late after a pass",
     f"classic manual-draw 3/3 {EMPTY} - 2 2S/JS/4C 4 -/-/- 4 4 0 0 0 0 - play/2/1/-/-",
     "4H 5H 6H 7H", "pass;draw;4C c2;draw;2S b1;end"),
    ("manual draw: the late draw takes the last card",
     f"classic manual-draw 2/2 {EMPTY} - 2 3C/4C,5C 0 -/- 4 4 0 0 0 0 - play/2/1/-/-",
     "", "4C c2;draw;draw;4C e4;draw"),
    ("manual draw: nobody has a card left",
     f"classic manual-draw 2/2 {EMPTY} - 1 2S/- 4 -/- 4 4 0 0 0 0 -", "4H 5H 6H 7H", "2S b1;end;pass;waive;pass"),
    ("talk called, one of the team without a card",
     f"classic no-table-talk 6/2 {EMPTY} - 1 2S/3S,4S/2C/-/5S/6S,6S 4 -/-/-/-/-/- 4 4 0 0 0 0 -",
     "4H 5H 6H 7H", "call 4;3S given;6S given;call 2;4S given;6S given;call 6;2S b1;pass"),
    ("talk called after an exchange, with a draw owed",
     f"classic no-table-talk,manual-draw 4/2 {ONE_DEAD} - 2 4C/2D,2S/5C,6C/7C 4 -/-/-/- 4 4 0 0 0 0 - play/2/1/-/-",
     "4H 5H 6H 7H", "2S dead;call 3;4C given;5C given;2D c3;draw;draw"),
)  # fmt: skip


def drawn_case(name: str, text: str, pile: str, line: str) -> dict[str, Any]:
    """A position that was set up by hand, and the actions on it."""
    position = parse_position(text)
    variant = position.variant
    plays = [Play(position, tuple(parse_card(variant, card) for card in pile.split()))]
    actions = [parse_action(variant, action) for action in line.split(";")]
    for action in actions:
        plays.append(plays[-1].after(action))
    return case({"name": name, "pile": pile.split()}, actions, plays, range(len(plays)))


FILES = (*GAMES, "positions")


def content_of(name: str) -> dict[str, Any]:
    """Return the contents of a file of the folder."""
    if name not in GAMES:
        cases = [drawn_case(*position) for position in POSITIONS]
        return {"about": "Positions drawn by hand: the corners of the rules.", "cases": cases}
    variant, options = GAMES[name]
    tables = [(size.players, teams) for size in variant.sizes for teams in size.teams]
    about = f"Whole games of {variant.title} from a deck, options {format_options(options)}."
    return {"about": about, "cases": [dealt_case(variant, *table, options) for table in tables]}


def as_text(content: dict[str, Any]) -> str:
    """JSON with one line for each field of a case."""
    cases = [
        ",\n".join(f"   {json.dumps(key)}: {json.dumps(value)}" for key, value in case.items())
        for case in content["cases"]
    ]
    body = ",\n".join(f"  {{\n{case}\n  }}" for case in cases)
    return f'{{\n "about": {json.dumps(content["about"])},\n "cases": [\n{body}\n ]\n}}\n'


def main() -> None:
    """Write the files and print the changed ones."""
    FOLDER.mkdir(exist_ok=True)
    for name in FILES:
        path, text = FOLDER / f"{name}.json", as_text(content_of(name))
        if not path.exists() or path.read_text(encoding="ascii") != text:
            path.write_text(text, encoding="ascii")
            print(f"{path.relative_to(ROOT)}: {len(text)} bytes")


if __name__ == "__main__":
    main()
