"""Messages: English sentences that keep their template and values, so that they can be translated later.

Rules, proofs and peers speak English: their sentences are compared, recorded and sent. ``message`` makes one out of a
template and values. It is an ordinary ``str`` wherever it goes; ``ui.language`` translates it for a reader.
"""

import re
from collections.abc import Iterable, Mapping
from functools import reduce
from typing import NamedTuple

_SENT = "\0"
"""The beginning of a message sent as its template and values."""
_SENDABLE = re.compile(r"(?:[^{}]|\{\{|\}\}|\{\w+(?:!r)?\})*")


class Message(str):
    """The English sentence, with the template and the values that it was made of."""

    __slots__ = ("template", "values")

    template: str
    values: Mapping[str, object]


def message(template: str, /, **values: object) -> Message:
    """Return the sentence that ``template.format`` makes of these values, which may be messages, too.

    >>> why = message("seat {seat} does not hold {card}", seat=2, card="QH")
    >>> why, why.template
    ('seat 2 does not hold QH', 'seat {seat} does not hold {card}')
    """
    sentence = Message(template.format(**values) if values else template)
    sentence.template = template
    sentence.values = values
    return sentence


class Term(NamedTuple):
    """A word or a list of them whose translation depends on its use, the ``context``."""

    context: str
    text: str


def term(context: str, text: str) -> Term:
    """Make a Term out of literals, which are collected for the catalogue from this call."""
    return Term(context, text)


def _chained(template: str, items: Iterable[str]) -> str:
    def with_last(some: str, last: str) -> str:
        return message(template, some=some, last=last)

    each = iter(items)
    return reduce(with_last, each, next(each, ""))


def listed(items: Iterable[str]) -> str:
    """Join items, which may be messages: ``a, b, c``."""
    return _chained(message("{some}, {last}"), items)


def all_of(items: Iterable[str]) -> str:
    """Join items with ``and``.

    >>> all_of(["a", "b", "c"])
    'a and b and c'
    """
    return _chained(message("{some} and {last}"), items)


def any_of(items: Iterable[str]) -> str:
    """Join items with ``or``: ``a or b or c``."""
    return _chained(message("{some} or {last}"), items)


def of_system(error: OSError) -> Message:
    """Return the operating system's text of an error. The catalogue knows the usual ones."""
    return message(error.strerror or str(error))


def message_of(error: BaseException) -> str:
    """Return the text of an error: its first argument as it was given, which may be a message.

    >>> message_of(ValueError(message("{count} is too many", count=3)))
    '3 is too many'
    """
    first = error.args[0] if error.args else ""
    return first if isinstance(first, str) else str(error)


def sent(value: object) -> str:
    """Return a text that gives another process this message again; other values, and odd messages, as they read."""
    import msgspec

    if isinstance(value, Message):
        text = _SENT + msgspec.json.encode((value.template, value.values), enc_hook=sent).decode()
        try:
            if received(text) == value:
                return text
        except ValueError:
            pass
    return str(value)


def received(text: str) -> str:
    """Return the message that ``sent`` made a text of, or the text. Raises ValueError if it made no such text.

    >>> getattr(received(sent(message("seat {seat}", seat=2))), "template", "")
    'seat {seat}'
    """
    import msgspec

    if not text.startswith(_SENT):
        return text
    kind = tuple[str, dict[str, bool | int | float | str | None]]
    template, values = msgspec.json.decode(text.removeprefix(_SENT), type=kind)
    if not _SENDABLE.fullmatch(template):
        raise ValueError(template)
    try:
        return message(
            template, **{name: received(each) if isinstance(each, str) else each for name, each in values.items()}
        )
    except LookupError:
        raise ValueError(template) from None
