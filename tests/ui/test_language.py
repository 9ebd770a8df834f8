"""English and French: what there is to say is translated, all of it, and nothing that people read slips by."""

import ast
import io
import json
import re
import string
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from gettext import GNUTranslations
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

import seqp2p
from seqp2p.cli import main
from seqp2p.i18n import message, message_of
from seqp2p.match.remark import COURTESIES
from seqp2p.rules import CLASSIC, END, KIDS, VARIANTS, WAIVE, NotationError, parse_action, parse_card
from seqp2p.ui import language, replay_browser
from seqp2p.ui.cards import (
    action_shown,
    card_name,
    card_shown,
    colour_letter,
    colour_name,
    faces_shown,
    is_named,
    variant_title,
)
from seqp2p.ui.language import number, t, tn, translate
from seqp2p.ui.person import command_words
from seqp2p.ui.person.command_words import Vocabulary
from seqp2p.ui.person.input_parser import card_text, tidied
from seqp2p.ui.words import Company, listed, own_name_fault
from tests.cli.processes import Process, command, environment

ROOT = Path(seqp2p.__file__).parent
GOLDEN = ROOT.parent / "replays" / "classic-2.seqp2p"
OTHERS = [lang for lang in language.LANGUAGES if lang != "en"]
SAYING = {"t", "tn", "message"}
SAID_TO_PROGRAMS = {"TypeVar", "_row", "_turn", "cast", "term", "AssertionError"}
Part: TypeAlias = tuple[str, str]

# Where what is said is a variable: what it can be is said elsewhere, or is the system's.
VARIABLE = {"api/config_file.py", "api/home.py", "i18n.py", "ui/language.py", "ui/words.py"}
# Click fills these in as it likes; that the French one names less is no fault.
CLICKS_OWN = {"{value!r} is not a valid {number_type}."}


@cache
def trees() -> dict[str, ast.Module]:
    """Every module by its path in the package, and what libraries say."""
    files = [*sorted(ROOT.rglob("*.py")), Path(language.LOCALE_DIR) / "others.txt"]
    return {file.relative_to(ROOT).as_posix(): ast.parse(file.read_text("utf-8")) for file in files}


def arguments_of(tree: ast.Module) -> Iterator[list[ast.expr]]:
    """Yield the arguments of each call in SAYING: one, or two where the sentence depends on a number."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in SAYING:
            yield node.args[: 2 if node.func.id == "tn" else 1]


@dataclass(frozen=True)
class Sentence:
    """What the catalogue has a translation for: a text, its plural if it has one, and the use of a term."""

    texts: tuple[str, ...]
    context: str | None = None


@cache
def sentences() -> dict[Sentence, str]:
    """Every sentence and term, with a module that has it."""
    found: dict[Sentence, str] = {}
    for path, tree in trees().items():
        for arguments in arguments_of(tree):
            texts = [each.value for each in arguments if isinstance(each, ast.Constant) and isinstance(each.value, str)]
            if texts and texts[0]:
                found[Sentence(tuple(texts))] = path
        for node in ast.walk(tree):
            match node:
                case ast.Call(ast.Name("term"), [ast.Constant(str(context)), ast.Constant(str(text))]):
                    found[Sentence((text,), context)] = path
                case _:
                    pass
    return found


def file_of(lang: str) -> Path:
    return Path(language.LOCALE_DIR) / lang / "LC_MESSAGES" / "seqp2p.po"


@cache
def catalogue(lang: str) -> Catalog:
    with file_of(lang).open("rb") as file:
        return read_po(file, locale=lang)


def texts_of(lang: str, sentence: Sentence) -> list[str]:
    """A sentence's translations: one, or as many as there are plurals; none where it is only guessed."""
    message = catalogue(lang).get(sentence.texts[0], sentence.context)
    if message is None or message.fuzzy or not message.string:
        return []
    return [message.string] if isinstance(message.string, str) else list(message.string)


