"""What must never happen has happened."""


class SafetyViolation(AssertionError):
    """A promise of the protocol is broken; the text says which."""
