"""The tutorial: every lesson can be done as it says, any other line is answered, and it can be left."""

import re
from collections.abc import Sequence

import pytest
import trio
from trio.testing import MockClock

from seqp2p.rules import CLASSIC, UNKNOWN, apply, format_action
from seqp2p.rules.status import status
from seqp2p.ui.cards import suits_shown
from seqp2p.ui.person.console import Console
from seqp2p.ui.person.input_parser import read_action
from seqp2p.ui.person.tutorial import FAREWELL, LESSONS, SETTINGS, WELCOME, Showing, Tutorial, by_keys, tutor
from seqp2p.ui.scene import Page
from seqp2p.ui.styles import UNICODE
from seqp2p.ui.table_scene import TableScene
from seqp2p.ui.words import Sight
from tests.ui.kept import Talk, talks

WAY = [lesson.moves[0][0] for lesson in LESSONS]


async def taught(
    *typed: str,
    shows_table: bool = False,
    hears: bool = False,
    tutorial: Tutorial | None = None,
    showing: Showing = Showing(),  # noqa: B008  # frozen
) -> tuple[bool, list[str]]:
    """Type these lines, and nothing more; return True if the end was reached, and the answers."""
    lines, said = iter(typed), list[str]()

    async def read() -> str | None:
        await trio.lowlevel.checkpoint()
        return next(lines, None)

    desk = Console(read, said.append, lambda _: None, terminal=False, shows_table=shows_table, hears=hears)
    return await tutor(desk, tutorial or Tutorial(), showing), said


def at_lesson(number: int) -> Tutorial:
    """The tutorial with so many lessons done."""
    tutorial = Tutorial()
    for text in WAY[:number]:
        tutorial.do(read_action(tutorial.sees(), text))
        tutorial.reply()
    return tutorial


async def test_it_is_played_through_and_won() -> None:
    tutorial = Tutorial()
    finished, said = await taught(*WAY, tutorial=tutorial)
    assert finished
    assert tutorial.position.winner == 1
    assert tutorial.lesson is None
    assert tutorial.asked() is None
    assert len(tutorial.position.sequences) == 3
    first, second = (set(made.squares) for made in tutorial.position.sequences if made.team == 1)
    assert len(first & second) == 1
    for text in (*WELCOME, *FAREWELL, *(text for lesson in LESSONS for text in (*lesson.text, lesson.task))):
        assert text in said
    assert "blue has completed a sequence: 2 of 2" in said


async def test_it_is_ten_turns() -> None:
    assert sum(" dead" not in text for text in WAY) == 10
    assert [line.split(". ")[0] for lesson in LESSONS for line in lesson.text if line[0].isdigit()] == [
        str(number) for number in range(1, 11)
    ]


@pytest.mark.parametrize("number", range(len(LESSONS)))
def test_every_lesson_can_be_done(number: int) -> None:
    tutorial, lesson = at_lesson(number), LESSONS[number]
    assert tutorial.lesson is lesson
    assert status(tutorial.position) == ()
    seen = tutorial.asked()
    assert seen is not None
    assert set(seen.position.hands[1]) == {UNKNOWN}
    legal = {format_action(CLASSIC, action) for action in seen.legal}
    assert lesson.moves[0][0] in legal
    # What the task says to type, it says to the letter.
    assert re.search(r"type ([^.]*)\.", lesson.task)[1] == lesson.moves[0][0]  # type: ignore[index]  # it says so
    # What the texts say the pupil holds, it holds.
    for card in re.findall(r"[Yy]ou (?:have drawn|hold) ([2-9TJQKA][CDHS])\b", " ".join(lesson.text)):
        assert CLASSIC.faces.index(card) in seen.hand
    for card in re.findall(r"do not hold its card, ([2-9TJQKA][CDHS])\b", " ".join(lesson.text)):
        assert CLASSIC.faces.index(card) not in seen.hand
    if number + 1 < len(LESSONS):
        assert tutorial.do(read_action(seen, lesson.moves[0][0]))
        assert tutorial.asked() is None
        assert bool(tutorial.reply()) == bool(lesson.moves[1:])
        assert tutorial.asked() is not None


