"""Is the advice right? Where a sequence can be completed and ``learned`` prefers another move, both are played out.

    python -m tools.advice build/advice classic-2-2 classic-4-2 --positions 150 --seed 1   # variant, players, teams

``learned`` plays against itself, and one such position is kept of each game that has some. A move that wins at once is
no such position, nor is a turn in which a dead card can be exchanged. A sample deals the hidden cards anew, in every
way that the view allows alike, and ``learned`` plays for all seats to the end, once after each of the two moves, with
the same cards. Every LOOK samples the difference is looked at: it is clear when it is CLEAR standard errors from zero,
which chance does in one of twenty positions without a difference (Pocock's bound for twenty looks). A position whose
difference is within one standard error of zero after half of the samples is given up: it would hardly become clear.

The opponents' real hands are not any hands: they left a line open, perhaps because they cannot close it. So some more
samples have the real hands, and only the pile is shuffled. They know too much to judge one position, but their mean
over all positions is fair. FILE gets a line of JSON for each game, and a run of one seed goes on where it stopped.
"""

import argparse
import json
import random
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, Final, NamedTuple, TypeAlias

from seqp2p import rules
from seqp2p.bots.learned import WIN, Outlook, best_action, worth_comparing
from seqp2p.bots.value import CERTAIN, chance, shipped
from seqp2p.rules import UNKNOWN, Action, Card, Position, View, apply, format_action, reveal, team_of, view

Found: TypeAlias = dict[str, Any]
LOOK: Final = 20
SAMPLES_MIN: Final = 40
SAMPLES_MAX: Final = 400
CLEAR: Final = 2.7


class Choice(NamedTuple):
    """A position with all hands, the move that ``learned`` prefers, and the completing one."""

    position: Position
    preferred: Action
    completing: Action


def play(name: str, rng: random.Random) -> tuple[Found, list[Choice]]:
    """Play a game. Return how often a sequence could be completed, and the choices of another move."""
    variant, players, teams = name.split("-")
    first = rng.randrange(int(players)) + 1
    game = rules.Game(rules.KNOWN_VARIANTS[variant], int(players), rng, teams=int(teams), first=first)
    counts, choices = {"wins": 0, "wins_left": 0, "legal": 0, "other": 0}, list[Choice]()
    while seat := game.turn:
        seen = game.view(seat)
        action, made, value = best_action(seen), len(seen.sequences), _outlook(seen).value
        could = [each for each in worth_comparing(seen) if len(apply(seen.position, each).sequences) > made]
        if could and action.kind != "exchange":
            best = max(could, key=value)
            wins = value(best) == WIN
            counts["wins" if wins else "legal"] += 1
            if action not in could:
                counts["wins_left" if wins else "other"] += 1
                choices += [] if wins else [Choice(game.position, action, best)]
        game.play(action)
    return counts, choices


def _outlook(seen: View) -> Outlook:
    return Outlook(seen, shipped(seen.variant, seen.teams))


def play_out(position: Position, action: Action, pile: Sequence[Card], rng: random.Random) -> int:
    """Play an action, then ``learned`` for all seats. Return the winner. The next card is the last of the pile."""
    pile = [*pile]
    while True:
        after = apply(position, action, pile[-1] if pile else UNKNOWN)
        if after.reshuffles > position.reshuffles:
            pile += rules.new_pile(position, action)
            rng.shuffle(pile)
            after = reveal(after, position.to_move, pile[-1:])
        if after.draws > position.draws:
            pile.pop()
        if after.over:
            return after.winner
        position, action = after, best_action(view(after, after.to_move))


def difference(choice: Choice, rng: random.Random, *, real: bool) -> float:
    """Return what the completing move won more than the other one in one sample: 1, 0 or -1; a draw is a half."""
    position, seat = choice.position, choice.position.to_move
    hidden = list(position.variant.deck)
    for card in (*position.hands[seat - 1], *(card for cards in position.discards for card in cards)):
        hidden.remove(card)
    rng.shuffle(hidden)
    dealt = view(position, seat).position
    for other, hand in enumerate(position.hands, 1):
        if other != seat:
            cards = hand if real else hidden[: len(hand)]
            dealt = reveal(dealt, other, cards)
            for card in cards:
                hidden.remove(card)
    team, again, won = team_of(seat, position.teams), rng.getrandbits(64), list[float]()
    for action in (choice.completing, choice.preferred):
        winner = play_out(dealt, action, hidden, random.Random(again))  # noqa: S311 -- the same cards again
        won.append(float(winner == team) if winner else 1 / position.teams)
    return won[0] - won[1]


def judge(choice: Choice, rng: random.Random) -> Found:
    """Play both moves out until the difference is clear."""
    seen, found, verdict = view(choice.position, choice.position.to_move), list[float](), "unclear"
    real = [difference(choice, rng, real=True) for _ in range(SAMPLES_MIN)]
    while verdict == "unclear" and len(found) < SAMPLES_MAX:
        found += [difference(choice, rng, real=False) for _ in range(LOOK)]
        mean, error = fmean(found), stdev(found) / len(found) ** 0.5
        if len(found) >= SAMPLES_MIN and abs(mean) > CLEAR * error:
            verdict = "better" if mean > 0 else "worse"
        elif len(found) == SAMPLES_MAX // 2 and abs(mean) < error:
            break
    value, moves = _outlook(seen).value, choice[1:]
    return {
        "position": str(choice.position),
        "moves": [format_action(seen.variant, each) for each in moves],
        "values": [round(chance(value(each)) / CERTAIN, 4) for each in moves],
        "samples": len(found),
        "mean": round(mean, 4),
        "error": round(error, 4),
        "first": fmean(found[:SAMPLES_MIN]),
        "real": fmean(real),
        "verdict": verdict,
    }


def row(name: str, lines: Sequence[Found]) -> str:
    """Return the row of a table of results. Only the first samples of each position make a fair mean."""
    judged = [line for line in lines if "verdict" in line]
    counts = [sum(line[key] for line in lines) for key in ("wins", "wins_left", "legal", "other")]
    verdicts = [sum(line["verdict"] == each for line in judged) for each in ("better", "worse", "unclear")]
    means = list[str]()
    for key in ("first", "real"):
        found = [100 * line[key] for line in judged]
        means += [f"{fmean(found):+.1f} ± {1.96 * stdev(found) / len(found) ** 0.5:.1f}" if len(found) > 1 else "-"]
    return " | ".join(map(str, (name, len(lines), *counts, len(judged), *verdicts, *means)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("tables", nargs="+", help="variant, players and teams, like classic-2-2")
    parser.add_argument("--positions", type=int, default=150, help="of each table")
    parser.add_argument("--games", type=int, default=2000, help="the most, of each table")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    known = [json.loads(line) for line in chosen.file.read_text("ascii").splitlines()] if chosen.file.exists() else []
    for name in chosen.tables:
        lines = [line for line in known if line["table"] == name]
        while len(lines) < chosen.games and sum("verdict" in line for line in lines) < chosen.positions:
            rng = random.Random(f"{chosen.seed} {name} {len(lines)}")  # noqa: S311 -- the same games again are wanted
            counts, choices = play(name, rng)
            found = judge(rng.choice(choices), rng) if choices else {}
            lines.append({"table": name, "game": len(lines), **counts, **found})
            with chosen.file.open("a", encoding="ascii") as file:
                print(json.dumps(lines[-1]), file=file)
        print("|", row(name, lines), "|", flush=True)


if __name__ == "__main__":
    main()
