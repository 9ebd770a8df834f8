"""An open question to a person. On a screen it takes the line over the prompt, and its answers the line of the keys."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from seqp2p.ui.keys import KeyHelp
from seqp2p.ui.language import t
from seqp2p.ui.person.command_words import COMMANDS, shown

ENTER: Final = "enter"


class Answer(NamedTuple):
    """An answer: its key (``enter`` or a letter) or the word to type for it, its effect, and the line that it is."""

    key: str
    does: str
    line: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its answers. Without answers it is a notice of a wait.

    ``details`` are lines that explain the answers. ``escape`` is the line for the key Esc, if it answers. ``ends_at``
    is the time of trio's clock at which the question is closed.
    """

    text: str
    answers: tuple[Answer, ...] = ()
    details: tuple[str, ...] = ()
    escape: str | None = None
    ends_at: float = math.inf

    def at(self, now: float) -> "Question":
        """Return the question with the seconds that are left in its text."""
        if self.ends_at == math.inf:
            return self
        left = max(0, math.ceil(self.ends_at - now))
        return replace(self, text=t("{question} ({seconds} s)", question=self.text, seconds=left))

    def answered_by(self, key: str) -> str | None:
        """Return the line that a key stands for, None for a key that answers nothing."""
        if key == "escape":
            return self.escape
        answers = (each.line for each in self.answers if key in (each.key, _letter(each.line)))
        # Enter that gives no answer is told so: it does nothing else meanwhile.
        return next(answers, "" if key == ENTER and self.escape is not None else None)

    @property
    def letters(self) -> frozenset[str]:
        return frozenset(_letter(answer.line) for answer in self.answers)

    @property
    def keys(self) -> tuple[KeyHelp, ...]:
        return tuple(KeyHelp(t("Enter") if key == ENTER else key, does, press=key) for key, does, _ in self.answers)

    def spoken(self) -> str:
        """Return the question for those who read lines and type words."""
        return f"{self.text}  {' · '.join([*self.details, *self._choices()])}".rstrip()

    def _choices(self) -> Iterator[str]:
        for key, does, line in self.answers:
            word = key if key != ENTER and len(key) > 1 else shown(line)
            if key == ENTER:
                yield t("{does} (Enter)", does=does)
            elif not any(detail.startswith(word) for detail in self.details):
                yield does if does == word else t("{word}: {does}", word=word, does=does)


def yes_or_no(text: str, enter: str = "no", ends_at: float = math.inf) -> Question:
    """Return a question for a yes or a no. Enter gives ``enter``, or neither where it is empty.

    Esc is a no where Enter is none of them or a no.
    """
    answers = [Answer(ENTER if word == enter else _letter(word), shown(word), word) for word in ("yes", "no")]
    return Question(text, tuple(answers), escape=None if enter == "yes" else "no", ends_at=ends_at)


def _letter(word: str) -> str:
    """Return the one-letter alias of a word, as the reader types it; empty if it has none."""
    aliases = COMMANDS.aliases(word) if word in COMMANDS.words else ()
    return next((alias for alias in aliases if len(alias) == 1 and alias.isalpha()), "")
