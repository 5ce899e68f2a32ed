# verify(): golden outputs, made on a computer by tools/microlite_tools/golden.py, which describes
# the file, checked here. Cases are read one tensor at a time. Imported when first used.

import struct as _struct
from array import array as _array
from binascii import crc32 as _crc32

from . import Model as _Model
from . import _check, _open_file, _wrong_type

_HEADER = "<4s4B2I"
_INFINITE = float("inf")
_SEQUENCE = 1
_SHOWN = 10


# Reads a file, or a buffer, from start to end.
class _Source:
    def __init__(self, cases):
        self.file = None
        self.at = 0
        if isinstance(cases, str):
            self.file, _ = _open_file(cases)
            try:
                cases = memoryview(self.file)
            except TypeError:
                cases = None
        elif not isinstance(cases, (bytes, bytearray, memoryview, _array)):
            _wrong_type("cases", "path or buffer", cases)
        self.view = None if cases is None else memoryview(cases)

    def close(self):
        if self.file:
            self.file.close()

    # The next bytes: a view of the buffer, or of block, which is overwritten then.
    def read(self, n, block=None):
        if self.view is not None:
            data = self.view[self.at : self.at + n]
            got = len(data)
        else:
            data = memoryview(block if block is not None else bytearray(n))[:n]
            got = self.file.readinto(data)
        if got != n:
            raise ValueError(
                "cases: truncated: %d bytes needed at byte %d, %d there" % (n, self.at, got)
            )
        self.at += n
        return data

    def expect_end(self):
        more = self.file.read(1) if self.view is None else self.view[self.at :]
        if len(more):
            raise ValueError("cases: more bytes than the %d of the cases" % self.at)

    def expect_crc(self, crc, what):
        (expected,) = _struct.unpack("<I", self.read(4))
        if crc != expected:
            raise ValueError("cases: %s damaged: CRC-32 %08x, not %08x" % (what, crc, expected))


class Verification:
    def __init__(self, model, source, rtol, atol):
        self.cases = 0
        self.differences = []
        self.rtol = rtol
        self.atol = atol
        self.rows = [[t.name or str(t.index), t.dtype, 0, 0, 0] for t in model.outputs]
        self._run(model, source)

    def _run(self, model, source):
        n_cases, flags = self._read_header(model, source)
        block = None
        if source.view is None:
            block = bytearray(max([t.nbytes for t in model.inputs + model.outputs]))
        try:
            model.reset()
            for case in range(n_cases):
                if not flags & _SEQUENCE:
                    model.reset()
                crc = 0
                for tensor in model.inputs:
                    data = source.read(tensor.nbytes, block)
                    crc = _crc32(data, crc)
                    tensor.write_raw(data)
                model.invoke()
                for tensor in model.outputs:
                    data = source.read(tensor.nbytes, block)
                    crc = _crc32(data, crc)
                    self._compare(case, tensor, data)
                source.expect_crc(crc, "case %d is" % case)
                self.cases += 1
            source.expect_end()
        finally:
            model.reset()

    def _read_header(self, model, source):
        head = source.read(_struct.calcsize(_HEADER))
        magic, version, flags, n_inputs, n_outputs, model_crc, n_cases = _struct.unpack(
            _HEADER, head
        )
        if magic != b"MLGO":
            raise ValueError("cases: not a file of golden outputs: it starts with %s" % magic)
        if version != 1 or flags & ~_SEQUENCE:
            raise ValueError(
                "cases: version %d, flags %d; this microlite reads version 1" % (version, flags)
            )
        sizes = source.read(4 * (n_inputs + n_outputs))
        source.expect_crc(_crc32(sizes, _crc32(head)), "the head is")
        crc = _crc32(model._bytes)
        if crc != model_crc:
            raise ValueError(
                "cases: made for another model, CRC-32 %08x; this one has %08x" % (model_crc, crc)
            )
        expected = [t.nbytes for t in model.inputs], [t.nbytes for t in model.outputs]
        sizes = list(_struct.unpack("<%dI" % (len(sizes) // 4), sizes))
        if (sizes[:n_inputs], sizes[n_inputs:]) != expected:
            raise ValueError("cases: sizes %s, the tensors have %s" % (sizes, expected))
        return n_cases, flags

    def _compare(self, case, tensor, data):
        row = self.rows[tensor.index]
        row[2] += tensor.size
        got = tensor.data
        if bytes(got) == data:
            return
        code = tensor.typecode
        step = len(data) // len(got)
        for i, value in enumerate(got):
            (expected,) = _struct.unpack_from("<" + code, data, i * step)
            if value == expected:
                continue
            if value != value and expected != expected:  # both are NaN
                continue
            difference = abs(value - expected)
            if row[4] == row[4] and not difference <= row[4]:
                row[4] = difference
            allowed = self.atol + self.rtol * abs(expected)
            if code == "f" and difference <= allowed < _INFINITE:
                continue
            row[3] += 1
            if len(self.differences) < _SHOWN:
                self.differences.append((case, row[0], i, expected, value))

    @property
    def largest(self):
        return max([row[4] for row in self.rows])

    def __bool__(self):
        return self.cases > 0 and not any([row[3] for row in self.rows])

    def __str__(self):
        n = sum(row[3] for row in self.rows)
        found = "all equal"
        if n:
            found = "1 value differs" if n == 1 else "%d values differ" % n
        lines = ["%d case%s: %s" % (self.cases, "" if self.cases == 1 else "s", found)]
        width = max([len(row[0]) for row in self.rows] + [6])
        lines.append("%-*s dtype    values  differ  largest difference" % (width, "output"))
        lines += ["%-*s %-8s %6d %7d  %g" % tuple([width] + row) for row in self.rows]
        if n:
            lines.append("case  index  expected       got  output")
            for case, name, index, expected, got in self.differences:
                lines.append("%4d %6d %9g %9g  %s" % (case, index, expected, got, name))
        return "\n".join(lines)


def verify(model, cases, rtol, atol):
    _check("rtol", rtol, 0, kind=(int, float))
    _check("atol", atol, 0, kind=(int, float))
    source = _Source(cases)
    try:
        if isinstance(model, _Model):
            return Verification(model, source, rtol, atol)
        with _Model(model) as loaded:
            return Verification(loaded, source, rtol, atol)
    finally:
        source.close()
