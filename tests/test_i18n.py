"""Sentences that remember how they were made; and that the layers below the screen make every one of theirs so."""

import ast
import copy
import json
import pickle
import re
import string
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import seqp2p
from seqp2p.i18n import Message, all_of, any_of, listed, message, message_of
from seqp2p.match.encoding import decode, encode
from seqp2p.match.errors import Violation
from seqp2p.match.table import name_fault
from seqp2p.match.text import cleaned
from seqp2p.net.errors import REFUSALS, NetError, PeerError, PeerRefused
from seqp2p.net.messages import Bye, Refused, bye, refusal
from seqp2p.replay.resume import GameOver, ResumeError
from seqp2p.replay.sidecar import SeatHeld, SidecarError
from seqp2p.replay.verify import verify
from seqp2p.rules import CLASSIC, KIDS, IllegalAction, Options, RulesError, apply, check_table, parse_action, start
from seqp2p.ui.language import translate
from tests.each import for_each

ROOT = Path(seqp2p.__file__).parent
PACKAGES = ("rules", "crypto", "match", "replay", "net", "lobby", "live")

# What takes a sentence that a person may come to read, beside every error of these packages.
TELLERS = {"Result", "Report", "Ending", "TurnedAway", "LinkDown", "_Gone", "_report", "_end", "_violation", "fault"}
# Here every sentence is for a person, however it is handed on.
ALL_SENTENCES = {
    "rules.phases",
    "rules.refusals",
    "match.outcome",
    "match.text",
    "replay.reading",
    "replay.verify",
    "live.absence",
    "net.errors",
}
# A library's or the system's own text about what it met: it is quoted as it is.
QUOTES = {"match.encoding", "net.addresses", "lobby.mdns", "net.tls"}


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


MODULES = {name_of(path): path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))}
EVERYWHERE = {name_of(path): path for path in sorted(ROOT.rglob("*.py"))}


@cache
def tree(module: str) -> ast.Module:
    return ast.parse(EVERYWHERE[module].read_text(encoding="utf-8"))


@cache
def families() -> frozenset[str]:
    """The names of all errors of these packages: what derives, directly or not, from an exception of Python's."""
    classes = [node for module in MODULES for node in ast.walk(tree(module)) if isinstance(node, ast.ClassDef)]
    known = {"Exception", "ValueError", "UserError"}
    while True:
        found = {each.name for each in classes if known & {ast.unparse(base) for base in each.bases}}
        if found <= known:
            return frozenset(known - {"Exception", "ValueError", "UserError"})
        known |= found


def called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)


def is_sentence(node: ast.AST) -> bool:
    """Return True for text put together, or of more than one word; a table of code points has no small letter."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and " " in node.value.strip() and not node.value.isupper()
    return isinstance(node, ast.JoinedStr)


def bare(node: ast.AST) -> Iterator[ast.AST]:
    """The sentences in an expression that are in no ``message``; what other calls are given is theirs."""
    if is_sentence(node):
        yield node
    elif not isinstance(node, ast.Call):
        for child in ast.iter_child_nodes(node):
            yield from bare(child)


def bare_anywhere(node: ast.AST) -> Iterator[ast.AST]:
    """The same for a whole module; docstrings and what assertions say is for programmers."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    if isinstance(node, ast.Assert) or (isinstance(node, ast.Call) and called(node) == "message"):
        return
    if is_sentence(node):
        yield node
    for child in ast.iter_child_nodes(node):
        yield from bare_anywhere(child)


def lines(nodes: Iterator[ast.AST]) -> list[str]:
    return [f"{getattr(node, 'lineno', 0)}: {ast.unparse(node)}" for node in nodes]


def test_there_is_something_to_look_at() -> None:
    assert {"IllegalAction", "CryptoError", "Violation", "TableError", "BadRemark", "Invalid"} <= families()
    assert {
        "SidecarDamaged",
        "GameOver",
        "NotAReplay",
        "AddressError",
        "BadCode",
        "LinkLost",
        "PeerRefused",
    } <= families()
    assert lines(bare(ast.parse("x if y else f'{z}'"))) == ["1: f'{z}'"]
    assert lines(bare(ast.parse("message('two words')"))) == []
    assert MODULES.keys() >= ALL_SENTENCES | QUOTES


