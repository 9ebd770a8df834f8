"""Sequence as a PettingZoo environment, for programs that learn to play it. docs/scripting.md, "Learning".

It needs the extra ``learning``; no other package imports it.
"""

try:
    from seqp2p.learning.environment import RawEnv as RawEnv, Table as Table, env as env, raw_env as raw_env
    from seqp2p.learning.observation import (
        Observation as Observation,
        PlanesObservation as PlanesObservation,
        Seen as Seen,
        action_mask as action_mask,
        action_of as action_of,
        actions_of as actions_of,
        number_of as number_of,
        observe as observe,
        observe_planes as observe_planes,
        planes_of as planes_of,
    )
except ModuleNotFoundError as error:
    if error.name is None or error.name.startswith("seqp2p"):
        raise
    raise ModuleNotFoundError(
        f"seqp2p.learning needs PettingZoo, and {error.name} is not installed: pip install 'seqp2p[learning]'",
        name=error.name,
    ) from None
