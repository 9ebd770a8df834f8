"""Seats, colours and talk in a lobby, by processes: typed words, events for scripts, exit codes."""

import subprocess

from tests.cli.processes import Household


def test_three_people_choose_talk_and_lose_one(people: Household) -> None:
    host = people.host("--players", "4", "--grace", "5", bot=None, stdin=subprocess.PIPE)
    ben = people.join(host, who="ben", bot=None, stdin=subprocess.PIPE)
    host.event("lobby", 2)
    cat = people.join(host, who="cat", bot=None, stdin=subprocess.PIPE)
    host.event("lobby", 3)
    ben.type("seat 4", "colour green", "say hello, all")
    assert cat.event("line")["text"] == "hello, all"
    assert [_name(seat) for seat in cat.events[-2]["seats"]] == ["host", None, "cat", "ben"]
    assert cat.events[-2]["colours"] == ["blue", "green"]
    ben.type("seat 3")
    assert ben.event("declined")["code"] == "seat_taken"
    host.type("colour green")
    assert host.event("declined")["code"] == "colour_taken"
    host.type("mute ben")
    host.line("^ben is muted")
    ben.type("say psst")
    cat.line("^ben says: psst$")
    host.type("remove cat")
    assert cat.end() == 4
    assert cat.error() == ("the host has removed this player from the table", "Ask the host, or open a table.")
    host.line("^the code .* holds no more: the player who was removed knows it$")
    old, new = (host.event("listening", nth)["code"] for nth in (1, 2))
    assert old != new
    again = people.join(host, who="cat", bot=None)
    assert again.end() == 4
    assert again.error()[0] == "the host has removed this player from the table"
    host.type("move ben 2", "start")
    for process in (host, ben):
        assert process.event("seated", 2)["name"] == "ben"
        process.event("dealt")
    assert [event["text"] for event in host.events if event["event"] == "line"] == ["hello, all"]
    # A muted player is muted in the game, too, until that is taken back.
    ben.type("say one", "say good luck")
    host.event("remark", 2)
    host.type("mute ben")
    host.line("^ben is muted no more")
    ben.type("say two")
    host.line("ben.* says: two$")
    assert not any("says: one" in line or "says: good luck" in line for line in host.err)


def _name(seat: dict[str, str] | None) -> str | None:
    return None if seat is None else seat["name"]


def test_a_number_as_a_name_has_nobody_else_removed(people: Household) -> None:
    host = people.host("--players", "4", bot=None, stdin=subprocess.PIPE)
    people.join(host, who="ann")
    host.event("lobby", 2)
    people.join(host, who="2")  # on seat 3
    host.event("lobby", 3)
    host.type("remove 2")
    host.line("^write the name or the seat of another player, like: remove seat 2$")
    host.type("remove seat 3")
    left = host.event("lobby", 4)
    assert [_name(seat) for seat in left["seats"]] == ["host", "ann", None, None]


def test_scripts_wish_for_seats_and_colours(people: Household) -> None:
    host = people.host("--players", "4", "--variant", "kids", "--colour", "yellow")
    people.join(host, "--seat", "3", "--colour", "red", who="ben")
    host.event("lobby", colours=["yellow", "green", "red", "blue"])
    cat = people.join(host, "--seat", "3", "--team", "4", who="cat")
    assert cat.event("declined")["code"] == "seat_taken"
    shown = host.event("lobby", seats=cat.event("lobby", seat=4)["seats"])
    assert [_name(seat) for seat in shown["seats"]] == ["host", None, "ben", "cat"]
