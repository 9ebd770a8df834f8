"""Shared by all tests: hypothesis without clock and chance, whole games played once. Order and markers: loop.py."""

import os
from collections.abc import Iterator

import ifaddr  # noqa: F401  # its first import starts a process, which a test may not
import pytest
from hypothesis import settings

from seqp2p.net.addresses import Address
from seqp2p.ui import language
from tests.relay import relay_process
from tests.remembered import remembering
from tests.table import Played, played

# The same examples in every run: a test fails by a change alone. The other profile looks for new ones.
settings.register_profile("seqp2p", deadline=None, max_examples=30, derandomize=True)
settings.register_profile("explore", deadline=None, max_examples=300)
settings.load_profile("seqp2p")

pytest_plugins = ["tests.loop"]

# The tests speak English, and so do the processes that they start, wherever they are run.
os.environ["LANGUAGE"] = "en"


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


@pytest.fixture(scope="module")
def relay() -> Iterator[Address]:
    """The address of a relay on loopback."""
    with relay_process() as address:
        yield address


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
    """Two kids, nineteen steps: for hundreds of runs."""
    return played(2, "kids", 3)


@pytest.fixture(scope="session")
def trio() -> Played:
    """Three kids, forty steps: every step awaits a seat, and two are a majority."""
    return played(3, "kids", 4)
