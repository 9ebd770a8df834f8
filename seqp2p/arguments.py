"""Wrong types of arguments are said at once, and by name: for the functions of ``import seqp2p``."""

import functools
import inspect
import types
import typing
from collections.abc import Callable
from typing import Any, ClassVar, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
_ACTION_HINT = "; parse_action makes one of a text, and Game.play takes the text"


def check_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Return the function, which now raises a TypeError with the name of an argument of a wrong type.

    Only the class of an argument is compared with its annotation, not what a collection has in it. A bool is no int.
    The function has no ``*args``; its ``**kwargs``, if it has them, are an Unpack of a TypedDict.

    >>> @check_arguments
    ... def double(number: int) -> int:
    ...     return 2 * number
    >>> double("2")
    Traceback (most recent call last):
    TypeError: double: number must be int, not str
    """

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        check(function, *args, **kwargs)
        return function(*args, **kwargs)

    return checked


class CheckedFields:
    """The base of a dataclass or a Struct without kw_only: a field of a wrong type raises a TypeError with its name."""

    __slots__ = ()
    __match_args__: ClassVar[tuple[str, ...]]

    def __post_init__(self) -> None:
        check(type(self), *(getattr(self, name) for name in type(self).__match_args__))


def check(function: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> None:
    """Raise a TypeError with the name of an argument of a wrong type: for a function called too often to decorate."""
    _check_types(function, tuple(map(type, args)), tuple(kwargs), tuple(map(type, kwargs.values())))


@functools.lru_cache(maxsize=1000)
def _check_types(
    function: Callable[..., object], args: tuple[type, ...], names: tuple[str, ...], kwargs: tuple[type, ...]
) -> None:
    called, signature = function.__qualname__.removesuffix(".__init__"), inspect.signature(function)
    where = "" if called.startswith("_") else f"{called}: "
    wanted = {name: each.annotation for name, each in signature.parameters.items()}
    try:
        given = signature.bind(*args, **dict(zip(names, kwargs, strict=True))).arguments
    except TypeError as error:
        raise TypeError(f"{where}{error}") from None
    for name, each in signature.parameters.items():
        if each.kind is inspect.Parameter.VAR_KEYWORD:
            wanted |= typing.get_args(wanted.pop(name))[0].__annotations__  # Unpack of a TypedDict.
            given |= given.pop(name, {})
    for name, kind in given.items():
        if name not in wanted:
            raise TypeError(f"{where}got an unexpected keyword argument {name!r}")
        classes = _classes(wanted[name])
        if classes and not (issubclass(kind, classes) and (kind is not bool or bool in classes)):
            meant = " or ".join("None" if each is types.NoneType else each.__name__ for each in classes)
            hint = _ACTION_HINT if meant == "Action" and kind is str else ""
            raise TypeError(f"{where}{name} must be {meant}, not {kind.__name__}{hint}")


def arguments_of(model: Callable[P, object]) -> Callable[[Callable[..., R]], Callable[P, R]]:
    """Tell readers, type checkers and ``check_arguments`` that a function takes, and passes on, those of the model."""

    def with_them(function: Callable[..., R]) -> Callable[P, R]:
        signature = inspect.signature(model).replace(return_annotation=inspect.signature(function).return_annotation)
        function.__signature__ = signature  # type: ignore[attr-defined]  # inspect looks for it
        return function

    return with_them


def _classes(annotation: Any) -> tuple[type, ...]:
    """Return the classes that an annotation allows, the form of its parts left out; none if it cannot be checked."""
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        return _classes(annotation.__origin__)
    if origin in {typing.Union, types.UnionType, typing.Literal}:
        parts = [_classes(type(part) if origin is typing.Literal else part) for part in typing.get_args(annotation)]
        return tuple(dict.fromkeys(sum(parts, ()))) if all(parts) else ()
    found = types.NoneType if annotation is None else origin or annotation
    if not isinstance(found, type) or found is inspect.Parameter.empty or getattr(found, "_is_protocol", False):
        return ()
    return (float, int) if found is float else (found,)
