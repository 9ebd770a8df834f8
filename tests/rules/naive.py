"""The rules once more, as plainly as possible and without a line of the engine: something to hold it against."""

from seqp2p.rules import Position, Variant

Lines = list[tuple[int, ...]]


def all_lines(variant: Variant) -> Lines:
    """Rows, columns, diagonals to the right, diagonals to the left; in each the squares in reading order."""
    rows, cols, length = variant.board.rows, variant.board.cols, variant.line_length
    lines = []
    for down, right in [(0, 1), (1, 0), (1, 1), (1, -1)]:
        for row in range(rows):
            for col in range(cols):
                cells = [(row + i * down, col + i * right) for i in range(length)]
                if all(0 <= r < rows and 0 <= c < cols for r, c in cells):
                    lines.append(tuple(r * cols + c for r, c in cells))
    return lines


def owners(position: Position) -> dict[int, int]:
    """The team whose chip lies on a square."""
    squares = range(len(position.variant.board.grid))
    return {s: team for team, chips in enumerate(position.chips, start=1) for s in squares if chips >> s & 1}


def legal(position: Position) -> set[tuple[str, str, int]]:
    """Legal actions of the seat to move, whose hand is known, as (kind, card name, square or -1)."""
    variant, board, chips = position.variant, position.variant.board, owners(position)
    mine = (position.to_move - 1) % position.teams + 1
    free = [s for s in range(len(board.grid)) if s not in chips and s not in board.corners]
    untouchable = set() if position.options.advanced else {s for seq in position.sequences for s in seq.squares}
    found: set[tuple[str, str, int]] = set()
    dead: set[tuple[str, str, int]] = set()
    for name in {variant.faces[card] for card in position.hands[position.to_move - 1]}:
        if name in {"JC", "JD", "unicorn"}:
            found |= {("place", name, s) for s in free}
        elif name in {"JS", "JH", "dragon"}:
            found |= {("remove", name, s) for s, team in chips.items() if team != mine and s not in untouchable}
        else:
            places = {("place", name, s) for s in free if variant.faces[board.grid[s]] == name}
            found |= places
            if not places:
                dead.add(("exchange", name, -1))
    pool = position.pile + sum(len(cards) for cards in position.discards)
    if position.exchanged < (1 if variant.name == "classic" else pool):
        found |= dead
    return found or {("pass", "", -1)}


def count_after(before: Position, after: Position, square: int) -> set[tuple[int, tuple[int, ...]]]:
    """The sequences that stand after a chip was placed on a square and none was named."""
    variant, corners = before.variant, set(before.variant.board.corners)
    team = (before.to_move - 1) % before.teams + 1
    mine = {s for s, owner in owners(after).items() if owner == team} | corners
    standing = {(sequence.team, sequence.squares) for sequence in before.sequences}
    for line in all_lines(variant):
        if not before.options.advanced and square not in line:
            continue
        shares = [len(set(line) & set(other) - corners) for owner, other in standing if owner == team]
        if set(line) <= mine and all(share <= 1 for share in shares) and _in_reach(variant, line, square):
            standing.add((team, line))
    return standing


def _in_reach(variant: Variant, line: tuple[int, ...], square: int) -> bool:
    """Whether the square lies in the row, column or diagonal that the line is part of."""
    step, cols = line[1] - line[0], variant.board.cols
    (row, col), (line_row, line_col) = divmod(square, cols), divmod(line[0], cols)
    same = {
        1: row == line_row,
        cols: col == line_col,
        cols + 1: row - col == line_row - line_col,
        cols - 1: row + col == line_row + line_col,
    }
    return same[step]
