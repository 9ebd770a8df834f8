"""The sheets in place of the table, as lines: help, and every seat's discard pile."""

from collections.abc import Iterator, Sequence
from typing import Final

from seqp2p.rules import View
from seqp2p.ui.board_model import face_of
from seqp2p.ui.cards import colour_name
from seqp2p.ui.explain import card_label
from seqp2p.ui.frame import width_of
from seqp2p.ui.language import t, tn
from seqp2p.ui.plain import help_lines, letters_lines
from seqp2p.ui.scene import KeyHelp, LogLine
from seqp2p.ui.styles import Glyphs
from seqp2p.ui.words import Company

KEY_WIDTH: Final = 10
SIGN_WIDTH: Final = 5
CODES_A_LINE: Final = 5


def help_sheet(view: View | None, company: Company, keys: Sequence[KeyHelp], glyphs: Glyphs) -> tuple[LogLine, ...]:
    """The keys that do something now, the signs, and what can be typed."""
    lines = [t("Keys that do something now:")]
    lines += [f"  {each.key}{' ' * max(1, KEY_WIDTH - width_of(each.key))}{each.does}" for each in keys]
    if view is not None:
        lines += ["", t("Signs:"), *(f"  {line}" for line in _signs(view, company, glyphs))]
        lines += ["", t("What can be typed:"), *(f"  {line}" for line in help_lines(view))]
    return tuple(LogLine("log", line) for line in lines)


def _signs(view: View, company: Company, glyphs: Glyphs) -> Iterator[str]:
    chips = "  ".join(f"{glyphs.chips[colour]} {colour_name(colour)}" for colour in company.colours)
    yield t("{chips}: the teams' chips", chips=chips)
    opening, closing = glyphs.cursor
    meanings = {
        glyphs.corner * 2: t("a free corner, which counts for everybody"),
        glyphs.made: t("in a completed sequence"),
        glyphs.last: t("the last move"),
        glyphs.lit: t("where the chosen card can go"),
        f"{opening} {closing}": t("the cursor; in the hand: the chosen card"),
        glyphs.turn: t("what Enter sends; whose turn it is"),
        glyphs.dead: t("in the hand: a dead card"),
        "": t("on the board: a chip that is about to be taken"),
        "+": t("in the hand: goes on any free square"),
        "-": t("in the hand: takes an opponent's chip"),
        "( )": t("in the hand: of no use now"),
    }
    yield from (f"{sign:<{SIGN_WIDTH}}{meaning}" for sign, meaning in meanings.items())
    faces = [face_of(view.variant, card) for card in range(len(view.variant.faces))]
    if any(face.suit for face in faces):
        yield from letters_lines()
    codes = [f"{face.label} {face.name}" for face in faces if not face.suit]
    for at in range(0, len(codes), CODES_A_LINE):
        yield ", ".join(codes[at : at + CODES_A_LINE])


def piles_sheet(view: View, company: Company, seat: int, glyphs: Glyphs) -> tuple[LogLine, ...]:
    """The discard pile of a seat, of every seat where ``seat`` is 0; the newest card first."""
    seats = [seat] if seat else range(1, view.players + 1)
    return tuple(LogLine("log", line) for each in seats for line in _pile(view, company, each, glyphs))


def _pile(view: View, company: Company, seat: int, glyphs: Glyphs) -> Iterator[str]:
    pile = view.discards[seat - 1]
    who = t(
        "seat {seat}, {name} ({colour})",
        seat=seat,
        name=company.names[seat - 1],
        colour=colour_name(company.colour(seat)),
    )
    if not pile:
        yield t("{who}: no card discarded", who=who)
        return
    yield tn("{who}, one card:", "{who}, {count} cards, the newest first:", len(pile), who=who)
    separator = " " if face_of(view.variant, pile[-1]).suit else ", "
    yield "  " + separator.join(card_label(view, card, glyphs) for card in reversed(pile))
