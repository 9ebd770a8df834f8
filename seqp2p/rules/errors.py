"""What the rules refuse, and how they say so: one sentence, for the player who meant well."""


class RulesError(ValueError):
    """Something the rules do not allow. The message is one sentence that a player understands."""


class NotationError(RulesError):
    """A text that is not the written form of anything (a card, a square, an action, a position)."""


class IllegalAction(RulesError):
    """An action that can be written down, but that the rules forbid in this position."""


class AmbiguousAction(RulesError):
    """An action that names two sequences of which only one can count."""
