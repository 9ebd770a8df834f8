"""The error that a user reads, and the exit codes of a command."""

DONE, FAILED, USAGE, NOT_VERIFIED, NOT_CONNECTED, ABANDONED = range(6)  # docs/scripting.md lists them


class UserError(Exception):
    """One sentence that says what happened. Without a hint and an exit code (``""``, 0) it has those of its class."""

    hint: str = ""
    """What to do about it; empty where there is nothing to say."""
    exit_code: int = FAILED
    """The exit code of a command that ends with this error: 1 for most, 4 for those of the network."""

    def __init__(self, text: str, hint: str = "", exit_code: int = 0) -> None:
        super().__init__(text)
        self.hint = hint or self.hint
        self.exit_code = exit_code or self.exit_code
