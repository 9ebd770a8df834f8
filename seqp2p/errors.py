"""The base of all errors that a user reads."""


class UserError(Exception):
    """One sentence that says what happened; ``hint`` says what to do. A command ends with ``exit_code``."""

    hint = ""
    exit_code = 1

    def __init__(self, text: str, hint: str = "", exit_code: int = 0) -> None:
        super().__init__(text)
        self.hint = hint or self.hint
        self.exit_code = exit_code or self.exit_code
