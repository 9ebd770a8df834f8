"""The violation of an invariant."""


class SafetyViolation(AssertionError):
    """A promise of the protocol is broken; the text names it."""
