"""The lobby's scene: its pages by size, its keys, and how a code is completed."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqp2p.ui.lobby_scene import LobbyModel, LobbyPlace, LobbyScene
from seqp2p.ui.scene import LogLine, Page
from seqp2p.ui.styles import ASCII
from tests.ui.kept import Talk, check_screen, talks

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

LONG_CODE = "99-4821937-5526041-tractor-trumpet"
MEETING = replace(
    FULL, code=LONG_CODE, ways=(f"others join with:  seqp2p join {LONG_CODE} --relay relay.example.org:4001",)
)
WORDS = ["amber", "apple", "falcon"]


def lines(scene: LobbyScene, page: Page = Page(), width: int = 80, height: int = 23) -> list[str]:  # noqa: B008  # frozen
    return scene.painter(page)(width, height).lines


def seated(*names: str | None) -> LobbyModel:
    colours = ("blue", "green") * 6
    places = tuple(LobbyPlace(colours[at], name, own=name == "me") for at, name in enumerate(names))
    return LobbyModel("your table", places=places, colours=("blue", "green"), copies=True)


def waiting(*names: str | None) -> LobbyModel:
    """A lobby with all that a large page shows."""
    return replace(
        seated(*names),
        code="7-amber-falcon",
        ways=("others join with:  seqp2p join 255.255.255.255:65535 --code 99-tractor-trumpet",),
        waits="the game begins when the host begins it",
        reading=tuple(f"rule {number}" for number in range(1, 100)),
    )


LARGE = LobbyScene(waiting("me", "ann", None, None), starts=True)
PAGES = {
    "lobby-host-80x24": (LobbyScene(FULL, starts=True), 80, 23),
    "lobby-meeting-80x24": (LobbyScene(MEETING, starts=True), 80, 23),
    "lobby-meeting-100x41": (LobbyScene(MEETING, starts=True), 100, 40),
    "lobby-join-80x24": (LobbyScene(LobbyModel("join", tables=TABLES, asks="join code:"), WORDS), 80, 23),
    "lobby-alone-80x24": (LobbyScene(LobbyModel("join", tables=())), 80, 23),
    "lobby-large-120x40": (LARGE, 120, 39),
    "lobby-large-200x60": (LARGE, 200, 59),
}


@pytest.mark.parametrize("name", PAGES)
def test_screens_look_as_they_did(name: str) -> None:
    scene, width, height = PAGES[name]
    check_screen(name, lines(scene, Page((LogLine("log", "somebody was turned away"),)), width, height))


def test_what_is_said_in_a_lobby_is_shown_to_its_end() -> None:
    said = "somebody could not join: " + "who knows why " * 8 + "at all"
    shown = " ".join("\n".join(lines(LobbyScene(FULL), Page((LogLine("log", said),)))).split())
    assert said in shown


def test_a_long_rule_is_not_cut() -> None:
    rules = ("Sequence, 2 joueurs, chacun pour soi : deux séquences gagnent, 5 jetons alignés", "  pas de pendule")
    shown = lines(LobbyScene(replace(seated("me", "ann"), rules=rules)))
    assert " ".join(" ".join(shown).split()).count(" ".join(" ".join(rules).split())) == 1


def test_a_line_that_was_said_is_shown_whole_or_not_at_all() -> None:
    long, short = LogLine("answer", "word " * 99), LogLine("log", "hello")
    shown = "\n".join(lines(LobbyScene(FULL), Page((long, short))))
    assert "hello" in shown
    assert "word" not in shown
    assert "word" in "\n".join(lines(LobbyScene(FULL), Page((short, long)))), "the last one, as far as there is room"


PLACES: dict[str, Callable[[], LobbyScene]] = {
    "a guest, two seats are free": lambda: LobbyScene(seated("ann", "me", None, None)),
    "a guest, no seat is free": lambda: LobbyScene(seated("ann", "me")),
    "a host, two seats are free": lambda: LobbyScene(seated("me", "ann", None, None), starts=True),
    "a host, no seat is free": lambda: LobbyScene(seated("me", "ann", "bob"), starts=True),
    "nobody's seat": lambda: LobbyScene(seated("ann", "bob")),
    "nothing to copy": lambda: LobbyScene(replace(seated("ann", "me"), copies=False)),
    "tables are found": lambda: LobbyScene(LobbyModel("join", tables=TABLES, asks="join code:"), WORDS),
    "tables are found, no code is asked for": lambda: LobbyScene(LobbyModel("join", tables=TABLES), WORDS),
    "no table is found": lambda: LobbyScene(LobbyModel("join", tables=(), asks="join code:"), WORDS),
}
HAPPENS: dict[str, Callable[[LobbyScene], object]] = {
    "ann's seat is chosen": lambda scene: scene.change(place=1),
    "carl sits where ann sat": lambda scene: scene.change(places=seated("me", "carl", "bob").places),
    "ann's seat is free": lambda scene: scene.change(places=seated("me", None, "bob").places),
}


@talks(__file__, "lobby_talks.txt")
def test_talk(talk: Talk) -> None:
    """Keys and clicks, each with the line that it types, the choice, the question, and the next keys."""
    scene = PLACES[talk.place]()
    before = list[str]()

    def answer(line: str) -> list[str]:
        nonlocal before
        text, typed = line[2:], None
        if text.startswith("Tab behind"):
            return [
                f"(completed: {', '.join(scene.completions(text.removeprefix('Tab behind').strip())) or 'nothing'})"
            ]
        if text.startswith("Enter behind"):
            return [f"(types {scene.enter(text.removeprefix('Enter behind').strip())})"]
        if text in HAPPENS:
            HAPPENS[text](scene)
        elif line.startswith(">"):
            typed = scene.press(text)
        else:
            frame = scene.painter(Page())(80, 23)
            row = next(row for row, shown in enumerate(frame.lines) if text in shown)
            target = frame.targets.get((row, 10))
            typed = None if target is None else scene.click(target)
        old, before = before, [row.strip(" >") for row in lines(scene)[1:] if row.strip() and not row.startswith("  ")]
        return [*([] if typed is None else [f"(types {typed})"]), *(before if before != old else [])]

    talk.check(map(answer, talk.lines))


def test_keys_are_words_of_the_reader(french: None) -> None:
    assert LobbyScene(seated("ann", "me", None)).press("f6") == "dire bonjour"
    assert LobbyScene(seated("ann", "me", None)).press("right") == "couleur bleu"


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


@pytest.mark.parametrize(("width", "height"), [(80, 23), (120, 39), (200, 59)])
def test_everybody_is_told_what_the_start_waits_for(width: int, height: int) -> None:
    assert any(
        "the game begins when the host begins it" in line
        for line in lines(LobbyScene(waiting("ann", "me")), width=width, height=height)
    )


@pytest.mark.parametrize(("width", "height"), [(120, 39), (200, 59)])
def test_the_rules_in_a_large_lobby_can_be_read_to_their_end(width: int, height: int) -> None:
    scene = LobbyScene(waiting("me", "ann", None, None), starts=True)
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
    page = Page((LogLine("remark", "bob: hello"),))
    shown = lines(LobbyScene(model, starts=True), page, width=width, height=height)
    assert any("bob: hello" in line for line in shown)
    assert shown[-2].startswith("?????")
    assert shown[-1].startswith("↑↓ seat  Enter move player  Del remove")
