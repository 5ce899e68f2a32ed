# The names of a model's classes: given, from a text file beside the model, or from one that is
# packed into the model, as TensorFlow Lite's metadata does: a ZIP archive behind its bytes.

import struct as _struct

from . import _beside, _check, _made, _open_file, _wrong_type

_BOM = b"\xef\xbb\xbf"
_END = b"PK\5\6"  # the record at the end of an archive, of 22 bytes and a comment
_STORED = 0
_DEFLATED = 8
_ENCRYPTED = 1
_MOST = 65536  # bytes of a list of labels, and of an archive's directory
_DAMAGED = (ValueError, IndexError, getattr(_struct, "error", ValueError))  # CPython has its own


def _lines(data):
    if data[:3] == _BOM:
        data = data[3:]
    labels = [line.strip() for line in data.decode().split("\n")]
    while labels and not labels[-1]:
        labels.pop()
    return tuple(labels)


# At most so many bytes of what comes out.
def _inflate(data, size):
    try:
        import deflate
    except ImportError:  # CPython
        import zlib

        try:
            return zlib.decompressobj(-15).decompress(data, size)
        except zlib.error:
            raise ValueError
    import io

    bits = 8  # of a window that is as large as what comes out
    while bits < 15 and 1 << bits < size:
        bits += 1
    try:
        return deflate.DeflateIO(io.BytesIO(data), deflate.RAW, bits).read(size)
    except (OSError, EOFError):
        raise ValueError


# The file's bytes where the archive says that it is.
def _unpack(read, start, flags, method, packed, size):
    if flags & _ENCRYPTED or method not in (_STORED, _DEFLATED) or size > _MOST:
        raise ValueError
    name_length, extra_length = _struct.unpack("<HH", read(start + 26, 4))
    data = read(start + 30 + name_length + extra_length, packed)
    if method == _DEFLATED:
        data = _inflate(data, size + 1)
    if len(data) != size:
        raise ValueError
    return bytes(data)


# The first text file in an archive, "labels" in its name preferred, or None. read_at(position, n)
# gives bytes of something that has `size`.
def _packed(read_at, size):
    def read(position, n):
        if not 0 <= position <= size - n or n > _MOST:
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
        entry = _struct.unpack_from("<HH8xII", directory, at + 8)
        lengths = _struct.unpack_from("<HHH", directory, at + 28)
        (local,) = _struct.unpack_from("<I", directory, at + 42)
        name = bytes(directory[at + 46 : at + 46 + lengths[0]])
        if name.endswith(b".txt") and (found is None or b"label" in name):
            found = (start + local,) + entry
            if b"label" in name:
                break
        at += 46 + sum(lengths)
    return found and _lines(_unpack(read, *found))


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
    f, size = _open_file(path)
    with f:
        if size > _MOST:
            raise ValueError("%s: %d bytes of labels, %d at most" % (path, size, _MOST))
        data = f.read()
    try:
        return _lines(data)
    except ValueError:
        raise ValueError("%s: labels must be UTF-8" % path)


def _given(labels):
    if isinstance(labels, str):
        return _text(labels)
    labels = _made(tuple, "labels", "path or names", labels)
    for i, label in enumerate(labels):
        if not isinstance(label, str):
            _wrong_type("labels: name %d" % i, "str", label)
    return labels


# given: labels, the path of a text file, or None; model: the bytes, where there is no file.
def find(given, file, model):
    if given is not None:
        return _given(given)
    if file is not None:
        try:
            return _text(_beside(file, ".txt"))
        except OSError:  # no file of that name
            pass
    try:
        return (_from_file(file) if file else _from_buffer(model)) or ()
    except _DAMAGED:  # no archive after all
        return ()


# The best scores, highest first, with their labels, or indices where there are none.
def best(scores, labels, top):
    n = len(scores)
    _check("top", top, 1)
    if labels and len(labels) != n:
        raise ValueError("%d labels, but the output has %d values" % (len(labels), n))
    for i in range(n):
        if scores[i] != scores[i]:
            raise ValueError("output value %d is NaN" % i)
    order = sorted(range(n), key=lambda i: (-scores[i], i))
    return [(labels[i] if labels else i, scores[i]) for i in order[: min(top, n)]]
