"""Wrong types of arguments are said at once, and by name: for the functions of ``import seqp2p``."""

import functools
import inspect
import types
import typing
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
_HINTS = {("Action", "str"): "; parse_action makes one of a text, and Game.play takes the text"}


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

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        check(function, *args, **kwargs)
        return function(*args, **kwargs)

    return checked


def check(function: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> None:
    """Raise a TypeError with the name of an argument of a wrong type: for a function called too often to decorate."""
    _check_types(function, tuple(map(type, args)), tuple(kwargs), tuple(map(type, kwargs.values())))


@functools.lru_cache(maxsize=1000)
def _check_types(
    function: Callable[..., object], args: tuple[type, ...], names: tuple[str, ...], kwargs: tuple[type, ...]
) -> None:
    by_name, called = _expected(function), function.__qualname__.removesuffix(".__init__")
    where = "" if called.startswith("_") else f"{called}: "
    try:
        inspect.signature(function).bind(*args, **dict(zip(names, kwargs, strict=True)))
    except TypeError as error:
        raise TypeError(f"{where}{error}") from None
    for name, given in (*zip(by_name, args, strict=False), *zip(names, kwargs, strict=True)):
        if name not in by_name:
            raise TypeError(f"{function.__name__}() got an unexpected keyword argument {name!r}")
        classes = by_name[name]
        if classes and not (issubclass(given, classes) and (given is not bool or bool in classes)):
            wanted = " or ".join("None" if each is types.NoneType else each.__name__ for each in classes)
            hint = _HINTS.get((wanted, given.__name__), "")
            raise TypeError(f"{where}{name} must be {wanted}, not {given.__name__}{hint}")


def _expected(function: Callable[..., object]) -> dict[str, tuple[type, ...]]:
    parameters = inspect.signature(function).parameters
    found = {name: each.annotation for name, each in parameters.items()}
    for name, each in parameters.items():
        if each.kind is inspect.Parameter.VAR_KEYWORD:
            (rest,) = typing.get_args(found.pop(name))  # Unpack of a TypedDict.
            found |= rest.__annotations__
    return {name: _classes(annotation) for name, annotation in found.items()}


def arguments_of(model: Callable[P, object]) -> Callable[[Callable[..., R]], Callable[P, R]]:
    """Tell readers, type checkers and ``check_arguments`` that a function takes, and passes on, those of the model."""

    def with_them(function: Callable[..., R]) -> Callable[P, R]:
        returned = inspect.signature(function).return_annotation
        given = inspect.signature(model).replace(return_annotation=returned)
        function.__signature__ = given  # type: ignore[attr-defined]  # inspect looks for it
        return function

    return with_them


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
