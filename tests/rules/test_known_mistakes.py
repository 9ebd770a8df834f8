"""What other programs of this game get wrong. The rest of it is in test_sequences, test_boards and test_turns."""

import pytest

from seqp2p.rules import legal_actions
from tests.rules.playing import do, make


@pytest.mark.parametrize(("jack", "takes"), [("JC", False), ("JD", False), ("JS", True), ("JH", True)])
def test_jacks_by_colour_instead_of_by_eyes(jack: str, takes: bool) -> None:
    position = make({"b": "d7"}, [jack, "?"])
    assert {action.kind for action in legal_actions(position)} == {"remove" if takes else "place"}


def test_six_in_a_row_counted_twice() -> None:
    before = make({"a": "a5 b5 c5 d5 e5"}, ["JC", "?"], sequences="a:a5-e5")
    after = do(before, "JC f5")
    assert len(after.sequences) == 1
    assert not after.over
