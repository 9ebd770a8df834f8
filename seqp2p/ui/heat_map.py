"""A heat map of the squares where chips were placed: one board a variant, darker for more chips.

Every square also has its number.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from seqp2p.rules import UNKNOWN, Variant
from seqp2p.ui.board_model import face_of
from seqp2p.ui.cards import variant_title
from seqp2p.ui.language import number, t
from seqp2p.ui.picture import LINE, MARGIN, document, frame_parts, label_shown, text_at

_SIZE: Final = 76


def heat_map_svg(boards: Sequence[tuple[Variant, Sequence[int]]]) -> str:
    """A picture of these boards, one below the other; with each the chips that were placed, by square."""
    width = max((variant.board.cols for variant, _ in boards), default=4) * _SIZE + 2 * MARGIN
    parts: list[str] = []
    described: list[str] = []
    y = 0
    for variant, counts in boards:
        heading = t("{title}: {count} chips placed", title=variant_title(variant.name), count=number(sum(counts)))
        described.append(heading)
        parts += [text_at(MARGIN, y + LINE, heading, "card"), f'<g transform="translate(0 {y + LINE + 8})">']
        parts += [*frame_parts(variant, _SIZE), *_squares(variant, counts), "</g>"]
        y += LINE + 8 + variant.board.rows * _SIZE + 2 * MARGIN
    return document(width, max(y, MARGIN), t("where chips were placed"), described, parts)


def _squares(variant: Variant, counts: Sequence[int]) -> Iterator[str]:
    most = max(counts, default=0) or 1
    for square, card in enumerate(variant.board.grid):
        row, col = divmod(square, variant.board.cols)
        x, y = MARGIN + col * _SIZE, MARGIN + row * _SIZE
        kind = "cell corner" if card == UNKNOWN else "cell"
        yield f'<rect class="{kind}" x="{x}" y="{y}" width="{_SIZE}" height="{_SIZE}"/>'
        if card == UNKNOWN:
            continue
        share = counts[square] / most
        yield f'<rect class="heat" x="{x}" y="{y}" width="{_SIZE}" height="{_SIZE}" fill-opacity="{0.75 * share:.3f}"/>'
        yield text_at(x + _SIZE / 2, y + 22, label_shown(face_of(variant, card)), "mid name")
        yield text_at(x + _SIZE / 2, y + 52, number(counts[square]), "mid card")
