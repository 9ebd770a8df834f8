"""The table screen in words: turn, question, the meaning of the choice; the keys; the sheets in place of the table.

Sentences about the rules come from the view: its legal actions and its board.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, TypeAlias

from seqp2p.rules import (
    CORNER,
    NO_SQUARE,
    UNKNOWN,
    Action,
    ActionKind,
    Card,
    Line,
    Team,
    Variant,
    View,
    apply,
    format_square,
)
from seqp2p.ui.board_model import face_of
from seqp2p.ui.board_paint import label_of
from seqp2p.ui.cards import action_shown, action_signed, card_shown, card_signed, colour_name, is_jack, is_named
from seqp2p.ui.choice import Choice, actions_of, bare_actions, cards_for, special_cards, targets
from seqp2p.ui.frame import width_of
from seqp2p.ui.keys import KeyHelp
from seqp2p.ui.language import t, tn
from seqp2p.ui.plain import FREE, code_rows, ends_of, free_and_taken, help_lines, is_dead, letters_lines, square_text
from seqp2p.ui.styles import Glyphs
from seqp2p.ui.table_model import TableState
from seqp2p.ui.words import Company, listed

NO_CARD: Final = ("draw", "late")
"""The phases in which no card is played."""
KEY_WIDTH: Final = 10
SIGN_WIDTH: Final = 5
NOTABLE: Final = 4
"""A line is told of if its gain is more than this part of the greatest."""
Gains: TypeAlias = Callable[[Action], Mapping[Line, int]]
"""What an action with a chip adds to the value of each line: the terms of its worth."""


def whose_turn(state: TableState) -> str:
    view, company = state.view, state.company
    if state.result or (view is not None and view.over):
        return t("the game is over")
    if view is None:
        return t("the cards are not dealt yet")
    own, name = view.to_move == company.own, company.name(view.to_move)
    if view.phase == "play":
        return t("your turn") if own else t("{name}'s turn", name=name)
    if view.phase == "draw":
        return t("you draw") if own else t("{name} draws", name=name)
    if view.phase == "late":
        return t("you may still draw") if own else t("{name} may still draw", name=name)
    return t("you give up a card") if own else t("{name} gives up a card", name=name)


def prompt(state: TableState) -> str:
    """Return what the player is asked or told; empty before the deal and after the end."""
    view, choice = state.view, state.choice
    if view is None or view.over:
        return ""
    shown = partial(action_signed, view.variant, suits=state.glyphs.suits)
    if not state.company.own:
        return t("you are watching: no hand is shown")
    if state.sent:
        return t("{action} is sent; one moment", action=shown(state.sent))
    if not state.asked:
        return _meanwhile(state, view)
    if choice.staged:
        return t("{action}: Enter sends it, Esc takes it back", action=shown(choice.staged))
    passes = t("nothing can be played: you pass in a moment; Esc stops it")
    return passes if state.pending else _question(view, choice.card)


def _meanwhile(state: TableState, view: View) -> str:
    waits = t("waiting for {names}", names=state.company.names_of(state.away_s))
    if view.mover == state.company.own and view.phase == "play":
        return waits if state.away_s else t("a card is being drawn; one moment")
    if state.pending and state.choice.card == UNKNOWN:
        action = action_signed(view.variant, state.pending, state.glyphs.suits)
        return t("{action} is prepared for your turn; Esc takes it back", action=action)
    whose = waits if view.to_move in state.away_s else whose_turn(state)
    return t("{whose_turn}. You can prepare your move: choose a card and a square.", whose_turn=whose)


def _question(view: View, card: Card) -> str:
    if view.phase in NO_CARD:
        return t("draw your new card: Enter; Tab to do without")
    if view.phase == "penalty":
        return t("your team's talk was called: choose a card to give up")
    if bare_actions(view):
        return t("no card in your hand can be played: Enter passes")
    if targets(view, card):
        return t("choose a lit square with the arrows, then Enter")
    return t("choose a card (Tab), or type an action")


def explanation(state: TableState) -> tuple[str, ...]:
    """Explain the choice: the sequences it makes, its card, the square under the cursor."""
    view, choice = state.view, state.choice
    question = state.question
    if question is not None and (question.answers or choice.card == UNKNOWN):
        return (t("; ").join(question.details),) if question.details else ()
    if view is None:
        return ()
    if len(choice.ways) > 1 and choice.staged:
        lines = listed([ends_of(view, made) for made in _completed(view, choice.staged)])
        return (
            t("this chip completes more lines than can count; now {lines} counts, Tab chooses another", lines=lines),
        )
    if state.asked and view.phase in NO_CARD:
        return ()
    label = partial(card_signed, view.variant, suits=state.glyphs.suits)
    said = () if choice.card == UNKNOWN else (_of_card(view, choice.card, label(choice.card), asked=state.asked),)
    goes_anywhere = choice.card in special_cards(view.variant) and targets(view, choice.card)
    if choice.cursor == NO_SQUARE or (said and not goes_anywhere):
        return said
    fitting = cards_for(view, choice.cursor)
    asks = choice.card == UNKNOWN and (fitting or view.hand)
    return (*said, square_text(view, choice.cursor, state.company.colours, label, fitting if asks else None))


def _completed(view: View, action: Action) -> list[Line]:
    return [each.squares for each in apply(view.position, action).sequences if each not in view.sequences]


def _of_card(view: View, card: Card, name: str, *, asked: bool) -> str:
    if view.phase == "penalty" and asked:
        return t("{card} goes on your discards, and you get no new card for it", card=name)
    if card in view.variant.wild:
        return _of_wild_card(view, card, name)
    if card in view.variant.removing:
        return _of_removing_card(view, card, name)
    if is_dead(view, card):
        return _of_dead_card(view, card, name, asked=asked)
    free, taken = ([format_square(view.variant, square) for square in part] for part in free_and_taken(view, card))
    values = {"card": name, "squares": listed(free), "taken": listed(taken)}
    if not taken:
        return t("{card} goes on {squares}", **values)
    return tn(
        "{card} goes on {squares}; {taken} is taken",
        "{card} goes on {squares}; {taken} are taken",
        len(taken),
        **values,
    )


def _of_wild_card(view: View, card: Card, name: str) -> str:
    if not targets(view, card):
        return t("{card} goes on any free square, but no square is free", card=name)
    if is_jack(view.variant, card):
        return t("{card}, a two-eyed jack, goes on any free square", card=name)
    return t("{card} goes on any free square", card=name)


def _of_removing_card(view: View, card: Card, name: str) -> str:
    if not targets(view, card):
        return t("{card} takes an opponent's chip, but no opponent's chip can be taken now", card=name)
    if is_jack(view.variant, card):
        return t("{card}, a one-eyed jack, takes an opponent's lit chip", card=name)
    return t("{card} takes an opponent's lit chip", card=name)


def _of_dead_card(view: View, card: Card, name: str, *, asked: bool) -> str:
    if not asked:
        return t("{card} is dead: all its squares are taken; you can exchange it on your turn", card=name)
    if actions_of(view, card):
        return t("{card} is dead: all its squares are taken; Enter exchanges it", card=name)
    return t("{card} is dead: all its squares are taken, and no more cards can be exchanged this turn", card=name)


def keys_of(state: TableState) -> tuple[KeyHelp, ...]:
    view, choice = state.view, state.choice
    if state.question is not None and state.question.answers:
        return state.question.keys
    if state.is_covered:
        return (
            KeyHelp(t("Esc"), t("back to the table"), press="escape"),
            KeyHelp(t("arrows"), t("scroll"), spare=True),
            KeyHelp(t("PgDn"), t("later"), press="pagedown"),
            KeyHelp(t("PgUp"), t("earlier"), press="pageup"),
            KeyHelp(t("Home"), t("first"), press="home"),
            KeyHelp(t("End"), t("last"), press="end"),
        )
    choosing = () if view is None or state.result else _choosing(view, choice, asked=state.asked)
    leaves = t("stop") if state.company.own and not state.result else t("leave")
    rows: list[tuple[object, KeyHelp]] = [
        (True, KeyHelp("?", t("help"), press="?")),
        (state.closing, KeyHelp(t("Enter"), state.closing, press="enter")),
        *((True, key) for key in choosing),
        (state.coached, KeyHelp("F5", t("hint"), press="f5")),
        # Where there is no room for all: a seat has its discards, and PgUp older lines, too.
        (view, KeyHelp("F3", t("discards"), spare=True, press="f3")),
        (view and not state.result, KeyHelp("F4", t("threats"), press="f4")),
        (True, KeyHelp("F2", t("log"), press="f2")),
        (True, KeyHelp("Ctrl-C", leaves, press="c-c")),
        (True, KeyHelp(t("PgUp"), t("older lines"), spare=True, press="pageup")),
        (state.scrolled, KeyHelp(t("PgDn"), t("newer lines"), spare=True, press="pagedown")),
    ]
    return tuple(key for applies, key in rows if applies)


def _choosing(view: View, choice: Choice, *, asked: bool) -> Iterator[KeyHelp]:
    if does := _enter(view, choice, asked=asked):
        yield KeyHelp(t("Enter"), does, press="enter")
    if choice.staged or choice.card != UNKNOWN:
        yield KeyHelp(t("Esc"), t("take back") if choice.staged else t("no card"), press="escape")
    if does := _tab(view, choice):
        yield KeyHelp("Tab", does, press="tab")
    yield KeyHelp(t("arrows"), t("square"), spare=True)


def _enter(view: View, choice: Choice, *, asked: bool) -> str:
    """Return the effect of Enter; empty if it has none."""
    if choice.staged:
        return t("send")
    if asked and bare_actions(view):
        return _sent(bare_actions(view)[0].kind)
    if choice.card == UNKNOWN:
        return t("choose a card") if cards_for(view, choice.cursor) else ""
    if not asked:
        return t("prepare") if targets(view, choice.card) else ""
    if targets(view, choice.card):
        return t("take the chip") if choice.card in view.variant.removing else t("put a chip")
    actions = actions_of(view, choice.card)
    return _sent(actions[0].kind) if actions else ""


def _sent(kind: ActionKind) -> str:
    """Return the word for sending an action that needs no square."""
    words = {"pass": t("pass"), "draw": t("draw"), "exchange": t("exchange"), "give": t("give up")}
    return words.get(kind, t("send"))


def _tab(view: View, choice: Choice) -> str:
    """Return the effect of Tab; empty if it has none."""
    if choice.staged and len(choice.ways) > 1:
        return t("other lines")
    if len(bare_actions(view)) > 1:
        return t("draw or not")
    return t("card") if view.hand else ""


def hand_signs(glyphs: Glyphs) -> Mapping[str, str]:
    """Return the signs on cards of a hand, with their meanings."""
    return {"+": t("any free square"), "-": t("takes a chip"), glyphs.dead: t("dead"), "( )": t("no use now")}


def help_sheet(state: TableState) -> list[str]:
    """Return the keys that do something now, the signs, and what can be typed."""
    keys = keys_of(replace(state, is_covered=False))
    lines = [t("Keys you can use now:")]
    lines += [f"  {each.key}{' ' * max(1, KEY_WIDTH - width_of(each.key))}{each.does}" for each in keys]
    if state.view is not None:
        signs = [*sign_meanings(state.company, state.glyphs), *_signs_of_cards(state.view.variant, state.glyphs)]
        lines += ["", t("Symbols:"), *(f"  {line}" for line in signs)]
        lines += ["", t("What can be typed:"), *(f"  {line}" for line in help_lines(state.view, coached=state.coached))]
    return lines


def sign_meanings(company: Company, glyphs: Glyphs) -> Iterator[str]:
    """Yield the signs with their meanings; those of a hand and its choice only if the reader has one."""
    chips = "  ".join(f"{glyphs.chips[colour]} {colour_name(colour)}" for colour in company.colours)
    yield t("{chips}: the teams' chips", chips=chips)
    opening, closing = glyphs.cursor
    meanings = {
        glyphs.corner * 2: t("a free corner, which counts for everybody"),
        glyphs.run[:4]: t("in a completed sequence"),
        glyphs.last: t("the last move"),
        glyphs.recent: t("a move since your last turn") if company.own else t("a move of this round"),
        glyphs.line: t("with F4: on a line that lacks one or two chips"),
        "".join(glyphs.lacks[colour] for colour in company.colours): t("with F4: a chip that such a line lacks"),
    }
    chosen = {
        " ".join(glyphs.lit[:2]): t("where the chosen card can go"),
        f"{opening} {closing}": t("the cursor; in the hand: the chosen card"),
        glyphs.turn: t("what Enter sends; what you have prepared; whose turn it is"),
        glyphs.dead: t("on the board: a chip that is about to be taken"),
        **{sign: t("in the hand: {meaning}", meaning=meaning) for sign, meaning in hand_signs(glyphs).items()},
    }
    meanings |= chosen if company.own else {f"{opening} {closing}": t("the cursor"), glyphs.turn: t("whose turn it is")}
    yield from (f"{sign:<{SIGN_WIDTH}}{meaning}" for sign, meaning in meanings.items())


def _signs_of_cards(variant: Variant, glyphs: Glyphs) -> list[str]:
    faces = [face_of(variant, card) for card in range(len(variant.faces))]
    codes = [f"{label_of(face, glyphs)} {face.name}" for face in faces if not face.suit]
    return [*(letters_lines() if len(codes) < len(faces) else ()), *code_rows(codes)]


def piles_sheet(state: TableState, seat: int) -> list[str]:
    """Return the discard pile of a seat, or of every seat if ``seat`` is 0; the newest card first."""
    if state.view is None:
        return [t("the cards are not dealt yet")]
    seats = [seat] if seat else state.company.seats
    return [line for each in seats for line in _pile(state.view, state.company, each, state.glyphs)]


def _pile(view: View, company: Company, seat: int, glyphs: Glyphs) -> Iterator[str]:
    pile, name, colour = view.discards[seat - 1], company.names[seat - 1], colour_name(company.colour(seat))
    who = t("seat {seat}, {name} ({colour})", seat=seat, name=name, colour=colour)
    if not pile:
        yield t("{who}: no card discarded", who=who)
        return
    yield tn("{who}, one card:", "{who}, {count} cards, the newest first:", len(pile), who=who)
    separator = ", " if is_named(view.variant, pile[-1]) else " "
    yield "  " + separator.join(card_signed(view.variant, card, glyphs.suits) for card in reversed(pile))


def advice(
    seen: View,
    ranking: Sequence[Action],
    gains: Gains,
    colours: Sequence[str],
    action: Callable[[Variant, Action], str] = action_shown,
    card: Callable[[Variant, Card], str] = card_shown,
) -> str:
    """Return the first of these actions, the best, with its reasons, and the second best.

    ``colours`` are those of the teams; ``action`` and ``card`` name an action and a card.
    """

    def told(choice: Action) -> str:
        why = listed([*reasons(seen, choice, gains, colours, card)])
        return t("{action} {reasons}", action=action(seen.variant, choice), reasons=why)

    if len(ranking) == 1:
        return t("hint: {best}", best=told(ranking[0]))
    return t("hint: {best}; second best: {second}", best=told(ranking[0]), second=told(ranking[1]))


def reasons(
    seen: View,
    action: Action,
    gains: Gains,
    colours: Sequence[str],
    card: Callable[[Variant, Card], str] = card_shown,
) -> Iterator[str]:
    """Yield what an action does, each a verb with its object; one at least."""
    special = special_cards(seen.variant)
    if action.kind in {"place", "remove"}:
        effects = [*_on_lines(seen, action, gains(action), colours, card)]
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


def _on_lines(
    seen: View, action: Action, gains: Mapping[Line, int], colours: Sequence[str], card: Callable[[Variant, Card], str]
) -> Iterator[str]:
    """Yield what a chip that is placed or taken does: the line that counts most for each team, the greatest gain first.

    Lines that count little beside the greatest gain are left out, and a line with no other chip comes last.
    """
    board, told, least = seen.board, set[Team](), max(gains.values(), default=0) // NOTABLE
    if made := _completed(seen, action):
        told.add(seen.team)
        yield t("completes {lines}", lines=listed([ends_of(seen, line) for line in made]))
    others = {line: {board[square] for square in line if square != action.square} - {FREE, CORNER} for line in gains}
    for line in sorted(gains, key=lambda line: (bool(others[line]), gains[line]), reverse=True):
        teams = others[line]
        team = next(iter(teams), seen.team)
        if gains[line] <= least or len(teams) > 1 or team in told:
            continue
        told.add(team)
        last = [*dict.fromkeys(_last_cards(seen, action, gains))]
        if team != seen.team:
            yield t("blocks {colour} on {line}", colour=colour_name(colours[team - 1]), line=ends_of(seen, line))
        elif action.kind == "remove":
            yield t("opens {line}", line=ends_of(seen, line))
        elif not teams:
            yield t("starts {line}", line=ends_of(seen, line))
        elif not last:
            yield t("builds {line}", line=ends_of(seen, line))
        else:
            named = {each: card(seen.variant, each) for each in last}
            cards = t(" or ").join(t("your {card}", card=n) if each in seen.hand else n for each, n in named.items())
            yield t("builds {line} ({cards} completes a sequence)", line=ends_of(seen, line), cards=cards)


def _last_cards(seen: View, action: Action, lines: Iterable[Line]) -> Iterator[Card]:
    """Yield the cards that each complete one of these lines for the reader's team, after a chip is placed."""
    for line in lines if action.kind == "place" else ():
        rest = [square for square in line if square != action.square]
        free = [square for square in rest if seen.board[square] == FREE]
        if len(free) == 1 and all(seen.board[square] in {FREE, CORNER, seen.team} for square in rest):
            yield seen.variant.board.grid[free[0]]
