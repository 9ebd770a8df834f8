"""The table as plain lines of text, and the board in sentences for those who hear it: a row, a column, a square."""

import textwrap
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Final, TypeAlias

from seqp2p.i18n import message
from seqp2p.rules import (
    CORNER,
    UNKNOWN,
    Action,
    Card,
    Line,
    NotationError,
    Square,
    Team,
    Threat,
    Variant,
    View,
    format_ends,
    format_square,
    parse_square,
    threats,
)
from seqp2p.ui.cards import (
    action_shown,
    card_name,
    card_shown,
    colour_letter,
    colour_name,
    face_code,
    face_name,
    is_named,
)
from seqp2p.ui.choice import cards_for
from seqp2p.ui.language import HARD_SPACE, t, tn, translate, unbound
from seqp2p.ui.person.command_words import help_of, shown
from seqp2p.ui.words import Company, listed

FREE: Team = 0
CELL_WIDTH = 4
CORNER_CELL = "**"
CODES_A_LINE = 5
HELP_WIDTH = 72
SPECTATOR_HELP: Final = message(
    "you watch: board shows the board, board 5 a row, board e a column, where e5 a square, score the"
    " sequences, seats how many cards each seat holds, log what happened; leave ends it"
)


def free_and_taken(view: View, card: Card) -> tuple[list[Square], list[Square]]:
    """Return the squares of a card, those without a chip and those with one."""
    squares = [square for square, printed in enumerate(view.variant.board.grid) if printed == card != UNKNOWN]
    taken = [square for square in squares if view.board[square] != FREE]
    return [square for square in squares if square not in taken], taken


def is_dead(view: View, card: Card) -> bool:
    """Return True if a card has squares, and all of them have chips."""
    free, taken = free_and_taken(view, card)
    return bool(taken) and not free


def is_in_sequence(view: View, square: Square) -> bool:
    return any(square in sequence.squares for sequence in view.sequences)


def ends_of(view: View, line: Line) -> str:
    """Return a line by its ends: ``a1-e1``."""
    return format_ends(view.variant, (line[0], line[-1]))


Label: TypeAlias = Callable[[Card], str]
"""Names a card in a sentence."""


def board_lines(view: View, colours: Sequence[str], last: Action | None = None) -> list[str]:
    """The board, a line a row, with column letters and row numbers; ``legend_lines`` says how to read it."""
    board = view.variant.board
    letters = "".join(f"{format_square(view.variant, column)[0]:^{CELL_WIDTH}}" for column in range(board.cols))
    lines = ["    " + letters.rstrip()]
    for row in range(board.rows):
        squares = range(row * board.cols, (row + 1) * board.cols)
        cells = "".join(f"{_cell(view, square, colours, last):^{CELL_WIDTH}}" for square in squares)
        lines.append(f"{row + 1:>3} " + cells.rstrip())
    return lines


def _cell(view: View, square: Square, colours: Sequence[str], last: Action | None) -> str:
    team, card = view.board[square], view.variant.board.grid[square]
    if card == UNKNOWN:
        return CORNER_CELL
    is_last = last is not None and last.square == square
    if team == FREE:
        text = face_code(view.variant, card)
        return f"<{text}>" if is_last else text
    letter = colour_letter(colours[team - 1])
    if is_in_sequence(view, square):
        return f"[{letter}]"  # even where it is the last move, which the log tells
    return f"<{letter}>" if is_last else f"({letter})"


def legend_lines(variant: Variant, colours: Sequence[str], *, painted: bool = False) -> list[str]:
    """Explain the cards, and the signs of ``board_lines`` unless the board is ``painted`` with others."""
    chips = ", ".join(f"({colour_letter(colour)}) {colour_name(colour)}" for colour in colours)
    letter = colour_letter(colours[0])
    signs = [
        t("on the board:  {chips} chips    {corner} a free corner", chips=chips, corner=CORNER_CELL),
        t("               [{letter}] in a completed sequence    <{letter}> the last move", letter=letter),
    ]
    printed = [card for card in range(len(variant.faces)) if is_named(variant, card) and card in variant.board.grid]
    rows = code_rows([f"{face_code(variant, card)} {face_name(variant, card)}" for card in printed])
    title = t("cards:")
    cards = [f"{'' if at else title:<15}{row}" for at, row in enumerate(rows)] or letters_lines()
    return cards if painted else [*signs, *cards]


