# Streams of samples into events: chunks of a source, a sliding window of features, and scores made
# steady. Each part stands alone; none allocates for a row once it is made.

from array import array as _array
from time import ticks_ms as _ticks_ms

from _microlite import slide as _slide

from . import _check, _made, _wrong_type

_TICKS = (1 << 30) - 1  # times go round after so many, as those of 32-bit ports do
_LONGEST = _TICKS >> 1
_MOST = 8191  # of anything that is counted
_LARGE = 3.4e38  # for float32


def _check_score(name, value):
    _check(name, value, -_LARGE, _LARGE, (int, float))


def _zeros(typecode, n):
    return _array(typecode, bytes(len(bytes(_array(typecode, (0,)))) * n))


# Milliseconds. ticks_diff() takes anything for a time.
def _since(now, then):
    return (now - then) & _TICKS


# A view of a buffer that is not read-only.
def _writable(buffer):
    view = memoryview(buffer)
    view[:0] = view[:0]
    return view


# Chunks of a stream with readinto(), such as machine.I2S or a file, always in the same buffer. In
# `async for` the stream is asyncio's StreamReader. Ends with the stream.
class Chunks:
    def __init__(self, stream, buffer):
        if not hasattr(stream, "readinto"):
            _wrong_type("stream", "object with readinto()", stream)
        self._stream = stream
        self._buffer = _made(_writable, "buffer", "writable buffer", buffer)
        self._item = len(bytes(self._buffer[:1]))
        if not self._item:
            raise ValueError("buffer: has no room")

    # readinto() tells bytes.
    def _chunk(self, n):
        n, rest = divmod(n, self._item)
        if rest:
            raise ValueError("readinto: part of an item of %d bytes came" % self._item)
        return self._buffer if n == len(self._buffer) else self._buffer[:n]

    def __iter__(self):
        while n := self._stream.readinto(self._buffer):
            yield self._chunk(n)

    def __aiter__(self):
        return self

    async def __anext__(self):
        if n := await self._stream.readinto(self._buffer):
            return self._chunk(n)
        raise StopAsyncIteration


# All that feed(chunk) gives for the chunks of a source, one after the other: rows of a front end
# with its feed(). `async for` wants a source of that kind.
class Stream:
    def __init__(self, source, feed):
        if not hasattr(source, "__aiter__"):
            _made(iter, "source", "iterable", source)
        if not callable(feed):
            _wrong_type("feed", "callable", feed)
        self._source = source
        self._feed = feed
        self._results = None

    def __iter__(self):
        for chunk in self._source:
            yield from self._feed(chunk)

    def __aiter__(self):
        self._source_iter = self._source.__aiter__()
        self._results = iter(())
        return self

    async def __anext__(self):
        while True:
            for result in self._results:
                return result
            self._results = iter(self._feed(await self._source_iter.__anext__()))


# The last rows of features, as many as a tensor takes; the oldest comes first.
class Window:
    def __init__(self, tensor, columns, typecode="f"):
        if not hasattr(tensor, "write_raw"):
            _wrong_type("tensor", "tensor", tensor)
        n = len(tensor)
        _check("columns", columns, 1, n)
        if n % columns:
            raise ValueError("columns: %d do not divide the tensor's %d values" % (columns, n))
        fitting = "f", tensor.typecode, "B" if tensor.nbytes == n else "f"
        if typecode not in fitting:
            raise ValueError(
                "typecode: %r does not fit the tensor's %r" % (typecode, tensor.typecode)
            )
        self.rows = n // columns
        self.columns = columns
        self.count = 0
        self.data = _zeros(typecode, n)
        self._write = tensor.write if typecode == "f" else tensor.write_raw

    # Takes a row in. True when the window is full of rows.
    def append(self, row):
        _slide(self.data, row, self.columns)
        self.count += 1
        return self.count >= self.rows

    # Into the tensor: real values of floats, other rows as they are.
    def write(self):
        self._write(self.data)

    def reset(self):
        self.count = 0


# What TFLM's micro_speech does to recognise commands: scores are averaged over some time, and a
# category is found when its average is above a threshold, and found again only after a pause.
class Scores:
    def __init__(
        self,
        categories,
        *,
        window_ms=1000,
        threshold=0.78,
        minimum_count=3,
        suppression_ms=1500,
        ignore=(0,),
        capacity=50,
    ):
        _check("categories", categories, 1, _MOST)
        _check("capacity", capacity, 1, _MOST)
        _check("minimum_count", minimum_count, 1, capacity)
        _check("window_ms", window_ms, 1, _LONGEST)
        _check("suppression_ms", suppression_ms, 0, _LONGEST)
        ignore = _made(tuple, "ignore", "categories", ignore)
        for category in ignore:
            _check("ignore", category, 0, categories - 1)
        _check_score("threshold", threshold)
        self.window_ms = window_ms
        self.threshold = threshold
        self.minimum_count = minimum_count
        self.suppression_ms = suppression_ms
        self.ignore = ignore
        self.averages = _zeros("f", categories)
        self._scores = _zeros("f", categories * capacity)
        self._times = _zeros("i", capacity)
        self.reset()

    def reset(self):
        self._first = self._n = 0
        self._found = self._found_at = None  # the latter until the pause has passed

    # Takes the scores of a run in. Returns the category that was found newly, or None.
    def update(self, scores, now=None):
        if now is None:
            now = _ticks_ms()
        elif not isinstance(now, int):
            _wrong_type("now", "int", now)
        now &= _TICKS
        n = _made(len, "scores", "numbers", scores)
        if n != len(self.averages):
            raise ValueError("scores: %d needed, %d given" % (len(self.averages), n))
        if self._found_at is not None and _since(now, self._found_at) > self.suppression_ms:
            self._found_at = None
        self._push(scores, now)
        oldest = _since(now, self._times[self._first])
        if self._n < self.minimum_count or oldest < self.window_ms // 4:
            return None
        self._average()
        return self._decide(now)

    # Drops what is older than the window; the oldest when there is no room.
    def _push(self, scores, now):
        capacity = len(self._times)
        while self._n and (
            self._n == capacity or _since(now, self._times[self._first]) > self.window_ms
        ):
            self._first = (self._first + 1) % capacity
            self._n -= 1
        at = (self._first + self._n) % capacity
        for i in range(len(scores)):
            score = scores[i]
            _check_score("scores", score)
            self._scores[at * len(scores) + i] = score
        self._times[at] = now
        self._n += 1

    def _average(self):
        categories = len(self.averages)
        for i in range(categories):
            total = 0
            for k in range(self._first, self._first + self._n):
                total += self._scores[k % len(self._times) * categories + i]
            self.averages[i] = total / self._n

    def _decide(self, now):
        top = 0
        for i in range(1, len(self.averages)):
            if self.averages[i] > self.averages[top]:
                top = i
        if not self.averages[top] > self.threshold:
            return None
        if top == self._found and (top in self.ignore or self._found_at is not None):
            return None
        self._found = top
        self._found_at = now
        return None if top in self.ignore else top
