# Prints the rows of ops.def that a build links.
#
#   python3 select_ops.py ops.def all | NAME... | @model.tflite...
#
# Needs nothing but Python's standard library, since it runs inside firmware builds. Only the
# operator codes of a model are read: enough of the flatbuffer format for that is below.

import re
import struct
import sys

ROW = re.compile(r"^OP\((\w+), *(\d+),")
CUSTOM = 32


def fail(message):
    sys.exit("select_ops: " + message)


class Table:
    """A table of a flatbuffer: its fields by number."""

    def __init__(self, data, position):
        self.data = data
        self.position = position
        self.vtable = position - struct.unpack_from("<i", data, position)[0]

    def _field(self, number):
        size = struct.unpack_from("<H", self.data, self.vtable)[0]
        entry = 4 + 2 * number
        offset = struct.unpack_from("<H", self.data, self.vtable + entry)[0] if entry < size else 0
        return self.position + offset if offset else None

    def integer(self, number, code):
        position = self._field(number)
        return struct.unpack_from(code, self.data, position)[0] if position else 0

    def tables(self, number):
        position = self._field(number)
        if not position:
            return
        start = position + struct.unpack_from("<I", self.data, position)[0]
        for i in range(struct.unpack_from("<I", self.data, start)[0]):
            entry = start + 4 + 4 * i
            yield Table(self.data, entry + struct.unpack_from("<I", self.data, entry)[0])


def model_codes(path):
    """The codes of the builtin operators in a model."""
    try:
        with open(path, "rb") as file:
            data = file.read()
        if data[4:8] != b"TFL3":
            fail(path + ": not a TensorFlow Lite model")
        model = Table(data, struct.unpack_from("<I", data)[0])
        codes = {max(c.integer(0, "<b"), c.integer(3, "<i")) for c in model.tables(1)}
    except OSError as error:
        fail("%s: %s" % (path, error.strerror))
    except struct.error:
        fail(path + ": damaged model")
    return codes - {CUSTOM}


def main(table, wanted):
    rows = {}
    with open(table) as file:
        for line in file:
            match = ROW.match(line)
            if match:
                rows[match.group(1)] = (int(match.group(2)), line)
    selected = set()
    for word in wanted:
        if word == "all":
            selected.update(rows)
        elif word.startswith("@"):
            codes = model_codes(word[1:])
            known = {code: name for name, (code, _) in rows.items()}
            unknown = sorted(codes - set(known))
            if unknown:
                fail("%s: no kernel for builtin operators %s" % (word[1:], unknown))
            selected.update(known[code] for code in codes)
        elif word in rows:
            selected.add(word)
        else:
            fail("no operator %s; there are %s" % (word, " ".join(sorted(rows))))
    for name in sorted(selected):
        sys.stdout.write(rows[name][1])


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
