"""One test that looks at many things of a kind, where one test for each would be thousands."""

from collections.abc import Callable, Iterable

import pytest


def for_each(names: Iterable[str]) -> Callable[[Callable[[str], None]], Callable[[], None]]:
    """Check all of these in one test; a failure says at which."""

    wanted = tuple(names)
    assert wanted, "there is nothing to look at"

    def decorate(check: Callable[[str], None]) -> Callable[[], None]:
        def test() -> None:
            for name in wanted:
                try:
                    check(name)
                except (Exception, pytest.fail.Exception) as error:
                    error.add_note(f"at {name}")
                    raise

        test.__name__, test.__doc__ = check.__name__, check.__doc__
        return test

    return decorate
