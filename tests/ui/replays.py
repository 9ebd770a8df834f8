"""The golden replays, each read once for all tests."""

from functools import cache
from pathlib import Path
from typing import Final

from seqp2p.cli.moments import frames_of, review_of
from seqp2p.replay.playback import Playback, play_back
from seqp2p.ui.replay_browser import ReplayFrames

FOLDER: Final = Path(__file__).parents[2] / "replays"
NAMES: Final = sorted(path.stem for path in FOLDER.glob("*.seqp2p"))


@cache
def playback(name: str) -> Playback:
    return play_back((FOLDER / f"{name}.seqp2p").read_bytes())


@cache
def frames(name: str, *, brief: bool = True, reviewed: bool = False) -> ReplayFrames:
    review = review_of(playback(name)) if reviewed else None
    return frames_of(f"{name}.seqp2p", playback(name), brief=brief, reviewed=review)
