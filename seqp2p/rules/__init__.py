"""The rules of Sequence: one deterministic engine for all. It knows no network and no cryptography.

A position is an immutable value, and the engine a pure function of position, action and drawn card. A hand is a tuple
of cards that may be UNKNOWN, so one engine serves a peer, who does not see the other hands, and a verifier, who does.
"""

from seqp2p.rules.actions import (
    ACTION_ROWS as ACTION_ROWS,
    DRAW as DRAW,
    END as END,
    NO_SQUARE as NO_SQUARE,
    PASS as PASS,
    WAIVE as WAIVE,
    Action as Action,
    ActionKind as ActionKind,
    AmbiguousAction as AmbiguousAction,
    Ends as Ends,
    IllegalAction as IllegalAction,
    NotationError as NotationError,
    RulesError as RulesError,
    call as call,
    exchange as exchange,
    give as give,
    place as place,
    remove as remove,
)
from seqp2p.rules.engine import (
    apply as apply,
    apply_known as apply_known,
    legal_actions as legal_actions,
    new_pile as new_pile,
    perft as perft,
)
from seqp2p.rules.game import Game as Game, deal as deal
from seqp2p.rules.game_text import (
    SKIP as SKIP,
    Dropping as Dropping,
    GameText as GameText,
    Happening as Happening,
    Move as Move,
    format_game as format_game,
    parse_game as parse_game,
)
from seqp2p.rules.notation import (
    format_action as format_action,
    format_card as format_card,
    format_ends as format_ends,
    format_square as format_square,
    parse_action as parse_action,
    parse_card as parse_card,
    parse_ends as parse_ends,
    parse_square as parse_square,
)
from seqp2p.rules.phases import drop as drop, skip as skip
from seqp2p.rules.position import (
    CompletedSequence as CompletedSequence,
    Hand as Hand,
    Pending as Pending,
    Phase as Phase,
    Position as Position,
    hide as hide,
    reveal as reveal,
    start as start,
)
from seqp2p.rules.position_text import (
    format_position as format_position,
    parse_position as parse_position,
    position_hash as position_hash,
)
from seqp2p.rules.sequences import nameable_lines as nameable_lines
from seqp2p.rules.status import status as status
from seqp2p.rules.table import (
    DealerDraw as DealerDraw,
    SquareSet as SquareSet,
    check_table as check_table,
    deal_order as deal_order,
    dealer_draw as dealer_draw,
    default_teams as default_teams,
    first_seat as first_seat,
    hand_size as hand_size,
    set_of as set_of,
    squares_of as squares_of,
    team_of as team_of,
)
from seqp2p.rules.variant import (
    CLASSIC as CLASSIC,
    KIDS as KIDS,
    KNOWN_VARIANTS as KNOWN_VARIANTS,
    RULE_OPTIONS as RULE_OPTIONS,
    TABLE_TALK as TABLE_TALK,
    UNKNOWN as UNKNOWN,
    VARIANTS as VARIANTS,
    Board as Board,
    Card as Card,
    Line as Line,
    Options as Options,
    SeatNumber as SeatNumber,
    Square as Square,
    TableOption as TableOption,
    TableSize as TableSize,
    Team as Team,
    Variant as Variant,
    make_known as make_known,
)
from seqp2p.rules.view import (
    CORNER as CORNER,
    Threat as Threat,
    View as View,
    longest_line as longest_line,
    threats as threats,
    view as view,
)
