"""The refusals of the rules: each is one sentence for a player who meant well."""


class RulesError(ValueError):
    """A violation of the rules. The message is one sentence that a player understands."""


class NotationError(RulesError):
    """A text that is no card, square, action or position."""


class IllegalAction(RulesError):
    """An action that can be written down, but that the rules forbid in this position."""


class AmbiguousAction(RulesError):
    """An action that names two sequences of which only one can count."""
