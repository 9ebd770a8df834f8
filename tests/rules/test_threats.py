"""Threats, held against every line of the board one by one, and against what the engine counts."""

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from seqp2p.rules import Card, CompletedSequence, Position, Square, View, apply, longest_line, place, threats, view
from tests.rules.playing import OPTION_TABLES

FREE, CORNER = 0, -1
POSITIONS = st.builds(
    lambda table, seed: table.stopped(seed).position, st.sampled_from(OPTION_TABLES), st.integers(0, 10_000)
)


def open_windows(seen: View, team: int) -> Iterator[tuple[tuple[Square, ...], tuple[Square, ...]]]:
    """The lines of the board that a team can still complete to a new sequence, with the squares that they lack."""
    made = [set(each.squares) for each in seen.sequences if each.team == team]
    for window in seen.variant.board.lines:
        chips = {square for square in window if seen.board[square] != CORNER}
        lacks = tuple(square for square in window if seen.board[square] == FREE)
        ours = all(seen.board[square] in (team, FREE, CORNER) for square in window)
        if ours and lacks and not any(len(chips & other) > 1 for other in made):
            yield window, tuple(sorted(lacks))


def fits(seen: View, card: Card, team: int, window: tuple[Square, ...], lacks: tuple[Square, ...]) -> bool:
    """Return True if a card of the reader goes on one of these squares, or takes a chip of this window."""
    if card in seen.variant.wild:
        return True
    if card in seen.variant.removing:
        bare = [square for square in window if seen.board[square] == team and square not in seen.protected]
        return team != seen.team and bool(bare)
    return any(seen.variant.board.grid[square] == card for square in lacks)


@given(POSITIONS, st.integers(0, 12))
def test_threats_are_the_windows_that_lack_one_or_two(position: Position, reader: int) -> None:
    seen = view(position, reader if reader <= position.players else 0)
    wanted = set[tuple[object, ...]]()
    for team in range(1, seen.teams + 1):
        for window, lacks in () if seen.over else open_windows(seen, team):
            if len(lacks) <= 2:
                cards = frozenset(card for card in seen.hand if card >= 0 and fits(seen, card, team, window, lacks))
                wanted.add((team, window, lacks, cards))
    found = threats(seen)
    assert {(each.team, each.line, each.missing, frozenset(each.cards)) for each in found} == wanted
    assert len(found) == len(wanted)
    assert [len(each.missing) for each in found] == sorted(len(each.missing) for each in found)


@given(POSITIONS)
def test_the_longest_line_is_that_of_some_window(position: Position) -> None:
    seen = view(position, 0)
    for team in range(1, seen.teams + 1):
        lengths = [len(window) - len(lacks) for window, lacks in open_windows(seen, team)]
        assert longest_line(seen, team) == max(lengths, default=0)


@given(POSITIONS)
def test_a_line_that_lacks_one_counts_once_it_has_it(position: Position) -> None:
    """A seat of the team, to move with a wild card, makes the line a sequence."""
    wild = position.variant.wild[0]
    for threat in threats(view(position, 0)):
        if len(threat.missing) > 1:
            continue
        team, line = threat.team, threat.line
        hands = tuple((wild, *hand[1:]) if seat == team else hand for seat, hand in enumerate(position.hands, 1))
        to_move = position._replace(to_move=team, hands=hands, pending=None, exchanged=0, out=())
        after = apply(to_move, place(wild, threat.missing[0], ((line[0], line[-1]),)))
        assert CompletedSequence(team, line) in after.sequences
