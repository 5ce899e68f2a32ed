# Numbers of Python objects: what is given one by one, or as a single number.

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from .values import Values

if TYPE_CHECKING:
    from .tensor import Tensor

_LOW, _HIGH = -(2**63), 2**63 - 1


def check_length(tensor: Tensor, what: str, needed: int, given: int | None) -> None:
    """given is None when there are more."""
    if needed != given:
        found = "more" if given is None else str(given)
        values = "value" if needed == 1 else "values"
        tensor.fail(ValueError, f"{what}{needed} {values} needed, {found} given")


def is_number(value: object) -> bool:
    return isinstance(value, (int, float))


def fail_no_numbers(tensor: Tensor, what: str, value: object) -> NoReturn:
    tensor.fail(TypeError, f"{what}numbers needed, not {type(value).__name__}")


def real(tensor: Tensor, what: str, index: int, number: object) -> np.float32:
    """A number as float32, ints by way of int64 where that does."""
    if isinstance(number, int) and _LOW <= number <= _HIGH:
        return np.int64(number).astype(np.float32)
    if not isinstance(number, (int, float)):
        hint = ": give the numbers flat" if isinstance(number, (list, tuple)) else ""
        kind = type(number).__name__
        tensor.fail(TypeError, f"{what}value {index} is {kind}, not a number{hint}")
    try:
        wide = float(number)
    except OverflowError:
        wide = float("inf") if number > 0 else float("-inf")
    with np.errstate(over="ignore"):
        return np.float32(wide)


def _int64(number: int) -> int:
    return min(max(number, _LOW), _HIGH)


def _iterate(tensor: Tensor, what: str, values: Any) -> Iterator[Any]:
    if isinstance(values, (str, set, dict)):
        fail_no_numbers(tensor, what, values)
    try:
        return iter(values)
    except (TypeError, AttributeError):
        fail_no_numbers(tensor, what, values)


def collect(tensor: Tensor, what: str, n: int, exact: bool, values: Any) -> tuple[Values, int]:
    """The n numbers of an iterable: floats, or int64 when exact is set and all are ints. And how
    many of these were beyond int64."""
    iterator = _iterate(tensor, what, values)
    if isinstance(values, (list, tuple)):
        if values and len(values) != n:
            real(tensor, what, 0, values[0])
        check_length(tensor, what, n, len(values))
    numbers: list[Any] = []
    for i, number in enumerate(iterator):
        if i == n:
            check_length(tensor, what, n, None)
        exact = exact and isinstance(number, int)
        real(tensor, what, i, number)
        numbers.append(number)
    check_length(tensor, what, n, len(numbers))
    if exact:
        row = [_int64(number) for number in numbers]
        beyond = sum(a != b for a, b in zip(row, numbers, strict=True))
        return Values(np.array(row, np.int64), "q"), beyond
    reals = [real(tensor, what, i, number) for i, number in enumerate(numbers)]
    return Values(np.array(reals, np.float32), "f"), 0


def single(tensor: Tensor, exact: bool, number: Any) -> tuple[Values, int]:
    """The same for a single number."""
    if exact and isinstance(number, int):
        whole = _int64(number)
        return Values(np.array([whole], np.int64), "q"), int(whole != number)
    return Values(np.array([real(tensor, "", 0, number)], np.float32), "f"), 0
