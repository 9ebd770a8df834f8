"""The golden games of replays/, and games described step by step."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

from protocol.generator.games import Game, opened
from protocol.generator.vectors import Vector, scalar
from seqp2p.api.settings import table_settings
from seqp2p.match.ballots import Wish
from seqp2p.match.machine import Match
from seqp2p.match.steps import final_hash
from seqp2p.match.table import Settings, TableChoices
from seqp2p.replay.format import StepRecord, contributions_of
from seqp2p.rules import RULE_OPTIONS, format_action, format_position


@dataclass(frozen=True)
class Golden:
    """A golden game: the name of the game (for its streams), its bots, and how the table plays."""

    name: str
    bots: tuple[str, ...]
    choices: TableChoices = field(default_factory=TableChoices)
    votes: Mapping[int, Wish] = field(default_factory=dict)

    @property
    def settings(self) -> Settings:
        """The settings of the table."""
        return table_settings(len(self.bots), **self.choices)


EVERY_OPTION: Final = cast("TableChoices", {row.field: not row.usual for row in RULE_OPTIONS})
# By the name of the file.
GOLDEN: Final = {
    "classic-2": Golden("classic-2/18", ("random", "random")),
    "classic-3": Golden("classic-3/5", ("random",) * 3),
    "classic-4": Golden("classic-4/1", ("greedy",) * 4),
    "classic-2-advanced": Golden("classic-2-advanced/2", ("random", "random"), {"advanced": True}),
    "classic-2-manual-draw": Golden("classic-2-manual-draw/10", ("greedy", "random"), {"manual_draw": True}),
    "classic-4-table-talk": Golden("classic-4-table-talk/0", ("greedy",) * 4, {"table_talk": False}),
    "classic-4-options": Golden("classic-4-options/0", ("greedy", "random") * 2, EVERY_OPTION),
    "classic-6": Golden("classic-6/9", ("greedy", "random") * 3, {"teams": 3}),
    "classic-12": Golden("classic-12/5", ("greedy",) * 12, {"open_hands": False}),
    "classic-3-dropped": Golden(
        "classic-3-dropped/1", ("greedy", "random", "greedy"), votes={90: Wish("drop", frozenset({2}))}
    ),
    "classic-4-skipped": Golden(
        "classic-4-skipped/1", ("greedy", "random") * 2, votes=dict.fromkeys((20, 35), Wish("skip", frozenset({1})))
    ),
    "kids-3": Golden("kids-3/2", ("greedy", "greedy", "random"), {"variant": "kids"}),
}


def new_golden_game(name: str) -> Game:
    """Return a golden game before its first step."""
    golden = GOLDEN[name]
    return Game(golden.name, golden.settings, golden.bots, votes=golden.votes)


def game_by_steps(game: Game, path: str, data: bytes) -> Vector:
    """Return all that a second program must find when it plays the replay at ``path`` again."""
    match = Match(game.match.agreement_bytes)
    dealt: list[dict[str, Any]] = []
    steps: list[dict[str, Any]] = []
    for record in game.records():
        if not isinstance(record, StepRecord):
            continue
        step: dict[str, Any] = {"step": match.number, "kind": match.kind, "seats": sorted(match.awaited)}
        for contribution in contributions_of(record):
            match.receive(contribution)
            if step["kind"] == "turn":
                body = opened(contribution)["body"]
                step |= {"action": body["action"], "cards": list(body["cards"])}
        step["head"] = match.head.hex()
        if match.game.position is not None:
            step["position"] = format_position(match.game.position)
        if step["kind"] == "deal":
            dealt = [
                {"seat": own.number, "secret": scalar(own.release()), "cards": list(map(list, sorted(held.items())))}
                for own in game.seats
                if (held := own.hand(match))
            ]
        steps.append(step)
    draw, result = match.game.draw, match.game.result
    assert draw is not None, "the game was played to its end"
    assert result is not None, "the game was played to its end"
    return {
        "about": "A whole game, step by step: the position after each step as everybody at the table knows it.",
        "replay": path,
        "sha256": hashlib.sha256(data).hexdigest(),
        "game": match.game.id.hex(),
        "joint key": match.game.joint_key.encoded.hex(),
        "dealer": draw.dealer,
        "dealt": dealt,
        "steps": steps,
        "final hash": final_hash(match.game).hex(),
        "result": {"kind": result.kind, "winners": list(result.winners)},
    }


def golden_row(name: str, game: Game) -> str:
    """Return the row of a game in replays/README.md."""
    settings, state = game.settings, game.match.game
    actions = [format_action(state.variant, action) for _, _, action in game.actions]
    cells = [
        f"`{name}.seqp2p`",
        settings.players,
        settings.teams,
        " and ".join(sorted(set(game.bots))),
        "opened" if settings.open_hands else "closed",
        len(game.match.record),
        state.table_position().turn,
        sum(text.endswith(" dead") for text in actions),
        actions.count("pass"),
        sum(text.startswith("call ") for text in actions),
        state.reshuffles,
        " ".join(sorted({text[:2] for text in actions if text[0] == "J"})),
        " ".join(map(str, state.result.winners if state.result else ())),
    ]
    return f"| {' | '.join(map(str, cells))} |"


def golden_readme(rows: Iterable[str]) -> bytes:
    """Return replays/README.md."""
    lines = [
        "# Golden games",
        "",
        "Whole games between bots, played in memory with fixed randomness (`protocol/generator/golden.py`). Each is",
        "written by seat 1, and `seqp2p verify replays/*.seqp2p` says *verified* of all of them. Every identity and",
        "secret in them is a test value that anyone can compute: see `protocol/README.md`. `make vectors` writes them",
        "again, and this page. `protocol/vectors/two_player_game.json` has the first one step by step.",
        "",
        "In `classic-2-advanced` a completed sequence is broken; `classic-2-manual-draw` has turns ended without a",
        "draw, late draws and waived ones; `classic-4-table-talk` has remarks, calls and cards given up; `kids-3` is",
        "the kids' game. `classic-4-options` has every option at once. In `classic-3-dropped` the others",
        "drop seat 2 in the middle of the game and deal again; in `classic-4-skipped` they skip seat 1 twice.",
        "",
        "| file | seats | teams | bots | hands | steps | turns | dead | passes | calls | reshuffles | jacks | won by |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|",
        *rows,
    ]
    return ("\n".join(lines) + "\n").encode()
