"""What ties a bot to the process that called it: until when it sits down, and when it leaves its table."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio
import trio.testing

from seqp2p.cli import parent_watch as tether_module
from seqp2p.cli.lines import LineReader
from seqp2p.cli.output import Output
from seqp2p.cli.parent_watch import Overheard, Tether, held_by
from seqp2p.net.errors import LinkLost


class Rope:
    """The pipe that is a bot's standard input."""

    def __init__(self) -> None:
        self.bot, self.caller = os.pipe()

    def let_go(self) -> None:
        """The caller is gone."""
        os.write(self.caller, b"a last word\n")
        os.close(self.caller)
        self.caller = -1

    def close(self) -> None:
        for descriptor in (self.bot, self.caller):
            if descriptor >= 0:
                os.close(descriptor)


@pytest.fixture
def rope(monkeypatch: pytest.MonkeyPatch) -> Iterator[Rope]:
    made = Rope()
    monkeypatch.setattr(tether_module, "LineReader", lambda _: LineReader(made.bot))
    yield made
    made.close()


@pytest.fixture
def raised(monkeypatch: pytest.MonkeyPatch) -> list[signal.Signals]:
    """The signals that a tether has raised."""
    signals: list[signal.Signals] = []
    monkeypatch.setattr(signal, "raise_signal", signals.append)
    return signals


async def test_it_sits_down_while_it_is_held(rope: Rope, raised: list[signal.Signals]) -> None:
    tether = Tether()
    async with held_by(tether):

        async def sit_down() -> str:
            await trio.lowlevel.checkpoint()
            return "a table"

        assert await tether.while_held(sit_down) == "a table"
        rope.let_go()
        with pytest.raises(LinkLost, match="Whoever called this bot to the table is gone"):
            await tether.while_held(trio.sleep_forever)
        # And not again.
        with pytest.raises(LinkLost):
            await tether.while_held(trio.sleep_forever)
    assert raised == []


async def test_a_failure_to_sit_down_is_told_as_it_is(rope: Rope) -> None:
    tether = Tether()

    async def refused() -> str:
        await trio.lowlevel.checkpoint()
        raise LinkLost("no")

    async with held_by(tether):
        with pytest.raises(LinkLost, match=r"^no$"):
            await tether.while_held(refused)


@pytest.mark.parametrize("dropped_first", [True, False])
async def test_it_leaves_once_the_table_has_given_its_caller_up(
    rope: Rope, raised: list[signal.Signals], capsys: pytest.CaptureFixture[str], *, dropped_first: bool
) -> None:
    tether = Tether()
    output: Output = Overheard(json=True, tether=tether)
    async with held_by(tether):
        output.event("dropped", seats=[2])
        output.event("turn", seat=1)
        if dropped_first:
            output.event("dropped", seats=[1, 3])
            assert raised == []
            rope.let_go()
        else:
            rope.let_go()
            with pytest.raises(LinkLost):
                await tether.while_held(trio.sleep_forever)
            assert raised == []
            output.event("dropped", seats=[1, 3])
        with trio.fail_after(30):
            while not raised:  # noqa: ASYNC110  # a signal tells nobody here
                await trio.sleep(0.001)
    assert set(raised) == {signal.SIGTERM}
    assert len(capsys.readouterr().out.splitlines()) == 3


async def test_who_is_not_tied_is_not_watched() -> None:
    async with held_by(None):
        await trio.testing.wait_all_tasks_blocked()


async def test_a_folder_is_removed_by_whoever_is_left(rope: Rope, tmp_path: Path) -> None:
    tether = Tether()
    homes = [tmp_path / "seqp2p-bots-x" / number for number in ("2", "3")]
    other = tmp_path / "home"
    for folder in (*homes, other):
        folder.mkdir(parents=True)
        (folder / "identity.key").touch()
    async with held_by(tether):
        tether.clean_up(homes[0])
        assert homes[0].exists()
        rope.let_go()
        with pytest.raises(LinkLost):
            await tether.while_held(trio.sleep_forever)
    tether.clean_up(other)
    tether.clean_up(homes[0])
    assert inside(tmp_path) == ["home", "seqp2p-bots-x"]
    assert inside(homes[0].parent) == ["3"]
    tether.clean_up(homes[1])
    assert inside(tmp_path) == ["home"]
    assert inside(other) == ["identity.key"]


def inside(folder: Path) -> list[str]:
    """The names of what is in a folder."""
    return sorted(path.name for path in folder.iterdir())
