"""Sentences remember how they were made. tests/ui/test_language.py looks for text that is no such sentence."""

import ast
import copy
import json
import pickle
import string
from collections.abc import Callable
from typing import Any

import pytest

from seqp2p.i18n import Message, all_of, any_of, listed, message, message_of
from seqp2p.match.encoding import decode, encode
from seqp2p.match.errors import Violation
from seqp2p.match.table import name_fault
from seqp2p.match.text import cleaned
from seqp2p.net.errors import REFUSALS, PeerError, PeerRefused
from seqp2p.net.messages import Bye, Refused, bye, refusal
from seqp2p.replay.resume import GameOver, ResumeError
from seqp2p.replay.sidecar import OlderCopy, SeatHeld, SeatStopped, SidecarError
from seqp2p.replay.verify import verify
from seqp2p.rules import CLASSIC, KIDS, IllegalAction, Options, RulesError, apply, check_table, parse_action, start
from seqp2p.ui.language import translate
from tests.each import for_each
from tests.test_architecture import MODULES, tree

PACKAGES = ("rules.", "crypto.", "match.", "replay.", "net.", "lobby.", "live.")
# A library's or the system's own text about what it met: it is quoted as it is.
QUOTES = {"match.encoding", "net.addresses", "lobby.mdns", "net.tls"}


@for_each(module for module in MODULES if module.startswith(PACKAGES) and module not in QUOTES)
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


@for_each(MODULES)
def test_templates_name_their_values(module: str) -> None:
    """A template is written out and names all that it is given, also in a dictionary. Found text is given nothing."""
    for scope in ast.walk(tree(module)):
        if not isinstance(scope, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        values = {} if isinstance(scope, ast.Module) else in_dictionaries(scope)
        unnamed = {name: {*keys} for name, keys in values.items()}
        used = set[str]()
        for node in ast.walk(scope):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "message" and module != "i18n":
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
    """The encoding takes plain text alone, so a sentence is made plain before."""
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
    assert [listed("a"), listed("abc"), any_of("abc")] == ["a", "a, b, c", "a or b or c"]
    assert [all_of("ab"), all_of("abc")] == ["a and b", "a and b and c"]
    assert translate(listed([SENTENCE, "b"])) == f"{SENTENCE}, b"
    assert translate(all_of(map(str, range(100)))) == " and ".join(map(str, range(100)))


def test_why_says_what_was_said() -> None:
    assert message_of(ValueError(SENTENCE)) is SENTENCE
    assert message_of(ValueError()) == ""
    assert message_of(FileNotFoundError(2, "No such file")) == "[Errno 2] No such file"


# That sentences come through, with their inner ones.


def told(refuse: Callable[..., object], *arguments: Any) -> str:
    with pytest.raises(RulesError) as refused:
        refuse(*arguments)
    return message_of(refused.value)


POSITION = start(CLASSIC, 2, 2, Options(), 1, [(0, 1, 2, 3, 4, 5, 6)] * 2)


@pytest.mark.parametrize(
    ("sentence", "template"),
    [
        (
            told(apply, POSITION, parse_action(CLASSIC, "QH e5")),
            "seat {seat} does not hold {name}: play a card from the hand",
        ),
        (told(check_table, CLASSIC, 1, 2, Options()), "1 player cannot play: {game} is for {numbers} players"),
        (told(check_table, KIDS, 2, 2, Options(manual_draw=True)), "{game} has no option {name}: leave it as it is"),
        (message_of(Violation(2, 7, message("it lied"), ())), "seat {seat} broke the rules at step {step}: {reason}"),
        (name_fault(""), "{what} has 1 to {most} characters"),
        (verify(b"nothing of the kind").reason, "not a seqp2p replay"),
        (message_of(PeerError(message("It sent {size} bytes.", size=3))), "It sent {size} bytes."),
        (message_of(PeerRefused("moon", "the moon is full")), "The other side refused: {reason}"),
    ],
)
def test_a_sentence_remembers_how_it_was_made(sentence: object, template: str) -> None:
    assert isinstance(sentence, Message)
    assert (sentence.template, translate(sentence)) == (template, str(sentence))


def test_errors_of_replays_and_seats_have_hints_of_their_own() -> None:
    for kind in (ResumeError, GameOver, SidecarError, SeatHeld, SeatStopped, OlderCopy):
        assert isinstance(vars(kind)["hint"], Message), kind
    assert all(isinstance(hint, Message) for code, (_, hint) in REFUSALS.items() if code != "faulty")


def test_what_had_to_be_cleaned_is_plain_text() -> None:
    """A value that would move the cursor must not come back by a translation."""
    error = PeerError(message("It said {word}.", word="\x1b[31mboo\u202e"))
    assert type(message_of(error)) is str
    assert message_of(error) == "It said [31mboo."
