"""A view that is built on first use.

Building a view takes longer than playing a turn, and the random bot uses only the legal actions. To a bot this is a
View like any other: equal to it field by field, and with nothing else in it.
"""

from dataclasses import fields
from typing import Any, Final

from seqp2p.rules import Position, View, legal_actions, view

_FIELDS: Final = frozenset(field.name for field in fields(View))
_new: Final = object.__new__
_set: Final = object.__setattr__


class LateView(View):
    """The view of the seat to move in a position; made by ``late_view``."""

    __slots__ = ("_whole",)
    _whole: Position

    def __getattr__(self, name: str) -> Any:
        """Called for a field without a value: the first field other than ``legal`` fills them all."""
        if name not in _FIELDS:
            raise AttributeError(f"a view has no {name}")
        seen = view(self._whole, self._whole.to_move)
        for field in _FIELDS:
            _set(self, field, getattr(seen, field))
        return getattr(seen, name)


def late_view(position: Position) -> View:
    """The view of the seat to move. ``position`` may know all hands: the view shows that seat's only."""
    late = _new(LateView)
    _set(late, "legal", legal_actions(position))
    _set(late, "_whole", position)
    return late


def whole_view(seen: View) -> View:
    """Return an ordinary view with the same fields, for bots that are not of this program: it knows no other hand."""
    return View(**{field.name: getattr(seen, field.name) for field in fields(View)})