def code_rows(codes: Sequence[str]) -> list[str]:
    return [", ".join(codes[at : at + CODES_A_LINE]) for at in range(0, len(codes), CODES_A_LINE)]


def letters_lines() -> list[str]:
    """The letters of the classic cards, which are the same in every language."""
    return [
        t("cards:         T ten, J jack, Q queen, K king, A ace"),
        t("               C clubs, D diamonds, H hearts, S spades"),
    ]


def hand_line(view: View) -> str:
    """Return the seat's own hand, without a card still being drawn."""
    cards = [card_shown(view.variant, card) for card in view.hand if card != UNKNOWN]
    return t("your hand: {cards}", cards=" ".join(cards)) if cards else t("your hand: no card")


def score_line(view: View, colours: Sequence[str]) -> str:
    made = sequences_made(view)
    teams = ", ".join(f"{colour_name(colour)} {count}" for colour, count in zip(colours, made, strict=True))
    tops = ", ".join(_top(view.variant, pile) for pile in view.discards)
    return t(
        "sequences: {teams}   draw pile: {pile}   discards by seat: {tops}", teams=teams, pile=view.pile, tops=tops
    )


def sequences_made(view: View) -> tuple[int, ...]:
    return tuple(sum(1 for made in view.sequences if made.team == team) for team in range(1, view.teams + 1))


def legal_lines(view: View) -> list[str]:
    """Return every legal action, a line for each card; a wild card's many squares are counted, not listed."""
    by_card: dict[Card, list[Action]] = {}
    for action in view.legal:
        by_card.setdefault(action.card, []).append(action)
    return [_legal_line(view, card, actions) for card, actions in by_card.items()]


def where_lines(view: View, card: Card, colours: Sequence[str]) -> list[str]:
    variant, long = view.variant, long_name(view.variant, card)
    if card in variant.wild:
        return [t("{card} puts a chip on any free square", card=long)]
    if card in variant.removing:
        return [t("{card} takes an opponent's chip off its square, which is free again", card=long)]
    free, taken = free_and_taken(view, card)
    lies = ", ".join(f"{format_square(variant, at)} {_lies(view, at, colours)}" for at in sorted([*free, *taken]))
    if free:
        return [t("{card}: {squares}", card=long, squares=lies)]
    code = card_shown(variant, card)
    return [t("{card}: {squares}; it is dead, and {code} dead exchanges it", card=long, squares=lies, code=code)]


def threat_lines(
    view: View, colours: Sequence[str], label: Label | None = None, found: Sequence[Threat] | None = None
) -> list[str]:
    """Every line that lacks one or two chips, a sentence each, with the reader's cards that close or block it.

    ``label`` names a card, ``found`` are the threats of the view if they are known.
    """
    found = threats(view) if found is None else found
    lines = [_threat_line(view, threat, colours, label or partial(card_shown, view.variant)) for threat in found]
    return lines or [t("no line lacks one or two chips")]


def _threat_line(view: View, threat: Threat, colours: Sequence[str], label: Label) -> str:
    line = t(
        "{colour} lacks {squares} on {line}",
        colour=colour_name(colours[threat.team - 1]),
        squares=listed([format_square(view.variant, square) for square in threat.missing]),
        line=ends_of(view, threat.line),
    )
    cards = ", ".join(map(label, threat.cards))
    if not cards:
        return line
    if threat.team != view.team:
        return t("{line}; you can block it with {cards}", line=line, cards=cards)
    if len(threat.missing) == 1:
        return t("{line}; you can close it with {cards}", line=line, cards=cards)
    return t("{line}; you can go on with {cards}", line=line, cards=cards)


