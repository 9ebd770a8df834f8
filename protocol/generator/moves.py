"""Vectors for the rules: positions as text, the results of actions, and the reasons of refusals."""

from protocol.generator.vectors import Vector, bad, file_of, good
from seqp2p.rules import (
    UNKNOWN,
    VARIANTS,
    AmbiguousAction,
    IllegalAction,
    NotationError,
    apply,
    format_action,
    format_card,
    format_position,
    hide,
    parse_action,
    parse_position,
    position_hash,
)

# position, action, what the vector shows. Hands, piles and discards need not add up to a deck here.
EMPTY = "*8*/10/10/10/10/10/10/10/10/*8*"
TURNS = (
    ("a chip on the card's square", EMPTY, "-", "2S,3S/2C,3C", "2S b1"),
    ("a chip on the card's other square", EMPTY, "-", "2S,3S/2C,3C", "2S g9"),
    ("a square that is not the card's", EMPTY, "-", "2S,3S/2C,3C", "2S c1"),
    ("a square that is taken", "*b7*/10/10/10/10/10/10/10/10/*8*", "-", "2S,3S/2C,3C", "2S b1"),
    ("a card that is not held", EMPTY, "-", "2S,3S/2C,3C", "2C g2"),
    ("a free corner", EMPTY, "-", "JC,3S/2C,3C", "JC a1"),
    ("a two-eyed jack on any free square", EMPTY, "-", "JD,3S/2C,3C", "JD e5"),
    ("a two-eyed jack takes nothing", "*b7*/10/10/10/10/10/10/10/10/*8*", "-", "JD,3S/2C,3C", "JD xb1"),
    ("a one-eyed jack takes a chip", "*b7*/10/10/10/10/10/10/10/10/*8*", "-", "JH,3S/2C,3C", "JH xb1"),
    ("a one-eyed jack does not place", EMPTY, "-", "3S,JS/2C,3C", "JS e5"),
    ("no chip there to take", EMPTY, "-", "3S,JS/2C,3C", "JS xe5"),
    ("one's own chip", "*a7*/10/10/10/10/10/10/10/10/*8*", "-", "3S,JS/2C,3C", "JS xb1"),
    ("a chip of a completed sequence", "*bbbb4*/10/10/10/10/10/10/10/10/*8*", "b:a1-e1", "3S,JS/2C,3C", "JS xc1"),
    ("a dead card", "*b7*/10/10/10/10/10/10/10/6b3/*8*", "-", "2S,3S/2C,3C", "2S dead"),
    ("a card that is not dead", "*b7*/10/10/10/10/10/10/10/10/*8*", "-", "2S,3S/2C,3C", "2S dead"),
    ("a jack is never dead", EMPTY, "-", "3S,JS/2C,3C", "JS dead"),
    ("a pass with a card to play", EMPTY, "-", "2S,3S/2C,3C", "pass"),
    ("a pass with a dead card to exchange first", "*b7*/10/10/10/10/10/10/10/6b3/*8*", "-", "2S/2C,3C", "pass"),
    ("a jack with nothing to take: a pass", EMPTY, "-", "JS/2C,3C", "pass"),
    ("four and a corner: a sequence", "*aaa5*/10/10/10/10/10/10/10/10/*8*", "-", "3S,5S/2C,3C", "5S e1"),
    ("four without a corner: none", "*1aaa4*/10/10/10/10/10/10/10/10/*8*", "-", "3S,7S/2C,3C", "7S g1"),
    ("six in line: the first five count", "*8*/aaa1aa4/10/10/10/10/10/10/10/*8*", "-", "3C,3S/2C,3C", "3C d2"),
    ("six in line: the mover names five", "*8*/aaa1aa4/10/10/10/10/10/10/10/*8*", "-", "3C,3S/2C,3C", "3C d2 b2-f2"),
    ("a line that is not complete", "*8*/aaa1aa4/10/10/10/10/10/10/10/*8*", "-", "3C,3S/2C,3C", "3C d2 c2-g2"),
    ("both fives of six", "*8*/aaa1aa4/10/10/10/10/10/10/10/*8*", "-", "3C,3S/2C,3C", "3C d2 a2-e2 b2-f2"),
    ("a sixth chip beside a sequence", "*8*/aaaaa5/10/10/10/10/10/10/10/*8*", "a:a2-e2", "AH,3S/2C,3C", "AH f2"),
    ("nine in line are two: a win", "*8*/aaaaa1aaa1/10/10/10/10/10/10/10/*8*", "a:a2-e2", "AH,3S/2C,3C", "AH f2"),
    ("five across and five down: a win", "*8*/aaaa6/4a5/4a5/4a5/4a5/10/10/10/*8*", "-", "2C,3S/2C,3C", "2C e2"),
)  # fmt: skip
EXCHANGED = "classic - 2/2 *b7*/10/10/10/10/10/10/10/6b3/*8* - 1 2S,3S/2C,3C 80 -/- 4 4 0 1 0 0 -"
PILE_EMPTY = f"classic - 2/2 {EMPTY} - 1 2S,3S/2C,3C 0 2H,3H/4H 4 4 0 0 0 0 -"
LAST_PASS = f"classic - 2/2 {EMPTY} - 1 JS/JH 80 -/- 4 4 0 0 1 5 -"
QUIET = f"classic - 2/2 {EMPTY} - 1 JS/JH 80 -/- 300 4 0 0 0 207 -"
ADVANCED = "classic advanced 2/2 *bbbb4*/10/10/10/10/10/10/10/10/*8* b:a1-e1 1 3S,JS/2C,3C 80 -/- 8 8 0 0 0 0 -"
OVER = f"classic - 2/2 {EMPTY} - - 3S/2C,3C 80 -/- 8 8 0 0 0 0 a"
KID = "kids - 2/2 *5*/7/7/7/7/*5* - 1 {}/?,?,? 30 -/- 4 4 0 0 0 0 -"
OTHERS = (
    ("a second exchange in one turn", EXCHANGED, "2S dead"),
    ("a play after an exchange", EXCHANGED, "3S c1"),
    ("the pile is empty: the discards are shuffled", PILE_EMPTY, "2S b1"),
    ("a whole round of passes is a draw", LAST_PASS, "pass"),
    ("208 quiet turns are a draw", QUIET, "pass"),
    ("advanced: a chip out of a sequence", ADVANCED, "JS xc1"),
    ("after the end", OVER, "3S c1"),
    ("kids: an animal", KID.format("bear,cat,duck"), "cat d1"),
    ("kids: a unicorn", KID.format("bear,cat,unicorn"), "unicorn d4"),
    ("kids: a dragon with nothing to take", KID.format("bear,cat,dragon"), "dragon xd4"),
    ("kids: four in line, corners count: a win",
     "kids - 2/2 *aa3*/7/7/7/7/*5* - 1 bear,cat,duck/?,?,? 30 -/- 4 4 0 0 0 0 -", "cat d1"),
)  # fmt: skip
BY_HAND = f"classic manual-draw 3/3 {EMPTY} - {{}} 2S,3S/2C,3C/2H,3H 80 -/-/- 8 8 0 0 0 0 - {{}}"
TALK = f"classic no-table-talk 4/2 {EMPTY} - {{}} 2S,3S/2C,3C/-/2D,3D 80 -/-/-/- 8 8 0 0 0 0 -{{}}"
OPTIONS = (
    ("by hand: a chip, and the draw is to come", BY_HAND.format(1, "").rstrip(), "2S b1"),
    ("by hand: a chip, and another seat owes a draw", BY_HAND.format(1, "play/1/3/-/-"), "2S b1"),
    ("by hand: a draw", BY_HAND.format(1, "draw/1/-/-/-"), "draw"),
    ("by hand: the turn ends without one", BY_HAND.format(1, "draw/1/-/-/-"), "end"),
    ("by hand: the next chip before the draw", BY_HAND.format(1, "draw/1/-/-/-"), "2S b1"),
    ("by hand: a late draw", BY_HAND.format(3, "late/1/3/-/-"), "draw"),
    ("by hand: a late draw is waived", BY_HAND.format(3, "late/1/3/-/-"), "waive"),
    ("by hand: nothing to waive", BY_HAND.format(1, "draw/1/-/-/-"), "waive"),
    ("by hand: a late draw after a pass", BY_HAND.format(3, "late/1/3/-/passed"), "draw"),
    ("by hand: a draw that nobody owes", BY_HAND.format(1, "play/1/3/-/-"), "draw"),
    ("talk: a seat is called, one of its team has no card", TALK.format(2, ""), "call 1"),
    ("talk: one's own team", TALK.format(2, ""), "call 4"),
    ("talk: no such seat", TALK.format(2, ""), "call 5"),
    ("talk: a card is given", TALK.format(1, " penalty/2/-/1/-"), "2S given"),
    ("talk: a card is given that is not held", TALK.format(1, " penalty/2/-/1/-"), "2C given"),
    ("talk: a play before the card is given", TALK.format(1, " penalty/2/-/1/-"), "2S b1"),
    ("talk is free at this table", f"classic - 4/2 {EMPTY} - 2 2S,3S/2C,3C/-/2D,3D 80 -/-/-/- 8 8 0 0 0 0 -", "call 1"),
)  # fmt: skip
WRITTEN = (
    ("classic", "QH e5"), ("classic", "JC e5 e1-e5 a5-e5"), ("classic", "JS xd7"), ("classic", "9C dead"),
    ("classic", "pass"), ("kids", "cat b3"), ("kids", "dragon xd4"), ("kids", "cat dead"),
    ("classic", "draw"), ("classic", "end"), ("classic", "waive"), ("classic", "call 3"), ("classic", "QH given"),
)  # fmt: skip
UNWRITTEN = (
    ("classic", ""), ("classic", "qh e5"), ("classic", "QH E5"), ("classic", "QH  e5"), ("classic", "QH e5 "),
    ("classic", "10H e5"), ("classic", "QH e05"), ("classic", "QH k1"), ("classic", "QH a11"), ("classic", "Pass"),
    ("classic", "pass QH"), ("classic", "QH"), ("classic", "QH dead e5"), ("classic", "JS x d7"),
    ("classic", "JC e5 a5-e5 e1-e5"), ("classic", "JC e5 e5-a5"), ("classic", "JC e5 a5-e5 a5-e5"),
    ("classic", "JC e5 a5-d5"), ("classic", "cat b3"), ("kids", "QH e5"), ("kids", "cat h1"),
    ("classic", "QH \uff45\uff15"), ("classic", "call"), ("classic", "call 03"), ("classic", "call 100"),
    ("classic", "given QH"), ("classic", "QH given e5"), ("classic", "draw 2"),
)  # fmt: skip


