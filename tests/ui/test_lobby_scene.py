"""The lobby's scene: what it shows at which size, what its keys do, and how a code is completed."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqp2p.ui.lobby_scene import LobbyModel, LobbyPlace, LobbyScene, large
from seqp2p.ui.scene import LogLine, Page
from seqp2p.ui.styles import ASCII

TABLES = ((7, "table  7  ann: classic, 4 players, 2 free"), (12, "table 12  bob: kids, 2 players, 1 free"))
FULL = LobbyModel(
    "your table",
    code="99-tractor-trumpet",
    ways=("others join with:  seqp2p join 192.168.1.7:4610", "on this network:   seqp2p join"),
    places=(
        LobbyPlace("blue", "ann", own=True),
        LobbyPlace("green", "安安", "is new here"),
        *[LobbyPlace("blue")] * 10,
    ),
    rules=("Sequence, 12 players in 2 teams", "  no turn clock"),
)


def lines(scene: LobbyScene, page: Page = Page(), width: int = 80, height: int = 23) -> list[str]:  # noqa: B008  # frozen
    return scene.painter(page)(width, height).lines


def test_a_host_s_lobby_shows_all_of_it_in_the_smallest_terminal() -> None:
    shown = lines(LobbyScene(FULL, starts=True), Page((LogLine("log", "somebody was turned away"),)))
    text = "\n".join(shown)
    assert "99-tractor-trumpet" in text
    assert large("99-tractor-trumpet")[0].strip() in text
    for part in ("ann (you)", "安安  is new here", "12 ● blue  free", "seqp2p join 192.168.1.7:4610"):
        assert part in text
    assert "somebody was turned away" in text
    assert "F5 start with bots" in shown[-1]


def test_a_code_with_a_meeting_place_is_shown_whole() -> None:
    code = "99-4821937-5526041-tractor-trumpet"
    command = f"seqp2p join {code} --relay relay.example.org:4001"
    scene = LobbyScene(replace(FULL, code=code, ways=(f"others join with:  {command}",)), starts=True)
    small = "\n".join(lines(scene))
    assert command in " ".join(small.split())
    assert large("99-4821937-5526041-")[0].strip() not in small
    big = "\n".join(lines(scene, width=100, height=40))
    assert large("99-4821937-5526041-")[0].strip() in big
    assert large("tractor-trumpet")[0].strip() in big


def test_what_is_said_in_a_lobby_is_shown_to_its_end() -> None:
    said = "somebody could not join: " + "who knows why " * 8 + "at all"
    shown = " ".join("\n".join(lines(LobbyScene(FULL), Page((LogLine("log", said),)))).split())
    assert said in shown


def test_tables_are_listed_and_one_is_chosen_by_arrows_and_clicks() -> None:
    scene = LobbyScene(LobbyModel("join", tables=TABLES, asks="join code:"), ["amber", "apple", "falcon"])
    assert any(line.startswith(" > table  7") for line in lines(scene))
    assert scene.press("down") is None
    assert any(line.startswith(" > table 12") for line in lines(scene))
    scene.press("down")
    assert scene.model.chosen == 0
    frame = scene.painter(Page())(80, 23)
    row = next(row for row, line in enumerate(frame.lines) if "table 12" in line)
    scene.click(frame.targets[row, 10])
    assert scene.model.chosen == 1
    assert scene.completions("am") == ["12-amber"]


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("7-am", ["7-amber"]),
        ("7 a", ["7-amber", "7-apple"]),
        ("7-amber fal", ["7-amber-falcon"]),
        ("7_AMBER_Fal", ["7-amber-falcon"]),
        ("fal", ["7-falcon"]),
        ("7-", []),
        ("", []),
        ("zzz", []),
    ],
)
def test_a_code_s_words_are_completed(typed: str, completed: list[str]) -> None:
    scene = LobbyScene(LobbyModel("join", tables=TABLES, asks="join code:"), ["amber", "apple", "falcon"])
    assert list(scene.completions(typed)) == completed


def test_nothing_is_completed_where_no_code_is_asked_for() -> None:
    assert LobbyScene(LobbyModel("join", tables=TABLES), ["amber"]).completions("7-am") == ()
    assert LobbyScene(LobbyModel("join", tables=(), asks="code:"), ["amber"]).completions("am") == ()


def test_keys_type_words() -> None:
    assert LobbyScene(FULL, starts=True).press("f5") == "start"
    assert LobbyScene(FULL).press("f5") is None
    assert LobbyScene(FULL).press("?") == "help"
    assert LobbyScene(FULL).press("up") is None


def test_without_tables_it_says_what_works_all_the_same() -> None:
    assert any("seqp2p join HOST:PORT" in line for line in lines(LobbyScene(LobbyModel("join", tables=()))))


def test_large_type_in_ascii_has_only_ascii() -> None:
    page = Page(glyphs=ASCII)
    assert "".join(lines(LobbyScene(LobbyModel("t", code="7-amber-falcon")), page)).isascii()


names = st.one_of(st.none(), st.text(max_size=40))
places = st.builds(
    LobbyPlace, st.sampled_from(["blue", "green", "red", "yellow"]), names, st.text(max_size=60), st.booleans()
)
models = st.builds(
    LobbyModel,
    st.text(max_size=100),
    st.one_of(st.none(), st.lists(st.tuples(st.integers(1, 99), st.text(max_size=200)), max_size=40).map(tuple)),
    st.integers(0, 40),
    st.sampled_from(["", "7-amber-falcon"]),
    st.lists(st.text(max_size=120), max_size=3).map(tuple),
    st.lists(places, max_size=12).map(tuple),
    st.lists(st.text(max_size=120), max_size=8).map(tuple),
    st.text(max_size=120),
)


@settings(deadline=None, max_examples=60)
@given(models, st.integers(80, 300), st.integers(23, 120), st.lists(st.text(max_size=200), max_size=50))
def test_whatever_is_said_fits(model: LobbyModel, width: int, height: int, said: list[str]) -> None:
    frame = LobbyScene(model).painter(Page(tuple(LogLine("log", text) for text in said)))(width, height)
    assert len(frame.rows) == height
    assert all("\x1b" not in line and "\n" not in line for line in frame.lines)


def seated(*names: str | None) -> LobbyModel:
    colours = ("blue", "green") * 6
    places = tuple(LobbyPlace(colours[at], name, own=name == "me") for at, name in enumerate(names))
    return LobbyModel("your table", places=places, colours=("blue", "green"), copies=True)


def test_arrows_choose_a_free_seat_and_enter_takes_it() -> None:
    scene = LobbyScene(seated("ann", "me", None, None))
    assert lines(scene)[2].startswith("> 1")
    assert (scene.press("enter"), scene.press("up"), scene.press("enter")) == (None, None, "seat 4")
    frame = scene.painter(Page())(80, 23)
    assert frame.lines[5].startswith("> 4")
    assert scene.click(frame.targets[4, 10]) == "seat 3"
    assert scene.click(frame.targets[2, 10]) is None


def test_arrows_wish_for_the_next_colour() -> None:
    scene = LobbyScene(seated("ann", "me"))
    assert [scene.press(key) for key in ("right", "right", "left")] == ["colour blue", "colour green", "colour blue"]
    assert LobbyScene(seated("ann", "bob")).press("right") is None


def test_keys_that_say_copy_and_start() -> None:
    host, guest = LobbyScene(seated("me", "ann"), starts=True), LobbyScene(seated("ann", "me"))
    assert [host.press(key) for key in ("c-y", "f5", "f6", "f12")] == ["copy", "start", "say hello", "say one moment"]
    guest.change(copies=False)
    assert [guest.press(key) for key in ("c-y", "f5", "f10")] == [None, None, None]
    assert "F5 start  " in lines(host)[-1]


def test_keys_are_words_of_the_reader(french: None) -> None:
    assert LobbyScene(seated("ann", "me", None)).press("f6") == "dire bonjour"
    assert LobbyScene(seated("ann", "me", None)).press("right") == "couleur bleu"


def waiting(*names: str | None) -> LobbyModel:
    """A lobby with all that a large page shows."""
    return replace(
        seated(*names),
        code="7-amber-falcon",
        ways=("others join with:  seqp2p join 255.255.255.255:65535 --code 99-tractor-trumpet",),
        waits="the game begins when the host begins it",
        reading=tuple(f"rule {number}" for number in range(1, 100)),
    )


def test_a_line_that_was_said_is_shown_whole_or_not_at_all() -> None:
    long, short = LogLine("answer", "word " * 99), LogLine("log", "hello")
    shown = "\n".join(lines(LobbyScene(FULL), Page((long, short))))
    assert "hello" in shown
    assert "word" not in shown
    assert "word" in "\n".join(lines(LobbyScene(FULL), Page((short, long)))), "the last one, as far as there is room"


def test_a_host_moves_a_player_by_keys() -> None:
    scene = LobbyScene(seated("me", "ann", None, None), starts=True)
    assert scene.press("enter") is None
    assert "moves" not in "\n".join(lines(scene)), "the own seat is kept"
    assert [scene.press(key) for key in ("down", "enter")] == [None, None]
    assert any("ann moves: choose a seat, then Enter; Esc stops it" in line for line in lines(scene))
    assert [scene.press(key) for key in ("down", "down", "enter")] == [None, None, "move seat 2 4"]
    scene.change(place=1)
    assert [scene.press(key) for key in ("enter", "escape", "down", "enter")] == [None, None, None, "seat 3"]
    scene.change(place=1)
    assert [scene.press(key) for key in ("enter", "enter")] == [None, None], "a player who stays has not moved"
    scene.press("enter")
    frame = scene.painter(Page())(80, 23)
    assert scene.click(next(area for area in frame.areas if area.target == ("place", 2)).target) == "move seat 2 3"


def test_a_host_removes_a_player_by_pressing_a_key_twice() -> None:
    scene = LobbyScene(seated("me", "ann", "bob"), starts=True)
    scene.press("down")
    assert any("Enter move player  Del remove  F5 start" in line for line in lines(scene))
    assert scene.press("delete") is None
    assert any("Del again sends ann away for good" in line for line in lines(scene))
    assert [scene.press(key) for key in ("down", "delete", "up", "delete")] == [None, None, None, None]
    assert scene.press("delete") == "remove seat 2"


def test_the_player_who_was_to_be_removed_has_gone_meanwhile() -> None:
    scene = LobbyScene(seated("me", "ann", "bob"), starts=True)
    assert [scene.press(key) for key in ("down", "delete")] == [None, None]
    scene.change(places=seated("me", "carl", "bob").places)
    assert scene.press("delete") is None
    scene.change(places=seated("me", None, "bob").places)
    assert scene.press("delete") is None


def test_players_who_do_not_host_move_nobody() -> None:
    scene = LobbyScene(seated("ann", "me", "bob", None))
    assert [scene.press(key) for key in ("down", "f2", "f3", "delete", "delete")] == [None] * 5
    assert "Del" not in lines(scene)[-1]


@pytest.mark.parametrize(("width", "height"), [(80, 23), (120, 39), (200, 59)])
def test_everybody_is_told_what_the_start_waits_for(width: int, height: int) -> None:
    assert any(
        "the game begins when the host begins it" in line
        for line in lines(LobbyScene(waiting("ann", "me")), width=width, height=height)
    )


@pytest.mark.parametrize(("width", "height"), [(120, 39), (200, 59)])
def test_a_large_lobby_has_the_rules_and_all_that_can_be_done(width: int, height: int) -> None:
    scene = LobbyScene(waiting("me", "ann", None, None), starts=True)
    shown = "\n".join(lines(scene, width=width, height=height))
    for part in (
        "what you can do",
        "move 2 4 and remove 2",
        "log and chat",
        "rule 1\n",
        "99-tractor-trumpet",
    ):
        assert part in shown + "\n"
    scene.press("pagedown")
    turned = "\n".join(lines(scene, width=width, height=height))
    assert "rule 1\n" not in turned
    assert "rule 11" in turned
    for _ in range(20):
        scene.press("pagedown")
    assert "rule 99" in "\n".join(lines(scene, width=width, height=height))


@pytest.mark.parametrize(("width", "height"), [(120, 30), (161, 30), (162, 30), (500, 199)])
def test_a_full_lobby_with_long_names_keeps_its_rows_apart(width: int, height: int) -> None:
    model = replace(FULL, places=(FULL.places[0], *[LobbyPlace("green", "安" * 20, "x" * 80)] * 11), place=11)
    model = replace(model, ways=("w" * 200,) * 2, rules=("r" * 300,) * 9, waits="wait " * 60, asks="?" * 300)
    page = Page((LogLine("remark", "bob says: hello"),))
    shown = lines(LobbyScene(model, starts=True), page, width=width, height=height)
    assert any("bob says: hello" in line for line in shown)
    assert shown[-2].startswith("?????")
    assert shown[-1].startswith("↑↓ choose a seat  Enter move player  Del remove")
