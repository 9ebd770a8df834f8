"""Tables on a screen for the tests: a game stopped somewhere, the scene of one seat, and a clock that stands still."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import takewhile

from seqp2p.rules import (
    CLASSIC,
    Action,
    Options,
    Position,
    Variant,
    View,
    format_action,
    parse_card,
    parse_square,
    view,
)
from seqp2p.ui.explain import keys_of
from seqp2p.ui.frame import Frame
from seqp2p.ui.question import Question
from seqp2p.ui.scene import LogLine, Page
from seqp2p.ui.styles import UNICODE, Glyphs
from seqp2p.ui.table_model import TableModel
from seqp2p.ui.table_scene import TableScene
from seqp2p.ui.words import Company, Sight, Story
from tests.rules.playing import random_position
from tests.table import make_settings

NAMES = (
    *("ann", "bob", "alexander the great conq", "安娜安娜安娜安娜安娜安娜", "eve 🎲", "finn"),
    *("grace", "hugo", "iris", "jack", "kim", "leo"),
)
LINES = (
    LogLine("log", " 9. ann  QH h2"),
    LogLine("remark", "bob: good luck, everybody; may the best cards be mine and the second best ones yours, ann"),
    LogLine("answer", "you hold two jacks"),
    LogLine("alarm", "bob cannot be reached; waiting up to 2:00"),
    LogLine("log", "10. bob  7C c5"),
    LogLine("remark", "ann: 謝謝 🎉"),
    LogLine("log", "11. ann  JS xc5"),
)


@dataclass
class Table:
    """The scene of one seat, which is asked if it is to move."""

    position: Position
    own: int
    last: Action | None = None
    question: View | None = None
    now_s: float = 1000.0
    turn_time_s: int = 60
    dealt: bool = True
    pending: Action | None = None
    asks: Question | None = None
    confirms: bool = True
    scene: TableScene = field(init=False)

    def __post_init__(self) -> None:
        position = self.position
        colours = position.variant.colours[: position.teams]
        settings = make_settings(
            position.players,
            position.variant.name,
            teams=position.teams,
            colours=colours,
            turn_time_s=self.turn_time_s,
            **asdict(position.options),
        )
        if self.own and self.own == position.to_move:
            self.question = view(position, self.own)
        story = Story()
        if self.last is not None:
            story.turned(position.to_move % position.players + 1, self.last)
        sight = Sight(
            lambda: view(self.position, self.own) if self.dealt else None,
            lambda: self.question,
            lambda: self.pending,
        )
        company = Company(NAMES[: position.players], colours, self.own)
        self.scene = TableScene(sight, company, story, lambda: self.now_s, settings, confirms=self.confirms)

    def moves_on(self, position: Position) -> None:
        """Another position, and the question that it puts."""
        self.position = position
        self.question = view(position, self.own) if self.own == position.to_move else None
        self.scene.changed()

    def gather_again(self) -> None:
        """As if the cards had not been dealt yet."""
        self.dealt, self.question = False, None
        self.scene.changed()

    def press(self, *keys: str) -> str | None:
        """Press keys, the last of which may give a line."""
        *before, last = keys
        for key in before:
            assert self.scene.press(key) is None
        return self.scene.press(last)

    def click(self, *names: str) -> str | None:
        """Click on a card of the hand, or on a square; the last click may give a line."""
        variant, line = self.position.variant, None
        for name in names:
            assert line is None
            if name in variant.faces:
                line = self.scene.click(("card", self.position.hands[self.own - 1].index(parse_card(variant, name))))
            else:
                line = self.scene.click(("square", parse_square(variant, name)))
        return line

    def frame(
        self, width: int = 80, height: int = 23, *, lines: Sequence[LogLine] = LINES, glyphs: Glyphs = UNICODE
    ) -> Frame:
        return self.scene.painter(Page(tuple(lines), glyphs, self.asks))(width, height)

    @property
    def model(self) -> TableModel:
        """What the painter is given."""
        painter = self.scene.painter(Page(question=self.asks))
        assert isinstance(painter, partial)
        model: TableModel = painter.args[0]
        return model

    def text(self, width: int = 80, height: int = 23) -> str:
        return "\n".join(self.frame(width, height).lines)

    @property
    def keys(self) -> list[str]:
        """The keys that do something now."""
        return [key.key for key in keys_of(self.scene._state())]

    def does(self, key: str) -> str:
        """What a key does now, if anything."""
        return next((each.does for each in keys_of(self.scene._state()) if each.key == key), "")

    @property
    def reads(self) -> list[str]:
        """The first line; the words below the hand, or the first lines of a sheet; and the keys that choose."""
        first, *rows = self.frame(80, 28).lines
        if rows[0].startswith("──"):
            told = [rows[0].strip("─ ").join("[]"), *rows[1:4]]
        else:
            left = [row[:53] for row in takewhile(lambda row: "── log ──" not in row, rows)]
            above = [at for at, row in enumerate(left) if row.strip().startswith(("10  ★★", "hand", "────"))]
            told = left[above[-1] + 1 :] if above else left[1:]
        keys = [f"{key}: {self.does(key)}" for key in ("Enter", "Esc", "Tab") if key in self.keys]
        return [" ".join(first.split()), *(row.strip() for row in told if row.strip()), f"({'; '.join(keys)})"]

    @property
    def told(self) -> str:
        """The words below the hand, as one line."""
        return " ".join(self.reads[1:-1])

    @property
    def legal(self) -> Collection[str]:
        assert self.question is not None
        return {format_action(self.position.variant, action) for action in self.question.legal}


def table(
    variant: Variant = CLASSIC,
    players: int = 2,
    teams: int = 2,
    seed: int = 1,
    *,
    own: int | None = None,
    options: Options | None = None,
) -> Table:
    """A game stopped somewhere; ``own`` is the seat to move where it is not given."""
    game = random_position(variant, players, teams, seed, options)
    chips = [action for _, action in game.history if action.kind in ("place", "remove")]
    seat = game.position.to_move if own is None else own
    return Table(game.position, seat, chips[-1] if chips and game.history[-1][0] is not game.position else None)


def at(position: Position, own: int | None = None) -> Table:
    """The scene of a position drawn by hand."""
    return Table(position, position.to_move if own is None else own)
