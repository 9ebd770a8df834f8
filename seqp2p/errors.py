"""The base of all errors that a user reads."""


class UserError(Exception):
    """One sentence that says what happened. ``hint`` says what to do, or is empty.

    ``exit_code`` is that of a command which ends with this error (docs/scripting.md).
    """

    hint: str = ""
    exit_code: int = 1

    def __init__(self, text: str, hint: str | None = None, exit_code: int | None = None) -> None:
        super().__init__(text)
        if hint is not None:
            self.hint = hint
        if exit_code is not None:
            self.exit_code = exit_code
