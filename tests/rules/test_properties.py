"""A machine that tries legal and illegal actions in any order, and watches what must never change."""

import random
from collections import Counter

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from seqp2p.rules import (
    DRAW,
    END,
    PASS,
    WAIVE,
    Action,
    IllegalAction,
    NotationError,
    Options,
    Position,
    Variant,
    apply,
    call,
    exchange,
    format_action,
    format_position,
    give,
    hide,
    legal_actions,
    nameable_lines,
    parse_action,
    parse_position,
    place,
    position_hash,
    remove,
)
from seqp2p.rules.status import status
from tests.rules.playing import OPTIONS, TABLES, Game, seats_to_call


def ends_turn(before: Position, after: Position, action: Action) -> bool:
    """Whether an action is the last of a turn."""
    if before.phase == "late":
        return bool(before.pending and before.pending.passed)
    if action.kind in {"place", "remove"}:
        return not before.options.manual_draw or after.over
    return action.kind in {"draw", "end"} or (action.kind == "pass" and after.phase == "play")


def clockwise(position: Position) -> int:
    """The seat after the mover's, looked for among those that stay."""
    staying = position.staying
    return min((seat for seat in staying if seat > position.mover), default=staying[0])


class AnyGame(RuleBasedStateMachine):
    game: Game

    @initialize(
        table=st.sampled_from(TABLES),
        seed=st.integers(0, 10**6),
        chosen=st.sampled_from(OPTIONS),
        moves=st.integers(0, 150),
    )
    def deal(self, table: tuple[Variant, int, int], seed: int, chosen: Options, moves: int) -> None:
        variant, players, teams = table
        options = chosen if variant.options else Options()
        self.game = Game.deal(variant, players, teams, random.Random(seed), options)
        for _ in zip(range(moves), self.game.play_random(), strict=False):
            pass

    def accept(self, action: Action) -> None:
        before = self.game.position
        protected = before.protected
        after = self.game.play(action)
        for old, new in zip(before.chips, after.chips, strict=True):
            assert old & protected == new & protected
        assert after.turn == before.turn + ends_turn(before, after, action)
        by_hand = before.options.manual_draw
        draws = action.kind in ({"exchange", "draw"} if by_hand else {"place", "remove", "exchange"})
        assert after.draws == before.draws + (draws and not after.winner)
        if not after.over:
            assert (after.mover == clockwise(before)) == (after.turn > before.turn or len(before.staying) == 1)

    @precondition(lambda self: not self.game.position.over)
    @rule(choice=st.floats(0, 1, exclude_max=True))
    def play_a_legal_action(self, choice: float) -> None:
        actions = legal_actions(self.game.position)
        action = actions[int(choice * len(actions))]
        text = format_action(self.game.position.variant, action)
        assert parse_action(self.game.position.variant, text) == action
        self.accept(action)

    @precondition(lambda self: not self.game.position.over)
    @rule(data=st.data())
    def name_a_line(self, data: st.DataObject) -> None:
        position = self.game.position
        choices = [(action, ends) for action in legal_actions(position) for ends in nameable_lines(position, action)]
        if choices:
            action, ends = data.draw(st.sampled_from(choices))
            self.accept(action._replace(ends=(ends,)))
            last, _ = self.game.history[-1]
            made = set(self.game.position.sequences) - set(last.sequences)
            assert ends in {(sequence.squares[0], sequence.squares[-1]) for sequence in made}

    @rule(data=st.data())
    def try_any_action(self, data: st.DataObject) -> None:
        position = self.game.position
        hand = position.hands[max(position.to_move, 1) - 1]
        card = data.draw(st.one_of(st.sampled_from(hand or (0,)), st.integers(-1, len(position.variant.faces))))
        square = data.draw(st.integers(-1, len(position.variant.board.grid)))
        seat = data.draw(st.integers(0, position.players + 1))
        kinds: list[Action] = [place(card, square), remove(card, square), exchange(card), give(card), call(seat)]
        action = data.draw(st.sampled_from([*kinds, PASS, DRAW, END, WAIVE]))
        if action in legal_actions(position) or action in map(call, seats_to_call(position)):
            self.accept(action)
            return
        with pytest.raises(IllegalAction) as refused:
            apply(position, action)
        reason = str(refused.value)
        assert reason
        assert reason[0].islower() or reason.split(" ", maxsplit=1)[0].removesuffix(":") in position.variant.faces
        assert "\n" not in reason

    @rule(text=st.text(max_size=12))
    def write_nonsense(self, text: str) -> None:
        variant = self.game.position.variant
        try:
            action = parse_action(variant, text)
        except NotationError:
            return
        assert format_action(variant, action) == text

    @precondition(lambda self: self.game.position.phase in {"play", "draw"} and not self.game.position.over)
    @rule()
    def skip_the_turn(self) -> None:
        before = self.game.position
        after = self.game.skip()
        assert (after.hands, after.pile, after.discards) == (before.hands, before.pile, before.discards)
        assert (after.turn, after.exchanged, after.phase) == (before.turn + 1, 0, "play")
        assert (after.chips, after.sequences, after.draws) == (before.chips, before.sequences, before.draws)
        assert after.over or after.mover == clockwise(before)

    @precondition(lambda self: len(self.game.position.staying) > 1 and not self.game.position.over)
    @rule(data=st.data())
    def seats_leave(self, data: st.DataObject) -> None:
        before = self.game.position
        most = len(before.staying) - 1
        gone = data.draw(st.sets(st.sampled_from(before.staying), min_size=1, max_size=min(2, most)))
        after = self.game.drop(gone)
        assert after.out == tuple(sorted({*before.out, *gone}))
        assert (after.discards, after.chips, after.sequences) == (before.discards, before.chips, before.sequences)
        assert (after.draws, after.reshuffles) == (before.draws, before.reshuffles)
        assert all(len(new) <= len(old) for new, old in zip(after.hands, before.hands, strict=True))
        if before.mover not in gone and not (before.pending and before.pending.passed):
            assert (after.mover, after.turn) == (before.mover, before.turn)

    @invariant()
    def who_has_left_has_no_part(self) -> None:
        position = self.game.position
        assert not {position.to_move, position.mover} & set(position.out)
        assert not any(position.hands[seat - 1] for seat in position.out)

    @invariant()
    def cards_are_conserved(self) -> None:
        position = self.game.position
        assert self.game.cards() == Counter(position.variant.deck)
        assert position.pile == len(self.game.pile)

    @invariant()
    def the_position_is_possible(self) -> None:
        assert status(self.game.position) == ()

    @invariant()
    def the_position_reads_back(self) -> None:
        for position in (self.game.position, hide(self.game.position, ())):
            copy = parse_position(format_position(position))
            assert copy == position
            assert position_hash(copy) == position_hash(position)

    @invariant()
    def somebody_can_go_on(self) -> None:
        position = self.game.position
        assert bool(legal_actions(position)) != position.over


AnyGame.TestCase.settings = settings(deadline=None, max_examples=40, stateful_step_count=20)
TestAnyGame = AnyGame.TestCase
