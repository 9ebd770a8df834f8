"""The rules of Sequence: one deterministic engine for all. It knows no network and no cryptography.

A position is an immutable value, and the engine a pure function of position, action and drawn card. A hand is a tuple
of cards that may be UNKNOWN, so one engine serves a peer, who does not see the other hands, and a verifier, who does.
"""

from seqp2p.rules.absence import drop, skip
from seqp2p.rules.actions import (
    ACTION_ROWS,
    DRAW,
    END,
    NO_SQUARE,
    PASS,
    WAIVE,
    Action,
    ActionKind,
    Ends,
    call,
    exchange,
    give,
    place,
    remove,
)
from seqp2p.rules.dealing import DealerDraw, deal_order, dealer_draw, first_seat
from seqp2p.rules.engine import apply, legal_actions, new_pile
from seqp2p.rules.errors import AmbiguousAction, IllegalAction, NotationError, RulesError
from seqp2p.rules.game_text import SKIP, Dropping, GameText, Happening, Move, format_game, parse_game
from seqp2p.rules.lookup import SquareSet, set_of, squares_of
from seqp2p.rules.notation import (
    format_action,
    format_card,
    format_ends,
    format_square,
    parse_action,
    parse_card,
    parse_ends,
    parse_square,
)
from seqp2p.rules.options import RULE_OPTIONS, TABLE_TALK, Options, TableOption
from seqp2p.rules.perft import apply_known, perft
from seqp2p.rules.position import CompletedSequence, Hand, Pending, Phase, Position, hide, reveal, start
from seqp2p.rules.position_text import format_position, parse_position, position_hash
from seqp2p.rules.sequences import nameable_lines
from seqp2p.rules.status import status
from seqp2p.rules.table import check_table, default_teams, hand_size, team_of
from seqp2p.rules.threats import Threat, longest_line, threats
from seqp2p.rules.variant import (
    CLASSIC,
    KIDS,
    KNOWN_VARIANTS,
    UNKNOWN,
    VARIANTS,
    Board,
    Card,
    Line,
    SeatNumber,
    Square,
    TableSize,
    Team,
    Variant,
    make_known,
)
from seqp2p.rules.view import CORNER, View, view

__all__ = [
    "ACTION_ROWS",
    "CLASSIC",
    "CORNER",
    "DRAW",
    "END",
    "KIDS",
    "KNOWN_VARIANTS",
    "NO_SQUARE",
    "PASS",
    "RULE_OPTIONS",
    "SKIP",
    "TABLE_TALK",
    "UNKNOWN",
    "VARIANTS",
    "WAIVE",
    "Action",
    "ActionKind",
    "AmbiguousAction",
    "Board",
    "Card",
    "CompletedSequence",
    "DealerDraw",
    "Dropping",
    "Ends",
    "GameText",
    "Hand",
    "Happening",
    "IllegalAction",
    "Line",
    "Move",
    "NotationError",
    "Options",
    "Pending",
    "Phase",
    "Position",
    "RulesError",
    "SeatNumber",
    "Square",
    "SquareSet",
    "TableOption",
    "TableSize",
    "Team",
    "Threat",
    "Variant",
    "View",
    "apply",
    "apply_known",
    "call",
    "check_table",
    "deal_order",
    "dealer_draw",
    "default_teams",
    "drop",
    "exchange",
    "first_seat",
    "format_action",
    "format_card",
    "format_ends",
    "format_game",
    "format_position",
    "format_square",
    "give",
    "hand_size",
    "hide",
    "legal_actions",
    "longest_line",
    "make_known",
    "nameable_lines",
    "new_pile",
    "parse_action",
    "parse_card",
    "parse_ends",
    "parse_game",
    "parse_position",
    "parse_square",
    "perft",
    "place",
    "position_hash",
    "remove",
    "reveal",
    "set_of",
    "skip",
    "squares_of",
    "start",
    "status",
    "team_of",
    "threats",
    "view",
]
