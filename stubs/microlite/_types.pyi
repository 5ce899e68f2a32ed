"""Types that stand in signatures only: there is no such module on a board."""

from collections.abc import Awaitable, Iterable, Mapping
from typing import Protocol, TypeAlias

from typing_extensions import Buffer

from microlite import Tensor

Values: TypeAlias = float | Iterable[float] | Buffer | Tensor
"""What `Tensor.write()` takes, and `predict()` for each input: a number for a tensor of one
element, an iterable or a buffer of numbers, or another tensor."""

Factors: TypeAlias = float | Iterable[float] | Buffer
"""A number, or one for each element of the last dimension."""

State: TypeAlias = Mapping[str, str] | Mapping[int, int] | Mapping[str, int] | Mapping[int, str]
"""Outputs that become inputs of the next run, by name or index."""

class Readable(Protocol):
    """What `stream.Chunks` reads from, such as machine.I2S."""

    def readinto(self, buffer: memoryview, /) -> int | Awaitable[int | None] | None:
        """Fill a buffer; how many bytes, none at the end."""
