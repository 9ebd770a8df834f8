"""A sentence that remembers how it was made, so that it can be said again in the reader's language.

Rules, proofs and peers speak English: their sentences are compared, recorded and sent. ``said`` makes such a sentence
out of a template and values; it is an ordinary ``str`` wherever it goes, and ``ui.language`` translates the template
when a person is to read it.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import reduce


class Message(str):
    """The English sentence, with the template and the values that it was made of."""

    __slots__ = ("template", "values")

    template: str
    values: Mapping[str, object]


def message(template: str, /, **values: object) -> Message:
    """The sentence that ``template.format`` makes of these values, among which may be other such sentences.

    >>> why = said("seat {seat} does not hold {card}", seat=2, card="QH")
    >>> why, why.template
    ('seat 2 does not hold QH', 'seat {seat} does not hold {card}')
    """
    sentence = Message(template.format(**values) if values else template)
    sentence.template = template
    sentence.values = values
    return sentence


def _chained(with_last: Callable[[str, str], str], items: Iterable[str]) -> str:
    each = iter(items)
    return reduce(with_last, each, next(each, ""))


def listed(items: Iterable[str]) -> str:
    """One thing after the other, each of them perhaps a sentence that can be said again: ``a, b, c``."""

    def with_last(some: str, last: str) -> str:
        return message("{some}, {last}", some=some, last=last)

    return _chained(with_last, items)


def all_of(items: Iterable[str]) -> str:
    """The same with ``and``: ``a and b and c``.

    >>> all_of(["a", "b", "c"])
    'a and b and c'
    """

    def with_last(some: str, last: str) -> str:
        return message("{some} and {last}", some=some, last=last)

    return _chained(with_last, items)


def any_of(items: Iterable[str]) -> str:
    """The same with ``or``: ``a or b or c``."""

    def with_last(some: str, last: str) -> str:
        return message("{some} or {last}", some=some, last=last)

    return _chained(with_last, items)


def of_system(error: OSError) -> Message:
    """What the operating system says of an error; the catalogue knows the usual ones."""
    return message(error.strerror or str(error))


def message_of(error: BaseException) -> str:
    """What an error says: its first argument as it was given, where ``str(error)`` would forget how it was made.

    >>> why(ValueError(said("{count} is too many", count=3))).template
    '{count} is too many'
    """
    first = error.args[0] if error.args else ""
    return first if isinstance(first, str) else str(error)