def moves() -> Vector:
    """Actions on positions."""
    turns = [
        (name, f"classic - 2/2 {board} {sequences} 1 {hands} 80 -/- 8 8 0 0 0 0 -", action)
        for name, board, sequences, hands, action in TURNS
    ]
    vectors = [_move(name, text, action) for name, text, action in (*turns, *OTHERS, *OPTIONS)]
    hidden_hands, no_cards = "/".join(["?,?,?"] * 12), "/".join("-" * 12)
    texts = [
        "classic - 2/2 *b7*/10/10/10/10/10/10/10/6b3/*8* - 1 2S,3S/?,3C 80 4H,4H/- 4 4 0 1 0 0 -",
        f"classic advanced,no-table-talk 12/3 {EMPTY} - 7 {hidden_hands} 68 {no_cards} 0 0 0 0 0 0 -",
        KID.format("bear,cat,unicorn"),
        OVER,
        BY_HAND.format(3, "late/1/3/-/passed"),
        TALK.format(1, " penalty/2/-/1/-"),
    ]
    for text in texts:
        hidden, (variant, options, *words) = hide(parse_position(text), ()), text.split()
        out = {"hidden": format_position(hidden), "hash": position_hash(hidden)}
        vectors.append(good("position", f"{variant}, options {options}, turn {words[7]}", {"position": text}, out))
    return file_of("Actions and their notation, positions and their hash.", [*vectors, *_notation()])


