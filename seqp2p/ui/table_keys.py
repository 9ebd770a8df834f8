"""The keys that do something at the table now, in words."""

from typing import NamedTuple, assert_never

from seqp2p.rules import UNKNOWN, ActionKind, View
from seqp2p.ui.choice import Choice, actions_of, bare_actions, cards_for, targets
from seqp2p.ui.language import t
from seqp2p.ui.scene import KeyHelp


class Key(NamedTuple):
    """A key: its name for ``press`` (empty where it is several keys), and how it is told."""

    name: str
    help: KeyHelp


def sheet_keys() -> tuple[Key, ...]:
    """While lines are shown in place of the table."""
    return (
        _key("escape", t("Esc"), t("back to the table")),
        _key("", t("arrows"), t("scroll"), spare=True),
        _key("pagedown", t("PgDn"), t("further")),
        _key("pageup", t("PgUp"), t("earlier")),
        _key("home", t("Home"), t("first")),
        _key("end", t("End"), t("last")),
    )


def table_keys(view: View | None, choice: Choice, *, asked: bool, over: bool, scrolled: bool) -> tuple[Key, ...]:
    """While the table is shown. ``scrolled``: the log does not show its newest lines."""
    found = [_key("?", "?", t("help"))]
    if view is not None and not over:
        found += _choosing(view, choice, asked=asked)
    if view is not None:
        found.append(_key("f3", "F3", t("discards")))
    found += [_key("f2", "F2", t("log")), _key("pageup", t("PgUp"), t("older"), spare=True)]
    if scrolled:
        found += [_key("pagedown", t("PgDn"), t("newer"), spare=True)]
    return tuple(found)


def _choosing(view: View, choice: Choice, *, asked: bool) -> list[Key]:
    found: list[Key] = []
    if does := _enter(view, choice, asked=asked):
        found.append(_key("enter", t("Enter"), does))
    if choice != Choice():
        found.append(_key("escape", t("Esc"), t("take back") if choice.staged else t("undo")))
    if does := _tab(view, choice):
        found.append(_key("tab", "Tab", does))
    found.append(_key("", t("arrows"), t("square"), spare=True))
    return found


def _enter(view: View, choice: Choice, *, asked: bool) -> str:
    """Return the effect of Enter; empty if it has none."""
    if choice.staged:
        return t("send")
    if asked and bare_actions(view):
        return _sent(bare_actions(view)[0].kind)
    if choice.card == UNKNOWN:
        return t("choose a card") if cards_for(view, choice.cursor) else ""
    if not asked:
        return ""
    if targets(view, choice.card):
        return t("take the chip") if choice.card in view.variant.removing else t("put a chip")
    actions = actions_of(view, choice.card)
    return _sent(actions[0].kind) if actions else ""


def _sent(kind: ActionKind) -> str:
    """Return the word for sending an action that needs no square."""
    match kind:
        case "pass":
            return t("pass")
        case "draw":
            return t("draw")
        case "exchange":
            return t("exchange")
        case "give":
            return t("give up")
        case "place" | "remove" | "end" | "waive" | "call":
            return t("send")
        case _:
            assert_never(kind)


def _tab(view: View, choice: Choice) -> str:
    if choice.staged and len(choice.ways) > 1:
        return t("other lines")
    if len(bare_actions(view)) > 1:
        return t("draw or not")
    return t("card") if view.hand else ""


def _key(name: str, key: str, does: str, *, spare: bool = False) -> Key:
    return Key(name, KeyHelp(key, does, spare))
