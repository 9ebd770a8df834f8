"""Which bots sit where, and which cannot sit down."""

import pytest

from seqp2p.arena import Contest, make_contest
from seqp2p.rules import Options, RulesError


def seated(
    bots: str, players: int | None = None, teams: int | None = None, *, variant: str = "classic", advanced: bool = False
) -> Contest:
    return make_contest(bots.split(), variant, players, teams, Options(advanced=advanced))


def test_a_seat_for_each_bot() -> None:
    contest = seated("greedy random")
    assert (contest.players, contest.teams, contest.bots) == (2, 2, ("greedy", "random"))
    six = seated("greedy random random random random greedy")
    assert (six.players, six.teams) == (6, 2)
    assert (six.bots_of(1), six.bots_of(2)) == (("greedy", "random"), ("random", "greedy"))
    assert seated("greedy random random greedy random random", teams=3).teams == 3


def test_one_for_each_team_repeated_round_the_table() -> None:
    four = seated("greedy random", 4)
    assert four.bots == ("greedy", "random") * 2
    assert (four.bots_of(1), four.bots_of(2)) == (("greedy",), ("random",))
    assert seated("greedy random random", 12, 3).bots == ("greedy", "random", "random") * 4
    assert seated("greedy random random", 9).bots_of(1) == ("greedy",)


def test_the_bots_named_say_how_many_teams_where_there_is_a_choice() -> None:
    assert seated("greedy random", 6).teams == 2
    assert seated("greedy random random", 6).teams == 3
    assert seated("random random random random random random", 6).teams == 2


def test_kids_have_a_bot_each() -> None:
    four = seated("greedy random random random", variant="kids")
    assert (four.players, four.teams, four.bots_of(4)) == (4, 4, ("random",))


@pytest.mark.parametrize(
    ("bots", "players", "teams", "variant", "reason"),
    [
        ("random", None, None, "classic", "1 player cannot play: Sequence is for 2, 3, "),
        ("random random random random random", None, None, "classic", "5 players cannot form two or three equal teams"),
        ("random random", 7, None, "classic", "7 players cannot form two or three equal teams"),
        ("random random", 13, None, "classic", "13 players cannot play"),
        ("random random", 0, None, "classic", "0 players cannot play"),
        ("random random", None, 3, "classic", "2 players of Sequence form 2 teams, one player each, not 3"),
        ("random random random", 8, 3, "classic", "8 players of Sequence form 2 teams, not 3"),
        ("random random", 4, 2, "kids", "4 players of Sequence for Kids form 4 teams, one player each, not 2"),
        ("random", 2, None, "classic", "1 bot is named for 2 players in 2 teams: name 2 (one for each seat)"),
        (
            "random random random",
            4,
            None,
            "classic",
            "3 bots are named for 4 players in 2 teams: name 4 (one for each seat) or 2 (one for each team)",
        ),
        (
            "random random",
            6,
            3,
            "classic",
            "2 bots are named for 6 players in 3 teams: name 6 (one for each seat) or 3 (one for each team)",
        ),
    ],
)
def test_why_bots_cannot_sit_down(bots: str, players: int | None, teams: int | None, variant: str, reason: str) -> None:
    with pytest.raises(RulesError) as refused:
        seated(bots, players, teams, variant=variant)
    assert str(refused.value).startswith(reason)


def test_an_option_that_the_variant_does_not_have() -> None:
    assert seated("random random", advanced=True).options.advanced
    with pytest.raises(RulesError, match="Sequence for Kids has no option advanced"):
        seated("random random", variant="kids", advanced=True)