Ways: TypeAlias = Mapping[int, int | str]
"""How seats are reached: through another one alone, by a relay alone (its address), or directly (an empty text)."""


def seats_lines(
    view: View, company: Company, away: Collection[int] = (), ways: Ways = MappingProxyType({})
) -> list[str]:
    """Return each seat with its colour, the number of its cards, the top of its discards, and whether it is there."""
    lines: list[str] = []
    for seat, (size, pile) in enumerate(zip(view.hand_sizes, view.discards, strict=True), 1):
        name, cards = company.names[seat - 1], tn("1 card", "{count} cards", size)
        name = t("{name} (you)", name=name) if seat == company.own else name
        values = {"name": name, "colour": colour_name(company.colour(seat)), "cards": cards}
        top = _top(view.variant, pile)
        line = t("seat {seat}  {name}  {colour}  {cards}  discarded {top}", seat=seat, top=top, **values)
        line = t("{seat}   to play", seat=line) if seat == view.mover else line
        if seat in view.out:
            line = t("{seat}   out of the game", seat=line)
        elif seat in away:
            line = t("{seat}   away", seat=line)
        elif seat in ways:
            line = _way(line, ways[seat], company)
        lines.append(line)
    return lines


def _way(line: str, way: int | str, company: Company) -> str:
    """Add to a seat's line how it is reached."""
    if isinstance(way, int):
        return t("{seat}   reached through {name} alone", seat=line, name=company.name(way))
    if way:
        return t("{seat}   linked by the relay {relay} alone, which can cut it off", seat=line, relay=way)
    return t("{seat}   linked directly", seat=line)


def help_lines(view: View, *, coached: bool = False) -> list[str]:
    """Return the words that can be typed, with this game's own cards as examples; ``coached``: with hints."""
    if not view.seat:
        return [translate(SPECTATOR_HELP)]
    variant = view.variant
    first = next(square for square, card in enumerate(variant.board.grid) if card != UNKNOWN)
    card, square = variant.board.grid[first], format_square(variant, first)
    place, wild, taker = (card_shown(variant, each) for each in (card, variant.wild[-1], variant.removing[-1]))
    values = {"card": place, "square": square, "wild": wild, "taker": taker}
    lines = [
        t("on your turn:  {card} {square}  a card and a square", **values),
        t("               {wild} {square}  any free square    {taker} x{square}  take a chip", **values),
        t("               {card} dead  exchange a dead card    pass", **values),
    ]
    if view.options.manual_draw:
        lines.append(t("               after your card: draw, or end (no new card)"))
    if not view.options.table_talk and view.teams < view.players:
        other = view.seat % view.players + 1
        lines.append(
            t("               before you play: call {seat}  for what seat {seat} said; its team pays", seat=other)
        )
    title = t("at any time:   ")
    words = [word.replace(" ", HARD_SPACE) for word in help_of(place, coached=coached)]
    rows = textwrap.wrap(", ".join(words), HELP_WIDTH - len(title), break_long_words=False, break_on_hyphens=False)
    lines += [unbound(f"{' ' * len(title) if at else title}{row}") for at, row in enumerate(rows)]
    lines.append(t("in sentences:  board 5 (a row), board e (a column), where {square} (a square)", square=square))
    lines.append(t("               log 5 (last lines), board never, board always (each turn)"))
    return lines


def _lies(view: View, square: Square, colours: Sequence[str]) -> str:
    team = view.board[square]
    return t("free") if team == FREE else colour_name(colours[team - 1])


def _legal_line(view: View, card: Card, actions: Sequence[Action]) -> str:
    if card in view.variant.wild and len(actions) > 1:
        values = {"card": card_shown(view.variant, card), "example": action_shown(view.variant, actions[0])}
        return t("  {card} on any of {count} free squares, like: {example}", count=len(actions), **values)
    return "  " + ", ".join(action_shown(view.variant, action) for action in actions)


def _top(variant: Variant, pile: Sequence[Card]) -> str:
    return card_shown(variant, pile[-1]) if pile else t("nothing")


