"""Sequence as a PettingZoo environment, for programs that learn to play it. docs/scripting.md, "Learning".

``Table`` and the numbers of actions need nothing else, arrays NumPy, and the environment the extra ``learning``. No
other package imports this one.
"""

import importlib
from importlib.util import find_spec
from typing import TYPE_CHECKING

from seqp2p.learning.table import Table, action_of, actions_of, number_of

if TYPE_CHECKING:
    from seqp2p.learning.environment import RawEnv, env, raw_env
    from seqp2p.learning.observation import (
        Observation,
        PlanesObservation,
        Seen,
        action_mask,
        observe,
        observe_planes,
        planes_of,
    )

__all__ = ["Observation", "PlanesObservation", "RawEnv", "Seen", "Table", "action_mask", "action_of", "actions_of"]
__all__ += ["env", "number_of", "observe", "observe_planes", "planes_of", "raw_env"]


def _module_of(name: str) -> str:
    return "environment" if name.lower().endswith("env") else "observation"


if not TYPE_CHECKING:
    _NAMES, _needs = __all__, {"environment": ("numpy", "gymnasium", "pettingzoo"), "observation": ("numpy",)}
    # ``import *`` leaves out what lacks a library: that is an error only when it is asked for.
    __all__ = [name for name in _NAMES if name in globals() or all(map(find_spec, _needs[_module_of(name)]))]

    def __getattr__(name: str) -> object:
        """Import a name that needs another library, when it is first asked for."""
        if name not in _NAMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        try:
            return getattr(importlib.import_module(f"{__name__}.{_module_of(name)}"), name)
        except ModuleNotFoundError as error:
            missing = error.name
            if missing is None or missing.startswith("seqp2p"):
                raise
            why = f"seqp2p.learning.{name} needs {missing}, which is not installed: pip install 'seqp2p[learning]'"
            raise ModuleNotFoundError(why, name=missing) from None
