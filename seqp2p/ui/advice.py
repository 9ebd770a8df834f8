"""A choice explained in a sentence: the lines that an action builds and blocks, and the cards that it keeps."""

from collections.abc import Callable, Iterator, Sequence

from seqp2p.rules import CORNER, Action, Card, Line, Square, Team, Variant, View, apply, format_ends, threats
from seqp2p.ui.cards import action_shown, card_shown, colour_name
from seqp2p.ui.language import t
from seqp2p.ui.plain import FREE
from seqp2p.ui.words import listed


def advice(
    seen: View,
    ranking: Sequence[Action],
    colours: Sequence[str],
    action: Callable[[Variant, Action], str] = action_shown,
    card: Callable[[Variant, Card], str] = card_shown,
) -> str:
    """Return the first of these actions, the best, with its reasons, and the second beside it.

    ``colours`` are those of the teams; ``action`` and ``card`` name an action and a card.
    """
    told = [
        t(
            "{action} {reasons}",
            action=action(seen.variant, each),
            reasons=listed([*reasons(seen, each, colours, card)]),
        )
        for each in ranking[:2]
    ]
    if len(told) == 1:
        return t("hint: {best}", best=told[0])
    return t("hint: {best}; second best: {second}", best=told[0], second=told[1])


def reasons(
    seen: View, action: Action, colours: Sequence[str], card: Callable[[Variant, Card], str] = card_shown
) -> Iterator[str]:
    """Yield what an action does, each a verb with its object; one at least."""
    special = {*seen.variant.wild, *seen.variant.removing}
    if action.kind in {"place", "remove"}:
        effects = [*_on_lines(seen, action, colours)]
        yield from effects
        kept = [each for each in dict.fromkeys(seen.hand) if each in special]
        if kept and action.card not in special:
            yield t("keeps {cards}", cards=listed([card(seen.variant, each) for each in kept]))
        elif not effects:
            yield t("leaves the most for later turns")
    elif action.kind == "exchange":
        yield t("brings a new card for a dead one, and the turn goes on")
    elif action.kind == "draw":
        yield t("brings a new card")
    elif action.kind == "give":
        yield t("costs the least")
    else:
        yield t("is the only choice")


def _on_lines(seen: View, action: Action, colours: Sequence[str]) -> Iterator[str]:
    """Yield what a chip that is placed or taken does to lines: the nearest one of each team."""
    blocked = dict[Team, Line]()
    for threat in threats(seen):
        if threat.team != seen.team and action.square in (threat.missing if action.kind == "place" else threat.line):
            blocked.setdefault(threat.team, threat.line)
    after = apply(seen.position, action)
    if made := [each.squares for each in after.sequences if each not in seen.sequences]:
        yield t("completes {lines}", lines=listed([_ends(seen, line) for line in made]))
    elif action.kind == "place" and (line := _nearest_line(seen, action.square)):
        if any(seen.board[square] == seen.team for square in line):
            yield t("builds {line}", line=_ends(seen, line))
        elif not blocked:
            yield t("starts {line}", line=_ends(seen, line))
    for team, line in blocked.items():
        yield t("blocks {colour} on {line}", colour=colour_name(colours[team - 1]), line=_ends(seen, line))


def _nearest_line(seen: View, square: Square) -> Line | None:
    """Return the open line through a free square that has the most chips of the reader's team, then the most cards."""
    board, grid = seen.board, seen.variant.board.grid
    made = [{s for s in each.squares if board[s] > 0} for each in seen.sequences if each.team == seen.team]
    lines = [
        line
        for line in seen.variant.board.lines
        if square in line
        and all(board[s] in {FREE, CORNER, seen.team} for s in line)
        and all(len(each.intersection(line)) <= 1 for each in made)
    ]
    return max(
        lines,
        key=lambda line: (sum(board[s] != FREE for s in line), sum(grid[s] in seen.hand for s in line)),
        default=None,
    )


def _ends(seen: View, line: Line) -> str:
    return format_ends(seen.variant, (line[0], line[-1]))
