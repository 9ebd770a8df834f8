"""What all tests share: hypothesis without a clock, and whole games that are played once."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from seqp2p.ui import language
from tests.remembered import remembering
from tests.table import Played, played

settings.register_profile("seqp2p", deadline=None, max_examples=30)
settings.load_profile("seqp2p")

# The tests speak English, and so do the processes that they start, wherever they are run.
os.environ["LANGUAGE"] = "en"


# These wait, for networks that fail and for processes, more than they work, or take longest of all: they come first,
# beside the others, so that no core is idle at the end.
FIRST = (
    "tests/real/test_namespaces.py",
    "tests/real/",
    "tests/net/test_faults.py",
    "tests/cli/test_demo.py",
    "tests/net/test_session_votes.py",
    "tests/net/test_session_byzantine.py",
    "tests/net/test_session_going_on.py",
    "tests/net/test_session_cheats.py",
    "tests/cli/test_leaving.py",
    "tests/cli/test_play.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The order of the files; within each, that in which its tests are written."""

    def rank(item: pytest.Item) -> int:
        return next((at for at, path in enumerate(FIRST) if item.nodeid.startswith(path)), len(FIRST))

    items.sort(key=rank)


@pytest.fixture(scope="session", autouse=True)
def remembered() -> Iterator[None]:
    """Proofs that were found right are not checked again."""
    with remembering():
        yield


@pytest.fixture
def french() -> Iterator[None]:
    """The reader reads French."""
    language.use("fr")
    yield
    language.use("en")


@pytest.fixture(scope="session")
def duel() -> Played:
    """Two players, classic, random: some 160 steps with an exchange and removals, no reshuffle."""
    return played(2)


@pytest.fixture(scope="session")
def long_game() -> Played:
    """Two players who shun sequences: exchanges, a reshuffle, and in the end more than ten passes."""
    return played(2, "classic", 20, "peaceful")


@pytest.fixture(scope="session")
def brief() -> Played:
    """Two kids, nineteen steps: for what is done hundreds of times."""
    return played(2, "kids", 3)


@pytest.fixture(scope="session")
def trio() -> Played:
    """Three kids, forty steps: every step awaits somebody, and two are a majority."""
    return played(3, "kids", 4)
