"""The game as a PettingZoo environment of agents that act one after the other (AEC).

Agents are ``seat_1``, ``seat_2`` …, and the engine decides whose turn it is: an agent acts twice in a row after it has
exchanged a dead card, and out of turn if it may still draw. A game ends with +1 for each seat of the winning team and
-1 for the others, or with 0 for all if it is drawn. The rules are the engine's, with two things left out: agents do not
talk, so nothing is called, and no sequence is named: the engine's choice counts.
"""

import sys
from collections import Counter
from typing import Any, Final, TypeAlias

import gymnasium
import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from seqp2p.arguments import arguments_of, check_arguments
from seqp2p.learning.observation import (
    PHASES,
    Observation,
    PlanesObservation,
    action_mask,
    observe,
    observe_planes,
    planes_of,
)
from seqp2p.learning.table import Table, actions_of
from seqp2p.rules import Variant, View, hand_size, team_of
from seqp2p.ui.plain import board_lines, score_line

RENDER_MODES: Final = ("human", "ansi")
# PettingZoo wants observations, and actions, to be of the one type that their space is of. A TypedDict and a space of
# dictionaries never are, and an action is None besides when the game is over.
Environment: TypeAlias = AECEnv[str, Any, Any]


class RawEnv(Environment):
    """One table, and the game on it (``table``). What PettingZoo's documentation says of each method holds."""

    metadata: dict[str, Any] = {  # noqa: RUF012 -- PettingZoo's own declaration
        "name": "seqp2p_v0",
        "render_modes": list(RENDER_MODES),
        "render_fps": 1,
        "is_parallelizable": False,
    }

    @check_arguments
    def __init__(
        self,
        players: int = 2,
        teams: int | None = None,
        variant: str = "classic",
        *,
        advanced: bool = False,
        manual_draw: bool = False,
        planes: bool = False,
        render_mode: str | None = None,
    ) -> None:
        """``teams`` is as many as usual if it is None; ``render_mode`` is one of ``human``, ``ansi`` and None.

        With ``planes`` an observation is one array (``seqp2p.learning.observation``), else a dictionary of arrays.
        RulesError if so many cannot sit down so; ValueError for a variant or a render mode that there is not.
        """
        super().__init__()  # type: ignore[no-untyped-call]  # PettingZoo says nothing of its type
        if render_mode not in (None, *RENDER_MODES):
            raise ValueError(f"there is no render mode {render_mode!r}: choose one of {', '.join(RENDER_MODES)}")
        self.table = Table(players, teams, variant, advanced=advanced, manual_draw=manual_draw)
        self.render_mode = render_mode
        self._planes = planes
        self._seats = {f"seat_{seat}": seat for seat in range(1, players + 1)}
        self.possible_agents = list(self._seats)
        # Each agent has spaces of its own, because spaces are seeded.
        space = planes_space if planes else observation_space
        self.observation_spaces = {
            agent: space(self.table.variant, players, self.table.teams) for agent in self.possible_agents
        }
        numbers = len(actions_of(self.table.variant))
        self.action_spaces = {agent: spaces.Discrete(numbers) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The same object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The same object at every call."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002 -- PettingZoo's signature
        """Deal a new game; who begins is drawn by lot.

        With the same ``seed`` the same games follow on every machine; without one they go on from the seed before.
        """
        self.table.reset(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[self.table.to_move - 1]
        self._show()

    def step(self, action: int | None) -> None:
        """Take this action for the selected agent; None when the game is over.

        Raises ValueError for an unused number, IllegalAction for an illegal action, and then changes nothing.
        """
        agent = self.agent_selection
        if action is None or self.terminations[agent]:
            self._was_dead_step(action)
            return
        self.table.step(action)
        position = self.table.position
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if position.over:
            self.terminations = dict.fromkeys(self.agents, True)
        if position.winner:
            for each, seat in self._seats.items():
                self.rewards[each] = 1.0 if team_of(seat, self.table.teams) == position.winner else -1.0
        # When the game is over, everybody has a last look, beginning with whose turn it would have been.
        following = position.to_move or self._seats[agent] % self.table.players + 1
        self.agent_selection = self.possible_agents[following - 1]
        self._accumulate_rewards()
        self._show()

    def view(self, agent: str) -> View:
        """Return the agent's view, as a bot of seqp2p gets it (``seqp2p.bots``)."""
        return self.table.view(self._seats[agent])

    def observe(self, agent: str) -> Observation | PlanesObservation:
        """Return the agent's observation and its action mask: empty if another agent acts."""
        seen = self.view(agent)
        mask = action_mask(seen)
        if self._planes:
            return {"observation": observe_planes(seen), "action_mask": mask}
        return {"observation": observe(seen), "action_mask": mask}

    def render(self) -> str | None:
        """Show the table as a spectator sees it: return the text for ``ansi``, print it for ``human``."""
        if self.render_mode is None:
            gymnasium.logger.warn("nothing is rendered without a render mode: give the environment one")
            return None
        text = self._picture()
        if self.render_mode == "ansi":
            return text
        sys.stdout.write(f"{text}\n\n")
        return None

    def _picture(self) -> str:
        table = self.table
        seen, colours = table.view(0), table.variant.colours[: table.teams]
        if seen.over:
            now = f"team {seen.winner} has won" if seen.winner else "the game is drawn"
        else:
            now = f"turn {seen.turn + 1}, seat {seen.to_move} is to move"
        return "\n".join([*board_lines(seen, colours, table.last), score_line(seen, colours), now])

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()


raw_env = RawEnv
"""The name that PettingZoo's own environments have for one without wrappers."""


@arguments_of(RawEnv)
def env(*args: Any, **kwargs: Any) -> Environment:
    """Return a ``RawEnv`` in the usual wrappers of PettingZoo.

    An agent that takes an illegal action loses, and the game ends without a result for the others. A number that is no
    action, or a call before ``reset``, is an AssertionError. Raises the errors of RawEnv.
    """
    raw = wrappers.TerminateIllegalWrapper(RawEnv(*args, **kwargs), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(raw))


def observation_space(variant: Variant, players: int, teams: int) -> spaces.Dict:
    board, faces = variant.board, len(variant.faces)
    copies = max(Counter(variant.deck).values())
    planes = (teams, board.rows, board.cols)

    def numbers(shape: tuple[int, ...], highest: int) -> spaces.Box:
        return spaces.Box(0, highest, shape, np.uint8)

    seen: dict[str, spaces.Space[Any]] = {
        "board": numbers(planes, 1),
        "sequences": numbers(planes, 1),
        "completed": numbers((teams,), dict(variant.sequences_to_win)[teams]),
        "hand": numbers((faces,), copies),
        "hand_sizes": numbers((players,), hand_size(variant, players)),
        "discards": numbers((players, faces), copies),
        "pile": numbers((1,), len(variant.deck)),
        "phase": numbers((len(PHASES),), 1),
        "to_move": numbers((players,), 1),
        "mover": numbers((players,), 1),
        "owes": numbers((players,), 1),
        "quiet": numbers((1,), variant.quiet_turns_max),
    }
    mask = spaces.Box(0, 1, (len(actions_of(variant)),), np.int8)
    return spaces.Dict({"observation": spaces.Dict(seen), "action_mask": mask})


def planes_space(variant: Variant, players: int, teams: int) -> spaces.Dict:
    board = variant.board
    highest = np.array([most for _, most in planes_of(variant, players, teams)], np.uint8)
    high = np.broadcast_to(highest[:, None, None], (len(highest), board.rows, board.cols))
    box: spaces.Space[Any] = spaces.Box(np.zeros_like(high), high, dtype=np.uint8)
    return spaces.Dict({"observation": box, "action_mask": spaces.Box(0, 1, (len(actions_of(variant)),), np.int8)})
