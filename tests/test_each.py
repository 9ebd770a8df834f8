"""One test of many things says at which of them it failed."""

import pytest

from tests.each import for_each


@pytest.mark.parametrize("error", [AssertionError, KeyError, pytest.fail.Exception])
def test_a_failure_says_at_which(error: type[BaseException]) -> None:
    def check(name: str) -> None:
        if name == "two":
            raise error("wrong")

    with pytest.raises(error) as caught:
        for_each(["one", "two", "three"])(check)()
    assert caught.value.__notes__ == ["at two"]
