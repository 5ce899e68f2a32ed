# The names of a model's classes: given, from a text file beside the model, or from one that is
# packed into the model, as TensorFlow Lite's metadata does: a ZIP archive behind its bytes.

import struct as _struct

from . import _beside

_END = b"PK\5\6"  # the record at the end of an archive, of 22 bytes and a comment
_DEFLATED = 8
_MOST = 65536  # bytes that a list of labels may unpack to
_DAMAGED = (ValueError, IndexError, getattr(_struct, "error", ValueError))  # CPython has its own


def _lines(text):
    labels = [line.strip() for line in text.split("\n")]
    while labels and not labels[-1]:
        labels.pop()
    return tuple(labels)


def _inflate(data):
    try:
        import deflate
    except ImportError:  # CPython
        import zlib

        try:
            return zlib.decompressobj(-15).decompress(data, _MOST)
        except zlib.error:
            raise ValueError
    import io

    try:
        return deflate.DeflateIO(io.BytesIO(data), deflate.RAW).read(_MOST)
    except (OSError, EOFError):
        raise ValueError


# The file's bytes where the archive says that it is.
def _unpack(read, start, method, size):
    name_length, extra_length = _struct.unpack("<HH", read(start + 26, 4))
    data = read(start + 30 + name_length + extra_length, size)
    return _inflate(data) if method == _DEFLATED else data


# The first text file in an archive, "labels" in its name preferred, or None. read_at(position, n)
# gives bytes of something that has `size`.
def _packed(read_at, size):
    def read(position, n):
        if not 0 <= position <= size - n:
            raise ValueError
        return read_at(position, n)

    tail = bytes(read(max(size - 1024, 0), min(size, 1024)))
    at = tail.rfind(_END)
    if at < 0 or len(tail) - at < 22:
        return None
    n, length, offset = _struct.unpack("<HII", tail[at + 10 : at + 20])
    directory = read(size - len(tail) + at - length, length)
    start = size - len(tail) + at - length - offset  # of the archive
    found = None
    at = 0
    for _ in range(n):
        method, packed = _struct.unpack_from("<H8xI", directory, at + 10)
        lengths = _struct.unpack_from("<HHH", directory, at + 28)
        (local,) = _struct.unpack_from("<I", directory, at + 42)
        name = bytes(directory[at + 46 : at + 46 + lengths[0]]).decode()
        if name.endswith(".txt") and (found is None or "label" in name):
            found = start + local, method, packed
            if "label" in name:
                break
        at += 46 + sum(lengths)
    return found and _lines(bytes(_unpack(read, *found)).decode())


def _from_file(path):
    with open(path, "rb") as f:

        def read(position, n):
            f.seek(position)
            return f.read(n)

        return _packed(read, f.seek(0, 2))


def _from_buffer(buffer):
    view = memoryview(buffer)
    return _packed(lambda position, n: view[position : position + n], len(view))


def _text(path):
    with open(path) as f:
        return _lines(f.read())


# given: labels, the path of a text file, or None; model: the bytes, where there is no file.
def find(given, file, model):
    if given is not None:
        return _text(given) if isinstance(given, str) else tuple(given)
    if file is not None:
        try:
            return _text(_beside(file, ".txt"))
        except OSError:
            pass
    try:
        return (_from_file(file) if file else _from_buffer(model)) or ()
    except _DAMAGED:  # no archive after all
        return ()


# The best scores, highest first, with their labels, or indices where there are none.
def best(scores, labels, top):
    n = len(scores)
    if labels and len(labels) != n:
        raise ValueError("%d labels, but the output has %d values" % (len(labels), n))
    for i in range(n):
        if scores[i] != scores[i]:
            raise ValueError("output value %d is NaN" % i)
    order = sorted(range(n), key=lambda i: (-scores[i], i))
    return [(labels[i] if labels else i, scores[i]) for i in order[:top]]