def parts(text: str) -> set[Part]:
    """Return the fields of a template, with their form: ``{seconds:.0f}``. Each language has its own quotes."""
    fields = {(name, form or "") for _, name, form, _ in string.Formatter().parse(text) if name}
    return fields | {(found, "") for found in re.findall(r"%\(\w+\)s", text)}


def test_every_sentence_is_a_template_that_can_be_collected() -> None:
    for path, tree in trees().items():
        for arguments in arguments_of(tree) if path not in VARIABLE else ():
            for argument in arguments:
                assert isinstance(argument, ast.Constant), f"{path}:{argument.lineno}: make it a literal"
                assert isinstance(argument.value, str), f"{path}:{argument.lineno}"


@pytest.mark.parametrize("lang", OTHERS)
def test_everything_is_translated(lang: str) -> None:
    ready = {each for each in sentences() if len(found := texts_of(lang, each)) >= len(each.texts) and all(found)}
    missing = [f"{path}: {each}" for each, path in sentences().items() if each not in ready]
    assert not missing, "make catalogue, and translate what is new"
    known = {
        (message.id if isinstance(message.id, str) else message.id[0], message.context)
        for message in catalogue(lang)
        if message.id
    }
    assert known == {(each.texts[0], each.context) for each in sentences()}, "make catalogue: these are said no more"


@pytest.mark.parametrize("lang", OTHERS)
def test_a_translation_has_the_same_parts(lang: str) -> None:
    for each in sentences():
        ids = each.texts
        wanted = set[Part]().union(*map(parts, ids))
        for text in texts_of(lang, each):
            # One of something need not say how many; French may, whose nought is singular.
            assert parts(text) <= wanted if len(ids) > 1 or ids[0] in CLICKS_OWN else parts(text) == wanted, text
            assert ids == ("; ",) or text.startswith(" ") == ids[-1].startswith(" "), text
            assert text.endswith(" ") == ids[-1].endswith(" "), text


@pytest.mark.parametrize("lang", OTHERS)
def test_it_is_written_as_it_can_be_shown(lang: str) -> None:
    """Only what every terminal and ``printable`` let through; a space before the marks that French sets apart."""
    for each in sentences():
        for text in texts_of(lang, each):
            assert text.replace("\n", "").replace("\t", "").isprintable(), text
            if lang == "fr":
                assert not re.search(r"\w[!?;](?: |$)", re.sub(r"\{[^}]*\}", "", text)), text
                assert "’" not in text, f"the rules are written with ': {text}"


@pytest.mark.parametrize("lang", OTHERS)
def test_what_is_shipped_is_what_is_written(lang: str) -> None:
    # The sentences, and not the bytes: those depend on the version of Babel.
    compiled = io.BytesIO()
    write_mo(compiled, catalogue(lang))
    compiled.seek(0)
    with file_of(lang).with_suffix(".mo").open("rb") as shipped:
        assert sentences_in(shipped) == sentences_in(compiled), "make catalogue"


def sentences_in(compiled: BinaryIO) -> dict[Any, str]:
    """Return the translations of a compiled catalogue, without its header."""
    found: dict[Any, str] = vars(GNUTranslations(compiled))["_catalog"]
    return {sentence: translation for sentence, translation in found.items() if sentence}


def test_the_data_of_the_variants_is_in_the_catalogue() -> None:
    for variant in VARIANTS.values():
        named = {Sentence((face,), "card") for card, face in enumerate(variant.faces) if is_named(variant, card)}
        assert named | {Sentence((text,)) for text in (variant.name, variant.title, *variant.colours)} <= {*sentences()}


TALKING = ("cli/", "ui/", "bots/")
BELOW = ("rules/", "crypto/", "match/", "replay/", "net/", "lobby/", "live/")
WORDS = r"[^\W\d_]{2,}[,;:]? +[^\W\d_]{2,}"
WORD_AND_VALUE = r"[^\W\d_]{2,} \0|\0 [^\W\d_]{2,}"


