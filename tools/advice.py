"""Is the advice right? Where a sequence can be completed and ``learned`` prefers another move, both are played out.

    python -m tools.advice build/advice classic-2-2 classic-4-2 --positions 150 --seed 1   # variant, players, teams

One such position is kept of each game of ``learned`` against itself that has some; where the move wins at once it has
none, for that move is always preferred. ``learned`` then plays both moves out for all seats, in the same samples of the
hidden cards. A seat is dealt a hand with which ``learned`` plays what that seat has played last, if one comes within
``--tries`` deals: opponents who left a line open could mostly not close it. With ``--tries 1`` it is any hand.

Every LOOK samples the difference is looked at: it is clear at CLEAR standard errors from zero, which chance reaches in
one of twenty positions without a difference (Pocock's bound for twenty looks). One within a standard error of zero
after half of the samples is given up. FILE gets a line of JSON for each game, and the same command goes on with it.
"""

import argparse
import json
import random
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, Final, NamedTuple, TypeAlias

from seqp2p import rules
from seqp2p.bots.learned import WIN, Outlook, ranking, worth_comparing
from seqp2p.bots.value import shipped
from seqp2p.rules import UNKNOWN, Action, Card, Position, apply, format_action, reveal, team_of, view

Found: TypeAlias = dict[str, Any]
LOOK: Final = 20
SAMPLES_MIN: Final = 40
SAMPLES_MAX: Final = 400
CLEAR: Final = 2.7


class Choice(NamedTuple):
    """A position, the move that ``learned`` prefers, and the completing one."""

    position: Position
    moves: tuple[Action, Action]
    last: dict[int, tuple[Position, Action]]
    """By seat: its last move that ended a turn, and the position before it."""


def play(name: str, rng: random.Random) -> tuple[int, list[Choice]]:
    """Play a game. Return in how many turns a sequence, not the last, could be completed; and those of another move."""
    variant, players, teams = name.split("-")
    first = rng.randrange(int(players)) + 1
    game = rules.Game(rules.KNOWN_VARIANTS[variant], int(players), rng, teams=int(teams), first=first)
    legal, choices, last = 0, list[Choice](), dict[int, tuple[Position, Action]]()
    while seat := game.turn:
        seen = game.view(seat)
        action, made = ranking(seen)[0], len(seen.sequences)
        if action.kind != "exchange":
            could = [each for each in worth_comparing(seen) if len(apply(seen.position, each).sequences) > made]
            value = Outlook(seen, shipped(seen.variant, seen.teams)).value
            best = max(could, key=value, default=action)
            legal += bool(could) and value(best) < WIN
            if could and action not in could:
                choices.append(Choice(game.position, (action, best), {**last}))
            last[seat] = game.position, action
        game.play(action)
    return legal, choices


def deal(choice: Choice, rng: random.Random, tries: int) -> tuple[Position, list[Card]]:
    """Deal the hidden cards: the hands of the other seats, and the pile."""
    position, seat = choice.position, choice.position.to_move
    hidden, dealt = list(position.variant.deck), view(position, seat).position
    for card in (*position.hands[seat - 1], *(card for cards in position.discards for card in cards)):
        hidden.remove(card)
    for other, size in enumerate(map(len, position.hands), 1):
        if other != seat:
            for _ in range(tries):
                rng.shuffle(hidden)
                if other not in choice.last or fits(hidden[:size], *choice.last[other], rng):
                    break
            dealt, hidden = reveal(dealt, other, hidden[:size]), hidden[size:]
    rng.shuffle(hidden)
    return dealt, hidden


def fits(hand: Sequence[Card], before: Position, action: Action, rng: random.Random) -> bool:
    """Return whether ``learned`` plays an action with a hand of which one card, any, has been drawn for it since."""
    seat, kept = before.to_move, [*hand]
    if len(hand) == len(before.hands[seat - 1]):
        kept.pop(rng.randrange(len(kept)))
    try:
        then = reveal(rules.hide(before, ()), seat, (*kept, action.card))
    except rules.IllegalAction:  # one of these cards came out of the discards since
        return False
    return ranking(view(then, seat))[0] == action


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
        position, action = after, ranking(view(after, after.to_move))[0]


def difference(choice: Choice, rng: random.Random, tries: int) -> float:
    """Return what the completing move won more than the other one in one sample: 1, 0 or -1; a draw is a half."""
    dealt, pile = deal(choice, rng, tries)
    team, again, won = team_of(dealt.to_move, dealt.teams), rng.getrandbits(64), list[float]()
    for action in reversed(choice.moves):
        winner = play_out(dealt, action, pile, random.Random(again))  # noqa: S311 -- the same cards again
        won.append(float(winner == team) if winner else 1 / dealt.teams)
    return won[0] - won[1]


def judge(choice: Choice, rng: random.Random, tries: int) -> Found:
    """Play both moves out until the difference is clear. Only the first samples, as many of each, make a fair mean."""
    found = list[float]()
    while True:
        found += [difference(choice, rng, tries) for _ in range(LOOK)]
        mean, error = fmean(found), stdev(found) / len(found) ** 0.5
        clear = len(found) >= SAMPLES_MIN and abs(mean) > CLEAR * error
        if clear or len(found) == SAMPLES_MAX or (len(found) == SAMPLES_MAX // 2 and abs(mean) < error):
            break
    return {
        "position": str(choice.position),
        "moves": [format_action(choice.position.variant, each) for each in choice.moves],
        "wild": choice.moves[1].card in choice.position.variant.wild,
        "samples": [len(found), round(mean, 4), round(error, 4)],
        "first": fmean(found[:SAMPLES_MIN]),
        "verdict": ("better" if mean > 0 else "worse") if clear else "unclear",
    }


def row(name: str, lines: Sequence[Found]) -> str:
    verdicts = [sum(line["verdict"] == each for line in lines) for each in ("better", "worse", "unclear")]
    first = [100 * line["first"] for line in lines]
    mean = f"{fmean(first):+.1f} ± {1.96 * stdev(first) / len(first) ** 0.5:.1f}" if len(first) > 1 else "-"
    return " | ".join(map(str, ("", name, len(lines), *verdicts, mean, ""))).strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("tables", nargs="+", help="variant, players and teams, like classic-2-2")
    parser.add_argument("--positions", type=int, default=150, help="of each table")
    parser.add_argument("--games", type=int, default=2000, help="the most, of each table")
    parser.add_argument("--tries", type=int, default=40, help="the hands dealt to a seat until one fits")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    known = [json.loads(line) for line in chosen.file.read_text("ascii").splitlines()] if chosen.file.exists() else []
    for name in chosen.tables:
        lines = [line for line in known if line["table"] == name]
        while len(lines) < chosen.games and sum("verdict" in line for line in lines) < chosen.positions:
            rng = random.Random(f"{chosen.seed} {name} {len(lines)}")  # noqa: S311 -- the same games again are wanted
            legal, choices = play(name, rng)
            found = judge(rng.choice(choices), rng, chosen.tries) if choices else {}
            lines.append({"table": name, "game": len(lines), "legal": legal, "other": len(choices), **found})
            with chosen.file.open("a", encoding="ascii") as file:
                print(json.dumps(lines[-1]), file=file)
        legal, other = (sum(line[key] for line in lines) for key in ("legal", "other"))
        print(f"{name}: {len(lines)} games, a sequence possible {legal} times, {other} times another move preferred")
        for wild in (False, True):
            print(row(f"{name} {'wild' if wild else 'plain'}", [line for line in lines if line.get("wild") == wild]))


if __name__ == "__main__":
    main()