def board_answer(view: View, text: str, colours: Sequence[str], last: Action | None) -> list[str]:
    if not text:
        return [*board_lines(view, colours, last), score_line(view, colours)]
    return part_answer(view, text, colours, last)


def part_answer(view: View, text: str, colours: Sequence[str], last: Action | None) -> list[str]:
    ask = t("{board} takes a row, a column or a square, like: {board} 5, {board} e, {board} e5", board=shown("board"))
    return part_lines(view, text, colours, last) or [ask]


def part_lines(view: View, text: str, colours: Sequence[str], last: Action | None = None) -> list[str]:
    """The part of the board that a text names: ``5`` a row, ``e`` a column, ``e5`` a square; nothing if it names none.

    ``last`` is the last chip that was placed or taken.
    """
    variant, name = view.variant, text.lower()
    board = variant.board
    if (square := read_square(variant, name)) is not None:
        return [square_line(view, square, colours)]
    if (first := read_square(variant, f"a{name}")) is not None:
        squares = range(first, first + board.cols)
        told = [_told(view, square, format_square(variant, square)[0], colours, last) for square in squares]
        return [t("row {row}: {squares}", row=name, squares=", ".join(told))]
    if len(name) == 1 and (first := read_square(variant, f"{name}1")) is not None:
        squares = range(first, board.rows * board.cols, board.cols)
        told = [_told(view, square, format_square(variant, square), colours, last) for square in squares]
        return [t("column {column}: {squares}", column=name, squares=", ".join(told))]
    return []


def read_square(variant: Variant, text: str) -> Square | None:
    """The square that a text names, or None.

    >>> from seqp2p.rules import CLASSIC
    >>> read_square(CLASSIC, "E5"), read_square(CLASSIC, "k1")
    (44, None)
    """
    try:
        return parse_square(variant, text.lower())
    except NotationError:
        return None


def square_line(view: View, square: Square, colours: Sequence[str]) -> str:
    """Return a sentence on a square, and the cards of the hand that can go there now."""
    fitting = cards_for(view, square) if view.legal else None
    return square_text(view, square, colours, lambda card: long_name(view.variant, card), fitting)


def long_name(variant: Variant, card: Card) -> str:
    """Return a card as it is written, with its full name if this differs."""
    code = card_shown(variant, card)
    if is_named(variant, card):
        return code
    return t("{card} ({name})", card=code, name=card_name(variant, card))


def square_text(
    view: View, square: Square, colours: Sequence[str], label: Label, fitting: Sequence[Card] | None
) -> str:
    """Return a sentence on a square. ``fitting`` cards of the hand can go there; None says nothing of the hand."""
    where, team = format_square(view.variant, square), view.board[square]
    if team == CORNER:
        return t("{square} is a free corner: it counts for everybody", square=where)
    card = label(view.variant.board.grid[square])
    if team != FREE:
        values = {"square": where, "card": card, "colour": colour_name(colours[team - 1])}
        if is_in_sequence(view, square):
            return t("{square} is {card}: a {colour} chip in a completed sequence", **values)
        return t("{square} is {card}: a {colour} chip", **values)
    if fitting:
        cards = t(" or ").join(label(each) for each in fitting)
        return t("{square} is {card}, free: your {cards} can go here", square=where, card=card, cards=cards)
    if fitting is not None:
        return t("{square} is {card}, free; no card in your hand goes there", square=where, card=card)
    return t("{square} is {card}, free", square=where, card=card)


def _told(view: View, square: Square, at: str, colours: Sequence[str], last: Action | None) -> str:
    team = view.board[square]
    if team == CORNER:
        text = t("{square} free corner", square=at)
    elif team == FREE:
        text = t("{square} {card}", square=at, card=card_shown(view.variant, view.variant.board.grid[square]))
    elif is_in_sequence(view, square):
        text = t("{square} {colour} in a sequence", square=at, colour=colour_name(colours[team - 1]))
    else:
        text = t("{square} {colour}", square=at, colour=colour_name(colours[team - 1]))
    return t("{square} (last move)", square=text) if last is not None and last.square == square else text
