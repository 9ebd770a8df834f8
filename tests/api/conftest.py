"""The tests of the library keep away from the files of the player who runs them, as those of the command line do."""

from tests.cli.conftest import own_home  # noqa: F401  # a fixture of every test