@for_each(MODULES)
def test_errors_and_reasons_are_said(module: str) -> None:
    """No error, result or hint is made of text that forgets how it was made."""
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Call) and called(node) in families() | TELLERS | {"__init__"}:
            given = [*node.args, *(keyword.value for keyword in node.keywords)]
            assert not [line for each in given for line in lines(bare(each))], called(node)
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in {"hint", "_HINT"}:
            assert not lines(bare(node.value))


@for_each(MODULES)
def test_what_a_function_finds_wrong_is_said(module: str) -> None:
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.FunctionDef) and re.search("why|fault|surplus", node.name):
            assert not lines(bare_anywhere(node)), node.name


@for_each(sorted(ALL_SENTENCES))
def test_where_all_is_said(module: str) -> None:
    assert not lines(bare_anywhere(tree(module)))


@for_each(sorted(MODULES.keys() - QUOTES))
def test_what_an_error_says_goes_on_as_it_was_said(module: str) -> None:
    """``str(error)`` would forget how it was made; ``message_of(error)`` does not."""
    for handler in ast.walk(tree(module)):
        if isinstance(handler, ast.ExceptHandler) and handler.name:
            forgotten = {f"str({handler.name})", f"f'{{{handler.name}}}'"}
            assert not forgotten & {ast.unparse(node) for node in ast.walk(handler)}, f"{module}:{handler.lineno}"


def in_dictionaries(function: ast.AST) -> dict[str, set[str]]:
    """The keys of the dictionaries that are written out in a function, by their variables."""
    return {
        ast.unparse(node.targets[0]): {str(key.value) for key in node.value.keys if isinstance(key, ast.Constant)}
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict)
    }


