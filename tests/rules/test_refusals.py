"""Why actions are refused, in whole sentences. An action that is none of a game is refused as well."""

import pytest

from seqp2p.rules import AmbiguousAction, Position, RulesError
from tests.rules.playing import do, make
from tests.ui.kept import Talk, talks

RUN = "a5 b5 c5 e5 f5 g5"
PLACES: dict[str, Position] = {
    "chips of both teams": make({"a": "c3", "b": "d7 b1 b2 b3 b4 b5"}, ["QH,2D,JC,JS", "?,?"], sequences="b:b1-b5"),
    "draws by hand": make({}, ["2C,3C", "4C,5C"], options="manual-draw"),
    "talk can be called": make({}, ["2C,3C", "4C,4C,5C", "6C", "?,7C"], options="no-table-talk"),
    "QH is dead": make({"a": "h2", "b": "g7"}, ["QH,QH", "?"]),
    "QH is dead, and a card has been exchanged": make({"a": "h2", "b": "g7"}, ["QH,JS", "?"], exchanged=1),
    "one QH is taken": make({"a": "h2"}, ["QH", "?"]),
    "seven in a row but one": make({"a": RUN}, ["JC", "JS"]),
}


@talks(__file__, "refusals.txt")
def test_the_reason_for_a_refusal(talk: Talk) -> None:
    """Actions, one after the other: one that has no answer is played."""
    position = PLACES[talk.place]

    def answer(line: str) -> list[str]:
        nonlocal position
        try:
            position = do(position, line[2:])
        except RulesError as refused:
            return [str(refused)]
        return []

    talk.check(map(answer, talk.lines))


def test_names_of_two_lines_that_share_chips_are_ambiguous() -> None:
    with pytest.raises(AmbiguousAction):
        do(PLACES["seven in a row but one"], "JC d5 a5-e5 b5-f5")
