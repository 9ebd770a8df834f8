"""Which bots sit where, and which cannot sit down."""

from typing import Any

import pytest

from seqp2p.arena import Contest, EntrantError, make_contest, round_robin
from seqp2p.rules import Options, RulesError


def seated(
    bots: str, players: int = 2, teams: int | None = None, *, variant: str = "classic", advanced: bool = False
) -> Contest:
    return make_contest(bots.split(), variant, players, teams, Options(advanced=advanced))


def test_a_bot_for_each_team() -> None:
    assert (seated("greedy random").players, seated("greedy random").teams) == (2, 2)
    assert seated("greedy random", 6).teams == 2
    assert seated("greedy random random", 6, 3).teams == 3
    assert seated("greedy random random random", 4, variant="kids").teams == 4


def test_a_deal_has_a_seating_for_each_way_to_give_bots_to_teams() -> None:
    assert seated("greedy random", 12).seatings == ((0, 1), (1, 0))
    assert len(seated("greedy random random", 3).seatings) == 3
    assert len(seated("greedy random learned", 3).seatings) == 6
    assert len(seated("greedy random random random", 4, variant="kids").seatings) == 4
    for who in (seated("greedy random learned", 3), seated("greedy random", 4)):
        assert who.is_mirrored
        for team in range(who.teams):  # Each bot sits in each team equally often.
            assert len({[seating[team] for seating in who.seatings].count(side) for side in range(who.teams)}) == 1


def test_where_all_bots_are_the_same_there_is_nothing_to_mirror() -> None:
    who = seated("random random random", 9)
    assert not who.is_mirrored
    assert (who.sides, who.seatings) == (("random",) * 3, ((0, 1, 2),))


def test_all_pairs_play_where_there_are_two_teams() -> None:
    contests = round_robin(["easy", "hard", "random"], players=4)
    assert [who.bots for who in contests] == [("easy", "hard"), ("easy", "random"), ("hard", "random")]
    assert {(who.players, who.teams) for who in contests} == {(4, 2)}
    assert [who.bots for who in round_robin(["easy", "easy"])] == [("easy", "easy")]
    three = ("easy", "hard", "hard")
    assert [who.bots for who in round_robin(three, players=3)] == [three]


@pytest.mark.parametrize(
    ("bots", "players", "teams", "variant", "reason"),
    [
        ("random", 2, None, "classic", "2 players form 2 teams: name 2 bots, one for each team"),
        ("random random", 1, None, "classic", "1 player cannot play: Sequence is for 2, 3, "),
        ("random random", 5, None, "classic", "5 players cannot form two or three equal teams"),
        ("random random", 13, None, "classic", "13 players cannot play"),
        ("random random", 2, 3, "classic", "2 players of Sequence form 2 teams, one player each, not 3"),
        ("random random random", 8, 3, "classic", "8 players of Sequence form 2 teams, not 3"),
        ("random random", 4, 2, "kids", "4 players of Sequence for Kids form 4 teams, one player each, not 2"),
        ("random random", 6, 3, "classic", "6 players form 3 teams: name 3 bots, one for each team"),
        ("random greedy random", 2, None, "classic", "the bot random is named twice"),
        ("random greedy", 2, None, "chess", "'chess' is not a variant: there are classic and kids"),
    ],
)
def test_why_bots_cannot_sit_down(bots: str, players: int, teams: int | None, variant: str, reason: str) -> None:
    with pytest.raises(RulesError) as refused:
        round_robin(bots.split(), variant, players, teams)
    assert str(refused.value).startswith(reason)


@pytest.mark.parametrize(
    ("wrong", "kind", "reason"),
    [
        ({"bots": ["foo", "random"]}, EntrantError, "there is no bot 'foo': the bots are easy, "),
        ({"options": 3}, TypeError, "make_contest: options must be Options, not int"),
        ({"players": "2"}, TypeError, "make_contest: players must be int, not str"),
    ],
)
def test_what_is_wrong_is_named(wrong: dict[str, Any], kind: type[Exception], reason: str) -> None:
    with pytest.raises(kind, match=reason):
        make_contest(**({"bots": ["random", "random"]} | wrong))


def test_an_option_that_the_variant_does_not_have() -> None:
    assert seated("random random", advanced=True).options.advanced
    with pytest.raises(RulesError, match="Sequence for Kids has no option advanced"):
        seated("random random", variant="kids", advanced=True)