@for_each(EVERYWHERE)
def test_templates_name_their_values(module: str) -> None:
    """A template is written out where it is used, and names exactly what it is given. Found text is given nothing.

    Of a dictionary that is written out before, each value is named by a template that is given it.
    """
    for scope in ast.walk(tree(module)):
        if not isinstance(scope, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        values = {} if isinstance(scope, ast.Module) else in_dictionaries(scope)
        unnamed = {name: {*keys} for name, keys in values.items()}
        used = set[str]()
        for node in ast.walk(scope):
            if isinstance(node, ast.Call) and called(node) == "message" and module != "i18n":
                template, *others = node.args
                assert not others
                if not isinstance(template, ast.Constant):
                    assert not node.keywords, f"{module}:{node.lineno}"
                    continue
                spread = {ast.unparse(keyword.value) for keyword in node.keywords if keyword.arg is None}
                if isinstance(scope, ast.Module) and spread:
                    continue  # Its function is another scope.
                given = {keyword.arg for keyword in node.keywords if keyword.arg}
                named = {name for _, name, _, _ in string.Formatter().parse(str(template.value)) if name is not None}
                assert given <= named, f"{module}:{node.lineno}"
                assert named - given <= set[str]().union(*(values[name] for name in spread)), f"{module}:{node.lineno}"
                for name in spread:
                    used.add(name)
                    unnamed[name] -= named
        assert not any(unnamed[name] for name in used), f"{module}:{getattr(scope, 'lineno', 1)}"


# What such a sentence is.

SENTENCE = message("{who} cheated at step {step}: {reason}", who="seat 2 (ann)", step=7, reason=message("it lied"))


def test_it_is_text_like_any_other() -> None:
    text = "seat 2 (ann) cheated at step 7: it lied"
    assert text == SENTENCE
    assert hash(SENTENCE) == hash(text)
    assert type(str(SENTENCE)) is str
    assert json.dumps([SENTENCE]) == json.dumps([text])


def test_braces_stand_where_there_are_no_values() -> None:
    assert message("{} is a template only with values") == "{} is a template only with values"


@pytest.mark.parametrize("copied", [pickle.loads(pickle.dumps(SENTENCE)), copy.copy(SENTENCE), copy.deepcopy(SENTENCE)])
def test_a_copy_remembers_too(copied: object) -> None:
    assert isinstance(copied, Message)
    assert copied == SENTENCE
    assert copied.template == SENTENCE.template
    reason = copied.values["reason"]
    assert isinstance(reason, Message)
    assert reason.template == "it lied"


def test_an_error_that_crosses_a_process_remembers() -> None:
    error = pickle.loads(pickle.dumps(IllegalAction(SENTENCE)))
    assert isinstance(error, IllegalAction)
    reason = message_of(error)
    assert isinstance(reason, Message)
    assert reason.template == SENTENCE.template


def test_on_the_wire_it_is_plain_text() -> None:
    """What is encoded is made plain before: the encoding takes no other kind of text."""
    with pytest.raises(TypeError):
        encode(Bye(SENTENCE))
    farewell = bye(SENTENCE)
    assert type(farewell.reason) is str
    assert decode(Bye, encode(farewell), 100) == farewell
    assert type(cleaned(SENTENCE, 100)) is str


@pytest.mark.parametrize("code", REFUSALS)
def test_a_refusal_is_sent_as_plain_text(code: str) -> None:
    assert decode(Refused, encode(refusal(code)), 200).reason == REFUSALS[code][0]


def test_lists() -> None:
    assert (listed([]), all_of([]), any_of([])) == ("", "", "")
    assert (listed(["a"]), all_of(["a", "b"]), any_of("abc"), listed("abc")) == (
        "a",
        "a and b",
        "a or b or c",
        "a, b, c",
    )
    assert translate(listed([SENTENCE, "b"])) == f"{SENTENCE}, b"
    assert translate(all_of(map(str, range(100)))) == " and ".join(map(str, range(100)))


def test_why_says_what_was_said() -> None:
    assert message_of(ValueError(SENTENCE)) is SENTENCE
    assert message_of(ValueError()) == ""
    assert message_of(FileNotFoundError(2, "No such file")) == "[Errno 2] No such file"


# That sentences come through, with their inner ones.


def said_by(error: BaseException) -> Message:
    text = message_of(error)
    assert isinstance(text, Message)
    assert translate(text) == text == str(error)
    return text


def test_a_refused_action_can_be_said_again() -> None:
    position = start(CLASSIC, 2, 2, Options(), 1, [(0, 1, 2, 3, 4, 5, 6)] * 2)
    with pytest.raises(IllegalAction) as refused:
        apply(position, parse_action(CLASSIC, "QH e5"))
    sentence = said_by(refused.value)
    assert sentence.template == "seat {seat} does not hold {name}: play a card of the hand"
    assert sentence.values == {"seat": 1, "name": "QH"}


@pytest.mark.parametrize("players", [0, 1, 5, 7, 13])
def test_tables_that_cannot_play(players: int) -> None:
    with pytest.raises(RulesError) as refused:
        check_table(CLASSIC, players, 2, Options())
    said_by(refused.value)


def test_options_are_named() -> None:
    with pytest.raises(RulesError) as refused:
        check_table(KIDS, 2, 2, Options(manual_draw=True))
    assert isinstance(said_by(refused.value).values["name"], Message)


@pytest.mark.parametrize(
    ("sentence", "template"),
    [
        (said_by(Violation(2, 7, message("it lied"), ())).values["reason"], "it lied"),
        (name_fault(""), "{what} has 1 to {most} characters"),
        (verify(b"nothing of the kind").reason, "not a seqp2p replay"),
        (message_of(PeerError(message("It sent {size} bytes.", size=3))), "It sent {size} bytes."),
        (message_of(PeerRefused("moon", "the moon is full")), "The other side refused: {reason}"),
    ],
)
def test_a_sentence_remembers_how_it_was_made(sentence: object, template: str) -> None:
    assert isinstance(sentence, Message)
    assert (sentence.template, translate(sentence)) == (template, str(sentence))


def test_what_had_to_be_cleaned_is_plain_text() -> None:
    """A value that would move the cursor must not come back by a translation."""
    error = PeerError(message("It said {word}.", word="\x1b[31mboo\u202e"))
    assert type(message_of(error)) is str
    assert message_of(error) == "It said [31mboo."


@pytest.mark.parametrize("code", REFUSALS)
def test_refusals_and_what_to_do(code: str) -> None:
    error = PeerRefused(code)
    said_by(error)
    assert error.hint == "" or isinstance(error.hint, Message)


@pytest.mark.parametrize("kind", [ResumeError, GameOver, SidecarError, SeatHeld])
def test_hints(kind: type[ResumeError | SidecarError]) -> None:
    assert isinstance(kind.hint, Message)
    assert NetError("x").hint == ""
