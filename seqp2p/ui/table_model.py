"""The model of the table screen, as frozen data: made of the view of a seat and of its unfinished choice."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from seqp2p.rules import NO_SQUARE, Action, Square, Team, Threat, View, longest_line, team_of, threats
from seqp2p.ui.board_model import BoardModel, Face, Marks, board_model, face_of
from seqp2p.ui.cards import card_signed, colour_name
from seqp2p.ui.choice import NO_CHOICE, Choice, actions_of, lit
from seqp2p.ui.plain import is_dead, sequences_made, threat_lines
from seqp2p.ui.question import Question
from seqp2p.ui.styles import UNICODE, Glyphs
from seqp2p.ui.words import Company


@dataclass(frozen=True, slots=True)
class Progress:
    """Work that takes a while: ``done`` of ``total``; no bar where ``total`` is 0."""

    text: str
    done: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True)
class TableState:
    """All that the screen depends on. ``view`` is None before the deal; ``asked`` says whether it is a question."""

    variant: str
    company: Company
    view: View | None = None
    asked: bool = False
    sent: Action | None = None
    """The answer on its way."""
    pending: Action | None = None
    """A prepared move, or a pass that goes by itself in a moment."""
    moves: tuple[tuple[int, Action], ...] = ()
    """Seats and their moves of chips, oldest first: those to be marked on the board."""
    latest: Mapping[int, Action] = field(default_factory=dict[int, Action])
    """By seat: its last move of a chip."""
    shows_threats: bool = False
    choice: Choice = NO_CHOICE
    wanted: Action | None = None
    """The action that a lesson waits for: its card and its square are lit."""
    coached: bool = False
    """Hints are given at this table."""
    clock_s: float | None = None
    """Seconds that are left of the turn, None without a clock."""
    away_s: Mapping[int, float] = field(default_factory=dict[int, float])
    """By absent seat: the seconds that it is still waited for."""
    progress: Progress | None = None
    result: tuple[str, ...] = ()
    """The end of the game, and what can be done now."""
    lost: bool = False
    closing: str = ""
    """The effect of Enter after the end, if it has one."""
    question: Question | None = None
    """The open question that is no choice of the game, or a notice. A staged choice hides a notice."""
    scrolled: bool = False
    """The log does not show its newest lines."""
    fresh: frozenset[Square] = frozenset()
    """The squares of a sequence that has just been completed: they are lit, before it becomes a band."""
    is_covered: bool = False
    """Lines are shown in place of the table."""
    glyphs: Glyphs = UNICODE


@dataclass(frozen=True, slots=True)
class HandCard:
    """A card of the own hand. ``face.label`` is ``??`` while the card is still being drawn."""

    face: Face
    chosen: bool
    dead: bool
    playable: bool
    wild: bool
    removing: bool
    wanted: bool = False


@dataclass(frozen=True, slots=True)
class TeamLine:
    """A team: ``made`` of ``needed`` sequences, and ``begun`` of the ``length`` of its next one."""

    colour: str
    name: str
    made: int
    needed: int
    begun: int
    length: int
    own: bool
    leads: bool
    """It has more sequences than any other team."""


@dataclass(frozen=True, slots=True)
class TableModel:
    """The table as it is painted: its state, and what follows from the view in it; nothing does before the deal."""

    state: TableState
    board: BoardModel | None
    hand: tuple[HandCard, ...]
    teams: tuple[TeamLine, ...]
    threats: tuple[str, ...]
    """The lines that lack a chip or two in words, while they are shown."""


def table_model(state: TableState) -> TableModel:
    view, company = state.view, state.company
    if view is None:
        return TableModel(state, None, (), (), ())
    found = threats(view) if state.shows_threats else ()
    label = partial(card_signed, view.variant, suits=state.glyphs.suits)
    told = threat_lines(view, company.colours, label, found) if state.shows_threats else ()
    hand = _hand(view, state)
    return TableModel(state, _board(view, state, found), hand, team_lines(view, company), tuple(told))


def _board(view: View, state: TableState, found: tuple[Threat, ...]) -> BoardModel:
    choice = state.choice
    wanted = {state.wanted.square} - {NO_SQUARE} if state.wanted else set[Square]()
    banded = [each for each in view.sequences if not state.fresh.issuperset(each.squares)]
    marks = Marks(lit(choice, view) | wanted | state.fresh, choice.cursor, choice.staged or state.pending, found)
    moves = [action for _, action in state.moves]
    return board_model(replace(view, sequences=tuple(banded)), state.company.colours, moves, marks)


def _hand(view: View, state: TableState) -> tuple[HandCard, ...]:
    choice, asked = state.choice, state.asked
    return tuple(
        HandCard(
            face=face_of(view.variant, card),
            chosen=slot == choice.slot,
            dead=is_dead(view, card),
            playable=not asked or bool(actions_of(view, card)),
            wild=card in view.variant.wild,
            removing=card in view.variant.removing,
            wanted=state.wanted is not None and card == state.wanted.card,
        )
        for slot, card in enumerate(view.hand)
    )


def team_lines(view: View, company: Company) -> tuple[TeamLine, ...]:
    needed = dict(view.variant.sequences_to_win)[view.teams]
    own: Team = team_of(company.own, view.teams) if company.own else 0
    score = sequences_made(view)
    return tuple(
        TeamLine(
            colour=colour,
            name=colour_name(colour),
            made=made,
            needed=needed,
            begun=longest_line(view, team),
            length=view.variant.line_length,
            own=team == own,
            leads=made > max(score[: team - 1] + score[team:]),
        )
        for team, (colour, made) in enumerate(zip(company.colours, score, strict=True), 1)
    )
