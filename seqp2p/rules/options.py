"""The options of a table, one row of data each: flags, settings, sentences and the text of a position are made of it.

A new option of the rules is a field of ``Options`` and a row of ``RULE_OPTIONS`` here, a field of ``Settings`` and of
``TableChoices`` in ``match.table``, and the rule itself.
"""

from dataclasses import dataclass
from typing import Final

from seqp2p.i18n import Message, message


@dataclass(frozen=True, slots=True)
class TableOption:
    """A choice between the usual way, which needs no word, and another one."""

    field: str  # the setting: a field of ``Settings`` and, for an option of the rules, of ``Options``
    usual: bool
    word: str  # the other value, in a position's text and as a flag of commands
    name: Message  # the option itself
    short: Message  # the other value, in a list of few words
    help: Message  # the flag, in ``--help``
    sentence: Message  # the other value, told to players
    usual_sentence: Message | None = None  # the usual value, told to players; None where it goes without saying
    in_teams: bool = False  # True if the other value changes nothing where every seat plays for itself


@dataclass(frozen=True, slots=True)
class Options:
    """The options of the rules. The defaults are the usual game."""

    advanced: bool = False
    """A removing card may also take a chip out of a completed sequence, which then counts no more."""
    table_talk: bool = True
    """Talking about the game is allowed. False: an opponent may call it, and the speaker's team pays in cards."""
    manual_draw: bool = False
    """The mover draws by an action of its own, and can forget to."""


TABLE_TALK: Final = TableOption(
    field="table_talk",
    usual=True,
    word="no-table-talk",
    name=message("table talk"),
    short=message("no table talk"),
    help=message("A remark may be called: the speaker's team gives up a card each."),
    sentence=message("an opponent may call a remark: each of the speaker's team gives up a card"),
    in_teams=True,
)
RULE_OPTIONS: Final = (
    TableOption(
        field="advanced",
        usual=False,
        word="advanced",
        name=message("advanced"),
        short=message("advanced"),
        help=message("One-eyed jacks may take a chip out of a completed sequence."),
        sentence=message("a completed sequence can be broken by a one-eyed jack"),
    ),
    TABLE_TALK,
    TableOption(
        field="manual_draw",
        usual=False,
        word="manual-draw",
        name=message("manual draw"),
        short=message("drawing by hand"),
        help=message("Players draw by themselves, and can forget to."),
        sentence=message("cards are drawn by hand (draw), and can be forgotten"),
    ),
)
"""A row for every field of ``Options``, in their order, which is also that of a position's text."""
