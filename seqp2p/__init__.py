"""seqp2p: the board game Sequence between peers, with no referee and no host that sees a card.

Every name in ``__all__`` can be had from here, and is stable: docs/promises.md. A name is imported when it is first
asked for, so that ``import seqp2p`` costs nothing. Everything that waits runs under the caller's own trio.

>>> import seqp2p
>>> first, second = seqp2p.CLASSIC.deck[:7], seqp2p.CLASSIC.deck[7:14]
>>> position = seqp2p.start(seqp2p.CLASSIC, 2, 2, seqp2p.Options(), 1, [first, second])
>>> position = seqp2p.apply(position, seqp2p.legal_actions(position)[0])
>>> position.turn, position.to_move
(1, 2)
"""

TYPE_CHECKING = False  # True to type checkers. The module typing would take longer to import than this one.

if TYPE_CHECKING:
    from seqp2p.names import *  # noqa: F403

__version__ = "0.1.0.dev0"

if not TYPE_CHECKING:  # A type checker finds only the names above.

    def __getattr__(name: str) -> object:
        """Import a public name, and keep it."""
        import importlib

        places = globals().get("_places") or _read_names()
        if name == "__all__":
            found = sorted((*places, "__version__"))
        elif name in places:
            found = getattr(importlib.import_module(places[name]), name)
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = found
        return found

    def __dir__() -> list[str]:
        """Return all names, the ones not imported yet among them."""
        return sorted({*globals(), *__getattr__("__all__")})

    def _read_names() -> dict[str, str]:
        """Return the module of each public name: run names.py with an import that only notes them."""
        from importlib.util import find_spec, module_from_spec

        places = {}

        class Note:
            """In the place of ``__import__``: note the names, and stand for each imported module."""

            def __init__(self, module: str, _globals: object, _locals: object, names: tuple[str, ...], _: int) -> None:
                places.update(dict.fromkeys(names or (), module))

            def __getattr__(self, name: str) -> "Note":
                return self

        spec = find_spec(f"{__name__}.names")
        module = module_from_spec(spec)
        module.__builtins__ = {"__import__": Note}
        spec.loader.exec_module(module)
        globals()["_places"] = places
        return places
