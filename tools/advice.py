"""Is the advice right? Where a sequence can be completed and ``learned`` prefers another move, both are played out.

    python -m tools.advice build/advice classic-2-2 classic-4-2 --positions 150 --seed 1   # variant, players, teams

``learned`` plays against itself, and one such position is kept of each game that has some. A move that wins at once is
no such position, nor is a turn in which a dead card can be exchanged.

``learned`` plays both moves out for all seats, in the same samples of the hidden cards. A hand is dealt to another seat
only if ``learned`` plays with it what that seat has played last: the opponents of an open line could perhaps not close
it. With ``--any-hands`` every hand is dealt alike.

Every LOOK samples the difference is looked at: it is clear when it is CLEAR standard errors from zero, which chance
does in one of twenty positions without a difference (Pocock's bound for twenty looks). A position whose difference is
within one standard error of zero after half of the samples is given up: it would hardly become clear. FILE gets a line
of JSON for each game, and a run with the same options goes on where it stopped.
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
from seqp2p.rules import UNKNOWN, Action, Card, Position, SeatNumber, View, apply, format_action, reveal, team_of, view

Found: TypeAlias = dict[str, Any]
LOOK: Final = 20
SAMPLES_MIN: Final = 40
SAMPLES_MAX: Final = 400
CLEAR: Final = 2.7
TRIES: Final = 40
"""The hands that a seat is dealt until one fits."""


class Choice(NamedTuple):
    """A position, the move that ``learned`` prefers, and the completing one."""

    position: Position
    preferred: Action
    completing: Action
    last: dict[SeatNumber, tuple[Position, Action]]
    """By other seat: its last move that ended a turn, and the position before it."""


def play(name: str, rng: random.Random) -> tuple[Found, list[Choice]]:
    """Play a game. Return how often a sequence could be completed, and the choices of another move."""
    variant, players, teams = name.split("-")
    first = rng.randrange(int(players)) + 1
    game = rules.Game(rules.KNOWN_VARIANTS[variant], int(players), rng, teams=int(teams), first=first)
    counts, choices = {"wins": 0, "wins_left": 0, "legal": 0, "other": 0}, list[Choice]()
    last = dict[SeatNumber, tuple[Position, Action]]()
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
                choices += [] if wins else [Choice(game.position, action, best, {**last})]
        if action.kind != "exchange":
            last[seat] = game.position, action
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


def fits(hand: Sequence[Card], before: Position, action: Action, rng: random.Random) -> bool:
    """Return whether ``learned`` plays an action with a hand of which one card, any, has been drawn for it since."""
    seat, kept = before.to_move, [*hand]
    if len(hand) == len(before.hands[seat - 1]):
        kept.pop(rng.randrange(len(kept)))
    try:
        then = reveal(rules.hide(before, ()), seat, (*kept, action.card))
    except rules.IllegalAction:  # one of these cards came out of the discards since
        return False
    return best_action(view(then, seat)) == action


def deal(choice: Choice, rng: random.Random, *, any_hands: bool) -> tuple[Position, list[Card]]:
    """Deal the hidden cards: the hands of the other seats, and the pile."""
    position, seat = choice.position, choice.position.to_move
    hidden, dealt = list(position.variant.deck), view(position, seat).position
    for card in (*position.hands[seat - 1], *(card for cards in position.discards for card in cards)):
        hidden.remove(card)
    for other, size in enumerate(map(len, position.hands), 1):
        if other != seat:
            for _ in range(TRIES):
                rng.shuffle(hidden)
                if any_hands or other not in choice.last or fits(hidden[:size], *choice.last[other], rng):
                    break
            dealt, hidden = reveal(dealt, other, hidden[:size]), hidden[size:]
    rng.shuffle(hidden)
    return dealt, hidden


def difference(choice: Choice, rng: random.Random, *, any_hands: bool) -> float:
    """Return what the completing move won more than the other one in one sample: 1, 0 or -1; a draw is a half."""
    dealt, pile = deal(choice, rng, any_hands=any_hands)
    team, again, won = team_of(dealt.to_move, dealt.teams), rng.getrandbits(64), list[float]()
    for action in (choice.completing, choice.preferred):
        winner = play_out(dealt, action, pile, random.Random(again))  # noqa: S311 -- the same cards again
        won.append(float(winner == team) if winner else 1 / dealt.teams)
    return won[0] - won[1]


def judge(choice: Choice, rng: random.Random, *, any_hands: bool) -> Found:
    """Play both moves out until the difference is clear."""
    seen, found, verdict = view(choice.position, choice.position.to_move), list[float](), "unclear"
    while verdict == "unclear" and len(found) < SAMPLES_MAX:
        found += [difference(choice, rng, any_hands=any_hands) for _ in range(LOOK)]
        mean, error = fmean(found), stdev(found) / len(found) ** 0.5
        if len(found) >= SAMPLES_MIN and abs(mean) > CLEAR * error:
            verdict = "better" if mean > 0 else "worse"
        elif len(found) == SAMPLES_MAX // 2 and abs(mean) < error:
            break
    value, moves = _outlook(seen).value, (choice.preferred, choice.completing)
    return {
        "position": str(choice.position),
        "moves": [format_action(seen.variant, each) for each in moves],
        "values": [round(chance(value(each)) / CERTAIN, 4) for each in moves],
        "samples": len(found),
        "mean": round(mean, 4),
        "error": round(error, 4),
        "first": fmean(found[:SAMPLES_MIN]),
        "verdict": verdict,
    }


def row(name: str, lines: Sequence[Found]) -> str:
    """Return the row of a table of results. Only the first samples of each position make a fair mean."""
    judged = [line for line in lines if "verdict" in line]
    counts = [sum(line[key] for line in lines) for key in ("wins", "wins_left", "legal", "other")]
    verdicts = [sum(line["verdict"] == each for line in judged) for each in ("better", "worse", "unclear")]
    first = [100 * line["first"] for line in judged]
    mean = f"{fmean(first):+.1f} ± {1.96 * stdev(first) / len(first) ** 0.5:.1f}" if len(first) > 1 else "-"
    return " | ".join(map(str, (name, len(lines), *counts, len(judged), *verdicts, mean)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("tables", nargs="+", help="variant, players and teams, like classic-2-2")
    parser.add_argument("--positions", type=int, default=150, help="of each table")
    parser.add_argument("--games", type=int, default=2000, help="the most, of each table")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--any-hands", action="store_true", help="whatever the seats have played last")
    chosen = parser.parse_args()
    known = [json.loads(line) for line in chosen.file.read_text("ascii").splitlines()] if chosen.file.exists() else []
    for name in chosen.tables:
        lines = [line for line in known if line["table"] == name]
        while len(lines) < chosen.games and sum("verdict" in line for line in lines) < chosen.positions:
            rng = random.Random(f"{chosen.seed} {name} {len(lines)}")  # noqa: S311 -- the same games again are wanted
            counts, choices = play(name, rng)
            found = judge(rng.choice(choices), rng, any_hands=chosen.any_hands) if choices else {}
            lines.append({"table": name, "game": len(lines), **counts, **found})
            with chosen.file.open("a", encoding="ascii") as file:
                print(json.dumps(lines[-1]), file=file)
        print("|", row(name, lines), "|", flush=True)


if __name__ == "__main__":
    main()
