"""A replay as one HTML page for browsers: everything is in the page, and nothing is fetched.

``viewer.html``, ``viewer.css`` and ``viewer.js`` in this folder are joined with the positions, which the engine has
computed. The page's policy allows only this script and this style by their hashes; players' texts are data, never
markup. The file is plain ASCII, so no encoding can harm it.
"""

import base64
import hashlib
import html
import json
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from itertools import pairwise
from typing import Any, Final

from seqp2p.rules import Hand, format_square, team_of, view
from seqp2p.ui.board_model import BoardModel, board_model, face_of
from seqp2p.ui.cards import card_name, colour_name, variant_title
from seqp2p.ui.language import current, t, translate
from seqp2p.ui.picture import label_shown
from seqp2p.ui.plain import score_line
from seqp2p.ui.replay_browser import COSTLY_HEADING, BoardMoment, ReplayFrames, costly_moves, hand_text, review_lines
from seqp2p.ui.styles import UNICODE, with_chips

_PLACE: Final = re.compile(r"\{\{(\w+)\}\}")


def page(frames: ReplayFrames, about: Sequence[str]) -> str:
    """Return the page that shows a replay; ``about`` are lines on its table and its players."""
    script, style = _text("viewer.js"), with_chips(_text("viewer.css"))
    game = json.dumps(_game(frames), separators=(",", ":"))
    parts = {
        "lang": current(),
        "title": html.escape(t("{game}: {file}", game=variant_title(frames.variant.name), file=frames.title)),
        "verdict": html.escape(frames.verdict),
        "verdict_class": "right" if frames.is_right else "wrong",
        "about": "".join(f"<li>{html.escape(line)}</li>" for line in about),
        "curve": curve(frames),
        "review_hidden": "" if any(moment.review for moment in frames.moments) or frames.no_review else " hidden",
        "script": script,
        "script_hash": _hash(script),
        "style": style,
        "style_hash": _hash(style),
        # In a script element no reference is resolved, and nothing ends it but "</script".
        "game": game.replace("&", r"\u0026").replace("<", r"\u003c").replace(">", r"\u003e"),
        **{name: html.escape(text) for name, text in _labels().items()},
    }
    filled = _PLACE.sub(lambda place: parts[place[1]], _text("viewer.html"))
    return filled.encode("ascii", "xmlcharrefreplace").decode("ascii")


def curve(frames: ReplayFrames) -> str:
    """Return the chances of the teams as areas on top of each other, and the reason why others have none."""
    found = ((at, moment.review) for at, moment in enumerate(frames.moments))
    reviews = [(at, review) for at, review in found if review and review.chances]
    edges = [
        [f"{at},{100 - sum(review.chances[:teams]) / 10:g}" for at, review in reviews]
        for teams in range(len(frames.company.colours) + 1)
    ]
    lines = [
        f'<polygon class="of-{colour}" points="{" ".join([*below, *reversed(above)])}"/>'
        for colour, (below, above) in zip(frames.company.colours, pairwise(edges), strict=True)
    ]
    picture = (
        f'<svg id="curve" viewBox="0 0 {len(frames.moments) - 1} 100" preserveAspectRatio="none" aria-hidden="true">'
        f'<line class="half" x1="0" y1="50" x2="{len(frames.moments)}" y2="50"/>{"".join(lines)}'
        '<line id="now" y1="0" y2="100"/></svg>'
    )
    why = f"<p>{html.escape(frames.no_review)}</p>" if frames.no_review else ""
    return (picture if reviews else "") + why


def _text(name: str) -> str:
    return (files(__name__) / name).read_text("ascii")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("ascii")).digest()).decode("ascii")


def _labels() -> Mapping[str, str]:
    return {
        "about_label": t("about this game"),
        "no_script": t("The page needs JavaScript, which is switched off here. It is in the page: nothing is fetched."),
        "board_label": t("the board"),
        "controls_label": t("step through the game"),
        "first": t("first"),
        "back": t("back"),
        "play": t("play"),
        "next": t("next"),
        "last": t("last"),
        "speed": t("speed"),
        "slow": t("slow"),
        "normal": t("normal"),
        "fast": t("fast"),
        "slider_label": t("step of the game"),
        "keys": t("keys: arrows step, PgUp and PgDn jump, Home and End, Space plays and stops"),
        "seats_label": t("seats"),
        "hands_label": t("show the hands"),
        "log_label": t("what has happened"),
        "review_label": t("the chances to win"),
        "costly_label": translate(COSTLY_HEADING),
    }


def _game(frames: ReplayFrames) -> dict[str, Any]:
    """Return the data of the script: cards as [label, red or not, name], boards as one sign a square."""
    variant, company = frames.variant, frames.company
    faces = [face_of(variant, card) for card in range(len(variant.faces))]
    teams, turns = len(company.colours), t("turn {turn} of {turns}", turn="{turn}", turns="{turns}")
    return {
        "rows": variant.board.rows,
        "cols": variant.board.cols,
        "letters": [format_square(variant, col)[0] for col in range(variant.board.cols)],
        "board": variant.board.grid,
        "cards": [[label_shown(face), face.is_red, card_name(variant, card)] for card, face in enumerate(faces)],
        "names": not any(face.suit for face in faces),
        "colours": company.colours,
        "chips": [t("{colour} chip", colour=colour_name(colour)) for colour in company.colours],
        "seats": [[name, team_of(seat, teams) - 1] for seat, name in enumerate(company.names, 1)],
        "opened": bool(frames.opened),
        "costly": costly_moves(frames),
        "moments": [_moment(frames, moment) for moment in frames.moments],
        "words": {
            "star": UNICODE.corner,
            "corner": t("free corner"),
            "made": t("in a completed sequence"),
            "last": t("last move"),
            "unknown": t("unknown card"),
            "sits": t("{name}:", name="{name}"),
            "moves": t("{name}, to play:", name="{name}"),
            "play": t("play"),
            "stop": t("stop"),
            "place": t("{place}, step {at} of {count}", place=turns, at="{at}", count="{count}"),
        },
    }


def _moment(frames: ReplayFrames, moment: BoardMoment) -> dict[str, Any]:
    data: dict[str, Any] = {"turn": moment.turn, "lines": moment.lines}
    if moment.review:
        data["review"] = review_lines(frames, moment.review)
    if moment.position is None:
        return data | {"score": t("the cards are not dealt yet")}
    seen, colours = view(moment.position, 0), frames.company.colours
    return data | {
        "board": _board(board_model(seen, colours, moment.moves), colours),
        "last": moment.last.square if moment.last else None,
        "moves": moment.position.to_move,
        "hands": [_hand(frames, seat, hand) for seat, hand in enumerate(moment.position.hands, 1)],
        "score": score_line(seen, colours),
    }


def _board(board: BoardModel, colours: Sequence[str]) -> str:
    """Return a letter for each chip (``a`` is team 1's), a capital in a completed sequence, and a dot for no chip."""
    small = {colour: chr(ord("a") + at) for at, colour in enumerate(colours)} | {"": "."}
    return "".join(small[cell.chip].upper() if cell.made else small[cell.chip] for cell in board.cells)


def _hand(frames: ReplayFrames, seat: int, hand: Hand) -> list[int] | str:
    """Return the cards of a hand, or their number where the replay does not open them."""
    if seat in frames.opened:
        return list(hand)
    return hand_text(frames.variant, hand, open_=False)
