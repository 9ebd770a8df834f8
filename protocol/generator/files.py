"""Every file that is generated, by its path from the root of the repository."""

import json
from collections.abc import Callable, Iterator
from typing import Any, Final

from protocol.generator import ballots, links, moves, primitives, shuffles, tables
from protocol.generator.case import Case
from protocol.generator.cases import cases
from protocol.generator.contributions import REPLAY, contributions, small_game
from protocol.generator.golden import GOLDEN, game_by_steps, golden_readme, golden_row, new_golden_game
from protocol.generator.option_contributions import option_contributions, remarks
from seqp2p.replay.verify import verify

VECTORS: Final[dict[str, Callable[[], Any]]] = {
    "hashes": primitives.hashes,
    "oracle": primitives.oracle,
    "keys": primitives.keys,
    "shares": primitives.shares,
    "identities": primitives.identities,
    "characters": primitives.characters,
    "words": primitives.words,
    "shuffles": shuffles.shuffles,
    "agreements": tables.agreements,
    "steps": tables.steps,
    "replays": tables.replays,
    "variants": moves.boards,
    "moves": moves.moves,
    "contributions": contributions,
    "option_contributions": option_contributions,
    "remarks": remarks,
    "links": links.links,
    "ballots": ballots.ballots,
}


def as_json(value: Any) -> bytes:
    """Return JSON in the form of these files: one space a level, letters as they are, a newline at the end."""
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode()


def vector_files() -> Iterator[tuple[str, bytes]]:
    """The vectors, without the golden game."""
    for name, make in VECTORS.items():
        yield f"protocol/vectors/{name}.json", as_json(make())
    game = small_game().play()
    described = game_by_steps(game, f"protocol/replays/{REPLAY}.seqp2p", game.written())
    yield "protocol/vectors/two_player_kids_game.json", as_json(described)


def case_files() -> Iterator[tuple[str, bytes]]:
    """Yield the small replays and their verdicts."""
    made = cases()
    for name, case in made.items():
        yield f"protocol/replays/{name}.seqp2p", case.data
    yield "protocol/replays/expected.json", as_json({name: _expected(case) for name, case in made.items()})


def _expected(case: Case) -> dict[str, Any]:
    """Return the case's entry in expected.json, with the seats that win."""
    won: dict[str, list[int]] = {"winners": [], "forfeit": []}
    if case.verdict != "invalid" and (result := verify(case.data).result) is not None:
        won["winners" if case.verdict == "verified" else "forfeit"] = list(result.winners)
    return case.expected | won


def golden_files() -> Iterator[tuple[str, bytes]]:
    """Yield the golden games, the first of them step by step, and the page that describes them."""
    rows = list[str]()
    for name in GOLDEN:
        game = new_golden_game(name).play()
        data = game.written()
        yield f"replays/{name}.seqp2p", data
        rows.append(golden_row(name, game))
        if name == "classic-2":
            described = game_by_steps(game, f"replays/{name}.seqp2p", data)
            yield "protocol/vectors/two_player_game.json", as_json(described)
    yield "replays/README.md", golden_readme(rows)