@cache
def unsaid() -> list[tuple[str, str]]:
    """What is not said, though it has several words: the beginning of a file's path, and an expression for the text."""
    found, where = list[tuple[str, str]](), ""
    for line in Path(__file__).with_name("unsaid.txt").read_text("utf-8").splitlines():
        if line.startswith(" "):
            found.append((where, line.strip()))
        else:
            where = line.partition(":")[0].removeprefix("everywhere")
    return found


def pieces(path: str, tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The texts in a module that stand where people could read them, without being said."""

    def walk(node: ast.AST) -> Iterator[tuple[int, str]]:
        match node:
            case ast.Expr(ast.Constant(str())) | ast.Assert() | ast.arg() | ast.AnnAssign(value=None):
                return
            case ast.Call(ast.Name(name)) if name in SAYING | SAID_TO_PROGRAMS:
                return
            case ast.Call(ast.Attribute(ast.Name("re"), _)):
                return
            case ast.Call(ast.Attribute(_, "event" | "info" | "warning" | "error" | "debug" | "exception")):
                return
            case ast.JoinedStr(values):
                text = "".join(str(value.value) if isinstance(value, ast.Constant) else "\0" for value in values)
                yield node.lineno, text
                for value in values:
                    if isinstance(value, ast.FormattedValue):
                        yield from walk(value.value)
            case ast.Constant(str(text)):
                yield node.lineno, text
            case ast.FunctionDef(args=arguments, body=body) | ast.AsyncFunctionDef(args=arguments, body=body):
                for child in [arguments, *node.decorator_list, *body]:
                    yield from walk(child)
            case ast.AnnAssign(value=value) if value is not None:
                yield from walk(value)
            case _:
                for child in ast.iter_child_nodes(node):
                    yield from walk(child)

    sentence = WORDS if path.startswith(TALKING) else f"{WORDS}|{WORD_AND_VALUE}"
    for line, text in walk(tree):
        if re.search(sentence, text) and not any(
            path.startswith(where) and re.fullmatch(what, text) for where, what in unsaid()
        ):
            yield line, text


def test_nothing_for_people_slips_by() -> None:
    """A text of several words is said with t, tn or message, or ``unsaid.txt`` has the reason why not."""
    found = [
        f"{path}:{line}: {text!r}"
        for path, tree in trees().items()
        if path.startswith(TALKING + BELOW) and path.endswith(".py")
        for line, text in pieces(path, tree)
    ]
    assert not found, "\n".join(found)


def test_such_a_text_would_be_found() -> None:
    bad = (
        'def f(x: "a b") -> "c d":\n    """Doc string."""\n    g(f"{x} is here", t("not this one"))\n    h("two words")'
    )
    assert [text for _, text in pieces("cli/x.py", ast.parse(bad))] == ["\0 is here", "two words"]
    below = [text for _, text in pieces("net/x.py", ast.parse(bad + "\nraise Unreachable(f'seat {x}')"))]
    assert below == ["\0 is here", "two words", "seat \0"]


def test_without_a_language_that_there_is_english_is_spoken() -> None:
    assert language.wanted(["--lang"], {}) == language.wanted(["--lang", "xx"], {}) == "en"


def test_what_was_said_is_said_again_with_all_that_it_holds(french: None) -> None:
    inner = message("seat {seat} ({name})", seat=2, name="red")
    outer = message("{seats} cheated", seats=inner)
    assert (outer, translate(outer)) == ("seat 2 (red) cheated", "tricherie : le siège 2 (red)")
    assert translate("left the table") == "a quitté la table"
    assert translate("something that no catalogue has") == "something that no catalogue has"
    # A reason comes from a peer in English; a name is a name.
    assert translate(message("It has left: {reason}", reason="left the table")) == "Il est parti : a quitté la table"
    assert t("{name} has left the table", name="red") == "red a quitté la table"
    assert t("no replay goes by {game}", game="hand") == "aucun enregistrement ne s'appelle hand"


def test_numbers(french: None) -> None:
    assert tn("{count} card", "{count} cards", 0) == "0 carte"
    assert tn("{count} card", "{count} cards", 2) == "2 cartes"
    assert number(1234567.891, 2) == "1 234 567,89"


def test_seats_in_sentences(french: None) -> None:
    company = Company(("ann", "bob"), ("blue", "green"), own=2)
    refused = message("seat {seat} does not hold {name}: play a card from the hand", seat=2, name="QH")
    assert company.to_reader(refused).startswith("le siège 2 (vous) n'a pas la carte QH")
    cheated = message("{seats} cheated", seats=message("seat {seat} ({name})", seat=2, name="bob"))
    assert company.to_reader(cheated) == "tricherie : le siège 2 (vous)"
    assert (
        Company(("ann", "bob"), ()).to_reader(message("seat {seat} has said nothing", seat=1))
        == "le siège 1 (ann) n'a rien dit"
    )
    assert {company.find(each) for each in ("siège 1", "le Siege 1", "Ann", "seat 1", "le siège 1 (ann)")} == {1}
    assert listed(["ann", company.name(2)]) == "ann et vous"


@pytest.mark.parametrize("name", ["le siège 1", "Le Siege 2 (ann)", "Siege 3", "siège4", "seat 1", "vous", "you"])
def test_a_name_like_a_word_of_the_log_cannot_be_chosen(french: None, name: str) -> None:
    assert own_name_fault(name)
    assert Company(("ann", name), ()).name(2) == f"le siège 2 ({name})"


@pytest.mark.parametrize("name", ["le Petit", "Siegert", "leo 2", "2"])
def test_a_name_that_only_begins_so_can_be_chosen(french: None, name: str) -> None:
    assert own_name_fault(name) is None


@pytest.mark.parametrize("lang", language.LANGUAGES)
@pytest.mark.parametrize("words", [command_words.COMMANDS, replay_browser.WORDS])
def test_every_word_is_known_by_all_its_aliases(lang: str, words: Vocabulary, french: None) -> None:
    language.use(lang)
    for name in words.words:
        aliases = words.aliases(name)
        assert {words.word_of(each.upper()) for each in (name, *aliases)} == {name}
        assert words.shown(name) == aliases[0]
    # No alias means two things, or is another word in English.
    every = [(each, name) for name in words.words for each in {*words.aliases(name), *words.aliases(name, "en")}]
    assert len({alias for alias, _ in every}) == len(every)
    assert words.word_of("xyzzy") == "xyzzy"


def test_accents_of_a_word_may_be_left_out(french: None) -> None:
    assert command_words.word_of("Ou") == "where"


def test_french_words_are_words_of_french_alone() -> None:
    assert command_words.word_of("quitter") == "quitter"
    assert command_words.shown("leave") == "leave"
    assert command_words.courtesy_of("bonjour") == "bonjour"


def test_courtesies_are_kept_in_english(french: None) -> None:
    assert command_words.COURTESIES == COURTESIES
    assert command_words.courtesies()[:2] == ["bonjour", "bonne chance"]
    assert command_words.courtesy_of("Bien joue") == "well played"
    assert command_words.courtesy_of("merci bien") == "merci bien"


@pytest.mark.parametrize("text", ["9C dead", "pass", "draw", "end", "waive", "call 2", "4C given", "QH e5", "JS xd7"])
def test_what_is_shown_of_an_action_is_in_french_and_can_be_typed(text: str, french: None) -> None:
    action = parse_action(CLASSIC, text)
    told = action_shown(CLASSIC, action)
    assert (told == text) == (text in ("QH e5", "JS xd7"))
    # A draw that is owed from the last turn ends with the word that ends the present one.
    assert parse_action(CLASSIC, tidied(CLASSIC, told)) == (END if action == WAIVE else action)


def test_what_the_rules_say_of_animals_and_games_is_said_in_french(french: None) -> None:
    with pytest.raises(NotationError) as error:
        parse_action(KIDS, "cat")
    assert "chat" in faces_shown(KIDS, translate(message_of(error.value)))
    assert "cat " not in faces_shown(KIDS, translate(message_of(error.value)))
    with pytest.raises(NotationError, match="is not a card of Sequence for Kids") as error:
        parse_action(KIDS, "chatt b2")
    assert "n'est pas une carte de Sequence pour enfants" in translate(message_of(error.value))


def test_cards_colours_and_games_have_names(french: None) -> None:
    queen, cat = parse_card(CLASSIC, "QH"), parse_card(KIDS, "cat")
    assert (card_name(CLASSIC, queen), card_shown(CLASSIC, queen)) == ("dame de cœur", "QH")
    assert (card_name(KIDS, cat), card_shown(KIDS, cat)) == ("chat", "chat")
    assert {card_text(KIDS, text) for text in ("Canard", "duck", "ca")} == {"duck"}
    assert action_shown(KIDS, parse_action(KIDS, "unicorn e5")) == "licorne e5"
    assert action_shown(CLASSIC, parse_action(CLASSIC, "9C dead")) == "9C échange"
    for variant in VARIANTS.values():
        letters = [colour_letter(colour) for colour in variant.colours]
        assert len(set(letters)) == len(letters), "each on the board has a letter of its own"
    assert colour_name("green") == "vert"
    assert [variant_title(name) for name in VARIANTS] == ["Sequence", "Sequence pour enfants"]
    assert [translate(name) for name in [*VARIANTS, "chess"]] == ["classique", "enfants", "chess"]


ENGLISH = re.compile(
    r"\b(the|and|with|without|your|you|table is|seat|seats|turn|card|cards|game|show|print|exit code|options are|"
    r"error|hint|invalid value|default|missing|unknown|won|verified|steps|is not|see)\b"
)
UNTOUCHED = re.compile(
    r"--[a-z-]+|'[^']*'|\[(?:[a-z]+\|)+[a-z]+\]|seqp2p [a-z]+|SEQP2P_\w+|^  [a-z]+  |\S+\.seqp2p", re.MULTILINE
)

Run = Callable[..., str]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Iterator[Run]:
    """Return a function that runs a command in this process, and returns what it says."""

    def run(*arguments: object, code: int = 0, **variables: str) -> str:
        monkeypatch.setattr(sys, "argv", ["seqp2p", *map(str, arguments)])
        for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
            monkeypatch.setenv(name, variables.get(name, ""))
        with pytest.raises(SystemExit) as ended:
            main.main()
        said = capfd.readouterr()
        assert ended.value.code == code, said
        return said.out + said.err

    monkeypatch.setenv("SEQP2P_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    yield run
    language.use("en")


@pytest.mark.parametrize(
    "arguments",
    # The help of config has the names of its arguments in English.
    [("--help",), *((name, "--help") for name in main.COMMANDS if name != "config"), ("verify", GOLDEN)],
    ids=lambda each: " ".join(map(str, each[:2])),
)
def test_it_speaks_french(run: Run, arguments: tuple[object, ...]) -> None:
    shown = run(*arguments, "--lang", "fr")
    assert not re.search(r"\S:$|\b(FILES?|GAME|COMMAND|NAME|ADDRESS|HOST|ADDR)\b", shown, re.MULTILINE), shown
    assert not ENGLISH.search(UNTOUCHED.sub("", shown)), shown


def test_scripts_read_english(run: Run, tmp_path: Path) -> None:
    english, *others = (
        json.loads(run("verify", "--json", GOLDEN, tmp_path, "--lang", lang, code=3).splitlines()[1])
        for lang in language.LANGUAGES
    )
    assert english["reason"] == "no replay (*.seqp2p) is in this folder"
    assert all(other == english for other in others)


@pytest.mark.process
def test_the_processes_of_a_demo_speak_the_language_of_who_watches(tmp_path: Path) -> None:
    arguments = command("demo", "--players", 2, "--bot", "normal", "--lang", "fr")
    with Process(arguments, environment(tmp_path)) as demo:
        assert demo.end() == 0, demo.said()
    shown = "\n".join([*demo.out, *demo.err])
    assert "la table est complète" in shown
    assert re.search(r"^ +1\. (ann|ben)  ", shown, re.MULTILINE)
    assert "vérification : vérifiée : partie gagnée par" in shown
    assert not ENGLISH.search(UNTOUCHED.sub("", shown)), shown