def _move(name: str, text: str, action: str) -> Vector:
    position = parse_position(text)
    given = {"position": text, "action": action}
    try:
        after = apply(position, parse_action(position.variant, action), UNKNOWN)
    except AmbiguousAction:
        return bad("move", name, "ambiguous", given)
    except IllegalAction:
        return bad("move", name, "illegal", given)
    return good("move", name, given, {"position": format_position(after)})


def _notation() -> list[Vector]:
    vectors = []
    for name, text in (*WRITTEN, *UNWRITTEN):
        variant, given = VARIANTS[name], {"variant": name, "text": text}
        try:
            action = parse_action(variant, text)
        except NotationError:
            vectors.append(bad("action", f"{name} {text!r}", "notation", given))
            continue
        assert format_action(variant, action) == text
        out = {
            "kind": action.kind,
            "card": None if action.card == UNKNOWN else format_card(variant, action.card),
            "square": action.square if action.square >= 0 else None,
            "ends": action.ends,
            "seat": action.seat or None,
        }
        vectors.append(good("action", f"{name} {text!r}", given, out))
    assert [v["expect"] for v in vectors] == ["ok"] * len(WRITTEN) + ["notation"] * len(UNWRITTEN)
    return vectors


def boards() -> Vector:
    """The variants as data: faces, decks, boards."""
    vectors = []
    for variant in VARIANTS.values():
        board = variant.board
        out = {
            "faces": variant.faces,
            "deck": variant.deck,
            "rows": board.rows,
            "columns": board.cols,
            "grid": ["*" if card == UNKNOWN else variant.faces[card] for card in board.grid],
            "line": variant.line_length,
            "sizes": [{"players": size.players, "hand": size.hand, "teams": size.teams} for size in variant.sizes],
            "sequences to win": {str(teams): count for teams, count in variant.sequences_to_win},
            "wild": [variant.faces[card] for card in variant.wild],
            "removing": [variant.faces[card] for card in variant.removing],
            "exchanges a turn": variant.exchanges_per_turn,
            "quiet turns": variant.quiet_turns_max,
            "colours": variant.colours,
            "options": variant.options,
        }
        vectors.append(good("variant", variant.name, {"variant": variant.name}, out))
    return file_of("The variants as data.", vectors)
