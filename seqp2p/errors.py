"""The error that a user reads, the exit codes of a command, and errors in groups."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import cast

DONE, FAILED, USAGE, NOT_VERIFIED, NOT_CONNECTED, ABANDONED = range(6)  # docs/scripting.md lists them

_CODES = {FAILED: "failed", USAGE: "usage", NOT_VERIFIED: "invalid", NOT_CONNECTED: "network", ABANDONED: "stopped"}


class UserError(Exception):
    """One sentence that says what happened. Without a hint, an exit code and a code (``""``, 0) it has its class's."""

    hint: str = ""
    """What to do about it; empty where there is nothing to say."""
    exit_code: int = FAILED
    """The exit code of a command that ends with this error: 1 for most, 4 for those of the network."""
    code: str = ""
    """What a program reads, one of ``api.error_codes.ERROR_CODES``. Without one it follows from the exit code."""
    quotes_code: bool = False
    """True if the text may quote a join code as it was typed. Such a text is for the screen alone."""

    def __init__(self, text: str, hint: str = "", exit_code: int = 0, code: str = "") -> None:
        super().__init__(text)
        self.hint = hint or self.hint
        self.exit_code = exit_code or self.exit_code
        self.code = code or self.code or _CODES[self.exit_code]


def errors_in(error: BaseException) -> Iterator[BaseException]:
    """Yield the errors in a group, at any depth; the error itself if it is no group."""
    if isinstance(error, BaseExceptionGroup):
        for inner in cast("tuple[BaseException, ...]", error.exceptions):
            yield from errors_in(inner)
    else:
        yield error


@contextmanager
def ungrouped(*kinds: type[BaseException]) -> Generator[None]:
    """Raise the first error of these kinds without its group. If the group has others, raise those, and drop these."""
    failure: BaseException | None = None
    try:
        yield
    except* kinds as group:
        failure = next(errors_in(group))
    if failure is not None:
        raise failure
