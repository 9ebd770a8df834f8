"""``seqp2p rules``: the same rules in every language, with every option."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from seqp2p.rules import CLASSIC, RULE_OPTIONS, VARIANTS, Options, Variant, default_teams, hand_size
from seqp2p.rules.table import make_table
from seqp2p.ui import language
from seqp2p.ui.cards import faces_shown
from seqp2p.ui.language import LANGUAGES, rules_text
from seqp2p.ui.person.command_words import ACTION_WORDS
from tests.cli import documented
from tests.cli.conftest import Cli, said

TABLE = Path(__file__).parents[2] / "docs" / "rules.md"
TEXTS = [(variant, lang) for variant in VARIANTS for lang in LANGUAGES]
# The words of the table of players; in a language without a row here, any words are taken.
NUMBERS: dict[str, dict[int | str, str]] = {
    "en": {2: "two", 3: "three", "or": "or"},
    "fr": {2: "deux", 3: "trois", "or": "ou"},
}


@pytest.fixture(autouse=True)
def no_language(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)


def headings(text: str) -> list[tuple[str, str]]:
    """Return the number of every heading, and the sign of the line under it."""
    lines = text.splitlines()
    found = []
    for above, below in pairwise(lines):
        if set(below) in ({"="}, {"-"}):
            assert len(below) == len(above), f"the line under {above!r}"
            found.append((re.match(r"\d*", above)[0], below[0]))  # type: ignore[index] # it matches anything
    return found


def options(text: str) -> list[str]:
    return re.findall(r"^  (--\S+)", text, re.MULTILINE)


@pytest.mark.parametrize(("variant", "lang"), TEXTS)
def test_every_language_has_the_same_structure_and_every_option(variant: str, lang: str) -> None:
    english, other = rules_text(variant, "en"), rules_text(variant, lang)
    assert headings(english) == headings(other)
    assert headings(english) == [("", "="), *((str(number), "-") for number in range(1, 12))]
    assert options(english) == options(other)
    assert english.count("\n  - ") == other.count("\n  - ")
    assert english.count("\n\n") == other.count("\n\n")
    known = {f"--{row.word}" for row in RULE_OPTIONS if row.field in VARIANTS[variant].options}
    assert known | {"--closed-hands"} <= set(options(other))
    assert ("--teams" in options(other)) or variant != CLASSIC.name


EXAMPLES = re.compile(
    r"\((?:JC|JS|dragon|unicorn) x?[a-j]\d\)|\((?:draw|end)\)"
    r"|QH e5(?: a5-e5)?|QH given|9C dead|cat (?:b3|dead)|call 3|seqp2p host"
)


@pytest.mark.parametrize(("variant", "lang"), TEXTS)
def test_every_language_has_the_same_examples_in_words_that_can_be_typed(variant: str, lang: str) -> None:
    english, other = (" ".join(rules_text(variant, each).split()) for each in ("en", lang))
    language.use(lang)
    try:
        examples = [typed(VARIANTS[variant], found) for found in EXAMPLES.findall(english)]
    finally:
        language.use("en")
    assert examples
    for example in examples:
        _, found, other = other.partition(example)
        assert found, example


def typed(variant: Variant, example: str) -> str:
    """Return an English example of the rules as the reader types it."""
    return re.sub(r"[a-z]+", lambda word: faces_shown(variant, ACTION_WORDS.shown(word[0])), example)


@pytest.mark.parametrize(("variant", "lang"), TEXTS)
def test_it_fits_a_terminal(variant: str, lang: str) -> None:
    text = rules_text(variant, lang)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    for line in text.splitlines():
        assert len(line) < 80
        assert line == line.rstrip()
        assert line.isprintable()
        assert not re.match(r"\s*[;:?!»]", line), "French punctuation stays with its word"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_table_of_players_is_the_engine_s(lang: str) -> None:
    words = NUMBERS.get(lang)
    for size in CLASSIC.sizes:
        teams = f" {words['or']} ".join(words[count] for count in size.teams) if words else r"\w+(?: \w+)*"
        row = rf"^ +{size.players} +{teams} +{size.hand}$"
        assert re.search(row, rules_text("classic", lang), re.MULTILINE), row
        assert default_teams(CLASSIC, size.players) == size.teams[0]
        assert hand_size(CLASSIC, size.players) == size.hand


@pytest.mark.parametrize(("variant", "lang"), TEXTS)
def test_the_numbers_are_the_engine_s(variant: str, lang: str) -> None:
    rules, text = VARIANTS[variant], rules_text(variant, lang)
    assert make_table(rules, 2, 2, Options()).sequences_to_win == (2 if rules is CLASSIC else 1)
    assert str(len(rules.deck)) in text
    assert str(rules.quiet_turns_max) in text


def test_the_command_prints_them(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    for variant, lang in TEXTS:
        assert cli("rules", variant, "--lang", lang) == (0, rules_text(variant, lang), "")
    assert cli("rules", "--lang", "en")[1] == rules_text("classic", "en")
    monkeypatch.delenv("LANGUAGE")  # the process's own, which it hands on to those that it starts
    monkeypatch.setenv("LANG", "fr_FR.UTF-8")
    told = {"event": "rules", "variant": "kids", "lang": "fr", "text": rules_text("kids", "fr")}
    assert documented.stream(said(cli("rules", "kids", "--json"))) == [told]


def test_every_row_of_the_table_has_its_columns() -> None:
    rows = [line for line in TABLE.read_text("utf-8").splitlines() if line.startswith("|")]
    sheets = r"(?:00[0-4]:\d+(?:–\d+)?(?:, )?)+|–"
    for row in rows:
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        assert len(cells) in (2, 4), row
        if len(cells) == 4 and cells[0] not in ("rule", "---"):
            assert re.fullmatch(sheets, cells[1]), row
            assert cells[2], row
            assert cells[3], row
