"""Sequence as a PettingZoo environment, for programs that learn to play it. docs/scripting.md, "Learning".

It needs the extra ``learning``; no other package imports it.
"""

try:
    from seqp2p.learning.environment import RawEnv, env, raw_env
    from seqp2p.learning.numbering import action_mask, action_of, actions_of, number_of
    from seqp2p.learning.observation import Observation, PlanesObservation, Seen, observe, observe_planes, planes_of
    from seqp2p.learning.table import Table
except ModuleNotFoundError as error:
    if error.name is None or error.name.startswith("seqp2p"):
        raise
    raise ModuleNotFoundError(
        f"seqp2p.learning needs PettingZoo, and {error.name} is not installed: pip install 'seqp2p[learning]'",
        name=error.name,
    ) from None

__all__ = [
    "Observation",
    "PlanesObservation",
    "RawEnv",
    "Seen",
    "Table",
    "action_mask",
    "action_of",
    "actions_of",
    "env",
    "number_of",
    "observe",
    "observe_planes",
    "planes_of",
    "raw_env",
]
