"""From samples to events: chunks of a source, a sliding window of features, scores made steady.

    from microlite.audio import FrontEnd
    from microlite.stream import Chunks, Scores, Stream, Window

    front_end = FrontEnd()
    window = Window(model.inputs[0], len(front_end.row))
    scores = Scores(len(model.outputs[0]))
    for row in Stream(Chunks(i2s, bytearray(640)), front_end.feed):
        if window.append(row) and window.count % 4 == 0:
            window.write()
            model.invoke()
            word = scores.update(model.outputs[0])

Each part stands alone.
"""

from array import array
from collections.abc import (
    AsyncIterable,
    AsyncIterator,
    Callable,
    Collection,
    Iterable,
    Iterator,
    Sequence,
)
from typing import Generic, TypeVar

from typing_extensions import Buffer

import microlite
from microlite._types import Readable

_Chunk = TypeVar("_Chunk")
_Result = TypeVar("_Result")

class Chunks:
    """The chunks that a stream's readinto() gives, such as machine.I2S or a file, until it gives
    none. They are views of the one buffer. Part of an item, such as one byte of an `array("h")`,
    is a ValueError."""

    def __init__(self, stream: Readable, buffer: Buffer) -> None:
        """Nothing is read yet.

        Args:
            stream: with readinto(); for `async for` one that is awaited, as asyncio.StreamReader
                has it.
            buffer: for all chunks.

        Raises:
            TypeError: the stream has no readinto(), or the buffer is read-only.
            ValueError: the buffer has no room.
        """

    def __iter__(self) -> Iterator[memoryview]:
        """For `for`."""

    def __aiter__(self) -> AsyncIterator[memoryview]:
        """For `async for`."""

    async def __anext__(self) -> memoryview:
        """The next chunk."""

class Stream(Generic[_Chunk, _Result]):
    """All that feed(chunk) gives for the chunks of a source, one after the other: with
    `FrontEnd.feed` the rows of features."""

    def __init__(
        self,
        source: Iterable[_Chunk] | AsyncIterable[_Chunk],
        feed: Callable[[_Chunk], Iterable[_Result]],
    ) -> None:
        """Nothing is read yet.

        Args:
            source: of chunks, such as `Chunks`; for `async for` one that has it too.
            feed: takes a chunk, gives what is to be iterated over.

        Raises:
            TypeError: the source cannot be iterated over, or feed not be called.
        """

    def __iter__(self) -> Iterator[_Result]:
        """For `for`."""

    def __aiter__(self) -> AsyncIterator[_Result]:
        """For `async for`."""

    async def __anext__(self) -> _Result:
        """The next result."""

class Window:
    """The last rows of features, as many as a tensor takes, the oldest first.

    `append()` and `write()` allocate nothing."""

    rows: int
    """How many rows the tensor takes."""
    columns: int
    """How many numbers a row has."""
    count: int
    """How many were appended."""
    data: array[float]
    """The numbers, rows one after the other; zeros at first."""

    def __init__(self, tensor: microlite.Tensor, columns: int, typecode: str = "f") -> None:
        """A window for an input.

        Args:
            tensor: is written by `write()`.
            columns: numbers in a row.
            typecode: of rows: "f" for real values; the tensor's own, or "B" for bytes, for its own
                representation.

        Raises:
            ValueError: columns do not divide the size of the tensor, or a typecode that does not
                fit it.
            TypeError: columns is no int, or tensor no tensor.
        """

    def append(self, row: Buffer) -> bool:
        """Drop the oldest row and take another in.

        Returns:
            True once all rows are such.

        Raises:
            TypeError: the row's typecode is another.
            ValueError: it has not `columns` numbers.
        """

    def write(self) -> None:
        """Write the rows to the tensor."""

    def reset(self) -> None:
        """Begin anew: `append()` is true again when all rows are new ones."""

class Scores:
    """What to make of the scores of one run after the other, as micro_speech of TensorFlow Lite
    Micro does.

    Scores are averaged over some time. A category is found when its average is the highest and
    above a threshold; the same one is found again only after a pause, or when another was found
    in between. Nothing is found before there are scores for a quarter of the time."""

    averages: array[float]
    """Of the last decision."""
    window_ms: int
    """Time over which scores are averaged."""
    threshold: float
    """That an average must exceed."""
    minimum_count: int
    """Of scores, for a decision."""
    suppression_ms: int
    """More time than this is between finding a category and finding it again."""
    ignore: Collection[int]
    """Categories that are never returned."""

    def __init__(
        self,
        categories: int,
        *,
        window_ms: int = 1000,
        threshold: float = 0.78,
        minimum_count: int = 3,
        suppression_ms: int = 1500,
        ignore: Collection[int] = (0,),
        capacity: int = 50,
    ) -> None:
        """No scores yet.

        Args:
            categories: how many scores a run has.
            window_ms, threshold, minimum_count, suppression_ms: as the attributes.
            ignore: such as silence and unknown words. They are found like others, so that a word
                after silence is found at once, but never returned.
            capacity: the most scores that are kept, 8191 or less.

        Raises:
            ValueError: a number that makes no sense, with the range that it must be in.
            TypeError: no number, or no int where one is needed.
        """

    def update(
        self, scores: Sequence[float] | microlite.Tensor, now: int | None = None
    ) -> int | None:
        """Take the scores of a run in.

        Args:
            scores: one for each category.
            now: milliseconds as of time.ticks_ms(), which is the default; recordings have a time
                of their own. Only the lowest 30 bits count.

        Returns:
            The category that is found now, or None.

        Raises:
            ValueError: another number of scores than categories, or one that is NaN or infinite.
            TypeError: scores are no numbers, now is no int.
        """

    def reset(self) -> None:
        """Forget all scores and what was found."""
