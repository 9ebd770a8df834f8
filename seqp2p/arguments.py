"""Wrong types of arguments are said at once, and by name: for the functions of ``import seqp2p``."""

import functools
import inspect
import types
import typing
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def check_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Return the function, which now raises a TypeError with the name of an argument of a wrong type.

    Only the class of an argument is compared with its annotation, not what a collection has in it. A bool is no int.

    >>> @check_arguments
    ... def double(number: int) -> int:
    ...     return 2 * number
    >>> double("2")
    Traceback (most recent call last):
    TypeError: double: number must be int, not str
    """

    @functools.cache
    def expected() -> dict[str, tuple[type, ...]]:
        parameters = inspect.signature(function).parameters
        found = {name: each.annotation for name, each in parameters.items()}
        for name, each in parameters.items():
            if each.kind is inspect.Parameter.VAR_KEYWORD:
                (rest,) = typing.get_args(found.pop(name))  # Unpack of a TypedDict.
                found |= rest.__annotations__
        return {name: _classes(annotation) for name, annotation in found.items()}

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        by_name = expected()
        for name, value in (*zip(by_name, args, strict=False), *kwargs.items()):
            if name not in by_name:
                raise TypeError(f"{function.__name__}() got an unexpected keyword argument {name!r}")
            _check(function.__qualname__.removesuffix(".__init__"), name, value, by_name[name])
        return function(*args, **kwargs)

    return checked


class Checked:
    """The base of a dataclass or a Struct: a field of a wrong type raises a TypeError with its name."""

    __slots__ = ()

    def __post_init__(self) -> None:
        kind = type(self)
        for name, annotation in typing.get_type_hints(kind).items():
            _check(kind.__name__, name, getattr(self, name), _classes(annotation))


def arguments_of(model: Callable[P, object]) -> Callable[[Callable[..., R]], Callable[P, R]]:
    """Tell readers, type checkers and ``check_arguments`` that a function takes, and passes on, those of the model."""

    def with_them(function: Callable[..., R]) -> Callable[P, R]:
        function.__signature__ = inspect.signature(model)  # type: ignore[attr-defined]  # inspect looks for it
        return function

    return with_them


def _check(called: str, name: str, value: object, classes: tuple[type, ...]) -> None:
    if classes and not (isinstance(value, classes) and (type(value) is not bool or bool in classes)):
        wanted = " or ".join("None" if each is types.NoneType else each.__name__ for each in classes)
        raise TypeError(f"{called}: {name} must be {wanted}, not {type(value).__name__}")


def _classes(annotation: Any) -> tuple[type, ...]:
    """Return the classes that an annotation allows, the form of its parts left out; none if it cannot be checked."""
    origin = typing.get_origin(annotation)
    if origin in {typing.Union, types.UnionType}:
        parts = [_classes(part) for part in typing.get_args(annotation)]
        return sum(parts, ()) if all(parts) else ()
    found = types.NoneType if annotation is None else origin or annotation
    if not isinstance(found, type) or found is inspect.Parameter.empty or getattr(found, "_is_protocol", False):
        return ()
    return (float, int) if found is float else (found,)