@pytest.mark.parametrize("number", range(len(LESSONS)))
async def test_other_actions_are_refused_kindly(number: int) -> None:
    tutorial, lesson = at_lesson(number), LESSONS[number]
    before = tutorial.position
    others = [format_action(CLASSIC, action) for action in tutorial.sees().legal]
    other = next(text for text in others if text != lesson.moves[0][0])
    finished, said = await taught(other, "QC a10", "pass", "nonsense", tutorial=tutorial)
    assert not finished
    assert tutorial.position == before
    assert tutorial.lesson is lesson
    after = said[said.index(lesson.task) + 1 :]
    assert after[:2] == [lesson.hint, lesson.task]
    assert after.count(lesson.task) == 4


@talks(__file__, "tutorial.txt")
async def test_talk(talk: Talk) -> None:
    """Each line is typed in the first lesson, before a screen that explains its own signs."""

    async def answer(typed: str) -> list[str]:
        _, said = await taught(typed, shows_table=True)
        return said[said.index(LESSONS[0].task) + 1 :]

    talk.check([await answer(line[2:]) for line in talk.lines])


@pytest.mark.parametrize("word", ["leave", "QUIT", "exit", "resign"])
async def test_it_can_be_left(word: str) -> None:
    finished, said = await taught(WAY[0], word, WAY[1])
    assert not finished
    assert said[-1].startswith("you have left the tutorial")


async def test_the_end_of_the_input_leaves() -> None:
    assert not (await taught())[0]
    assert not (await taught(*WAY[:3]))[0]


@pytest.mark.parametrize(
    ("desk", "boards", "hands"),
    [({}, len(LESSONS) + 1, len(LESSONS)), ({"hears": True}, 0, len(LESSONS)), ({"shows_table": True}, 0, 0)],
    ids=["who reads", "who hears", "who sees a screen"],
)
async def test_the_board_is_printed_for_who_reads_alone(desk: dict[str, bool], boards: int, hands: int) -> None:
    finished, said = await taught(*WAY, **desk)  # type: ignore[arg-type]  # flags only
    assert finished
    assert sum(line.startswith("  1  **") for line in said) == boards
    assert sum(line.startswith("your hand") for line in said) == hands


async def test_the_table_s_scene_shows_it() -> None:
    tutorial, painted = Tutorial(), list[list[str]]()
    sight = Sight(tutorial.sees, tutorial.asked, wanted=tutorial.wanted)
    scene = TableScene(sight, tutorial.company, tutorial.story, lambda: 0.0, tutorial.settings)

    def changed() -> None:
        scene.changed()
        painted.append(scene.painter(Page())(80, 23).lines)

    pages = list[str]()

    def page(lines: Sequence[str]) -> None:
        scene.show_page(lines)
        pages.append("\n".join(scene.painter(Page())(80, 23).lines))
        assert scene.press("enter") is None

    showing = Showing(changed, page=page, dressed=lambda text: suits_shown(text, UNICODE.suits))
    assert (await taught(*WAY, shows_table=True, tutorial=tutorial, showing=showing))[0]
    assert len(painted) == 2 * len(LESSONS)
    assert len(pages) == len(LESSONS)
    assert "1. A card and its squares" in pages[0]
    assert "3♠ is c1 and f9" in pages[0]
    assert all("Enter: to the table" in page for page in pages)


@pytest.mark.parametrize(
    ("number", "keys"),
    [
        (0, "Tab for 3S on c1, then Enter twice."),
        (8, "Tab for 4S, then Enter."),
    ],
)
def test_the_way_by_keys(number: int, keys: str) -> None:
    assert by_keys(LESSONS[number], str) == keys


async def test_a_pause_before_the_opponent(autojump_clock: MockClock) -> None:
    changes = list[float]()
    begun = trio.current_time()
    showing = Showing(lambda: changes.append(trio.current_time() - begun), 2.0)
    assert (await taught(*WAY, showing=showing))[0]
    assert changes == [2.0 * ((at + 1) // 2) for at in range(2 * len(WAY))], "after each turn, and before the next"


async def test_names_are_the_reader_s(french: None) -> None:
    assert Tutorial().company.find("2") == 2
    assert (await taught(*WAY))[0]
    assert not (await taught("quitter"))[0]


def test_it_plays_by_the_usual_rules() -> None:
    tutorial = Tutorial()
    assert tutorial.settings == SETTINGS
    assert tutorial.position.table.sequences_to_win == 2
    assert apply(tutorial.position, read_action(tutorial.sees(), WAY[0])).turn == 1
