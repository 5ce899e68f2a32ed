# Prints the rows of operators that a build links.
#
#   python3 select_ops.py ops.def [more.def] [-TYPE...] all | NAME... | @model.tflite...
#
# -TYPE leaves out what computes with float32 or uint8. -auto prints instead those of the two that
# no tensor of the models has.
#
# Needs nothing but Python's standard library, since it runs inside firmware builds. Only the
# operator codes and types of a model are read: enough of the flatbuffer format for that is below.

import re
import struct
import sys

ROW = re.compile(r"^OP\((\w+), *(\d+),")
TYPES = re.compile(r'"([^"]*)"')
CUSTOM = 32

# The types that a build may leave out: their letters in rows, and their codes in models.
OPTIONAL_TYPES = {"float32": ("f", 0), "uint8": ("B", 3)}

# The operators of the schema, by their codes.
NAMES = """
    ADD AVERAGE_POOL_2D CONCATENATION CONV_2D DEPTHWISE_CONV_2D DEPTH_TO_SPACE DEQUANTIZE
    EMBEDDING_LOOKUP FLOOR FULLY_CONNECTED HASHTABLE_LOOKUP L2_NORMALIZATION L2_POOL_2D
    LOCAL_RESPONSE_NORMALIZATION LOGISTIC LSH_PROJECTION LSTM MAX_POOL_2D MUL RELU RELU_N1_TO_1
    RELU6 RESHAPE RESIZE_BILINEAR RNN SOFTMAX SPACE_TO_DEPTH SVDF TANH CONCAT_EMBEDDINGS
    SKIP_GRAM CALL CUSTOM EMBEDDING_LOOKUP_SPARSE PAD UNIDIRECTIONAL_SEQUENCE_RNN GATHER
    BATCH_TO_SPACE_ND SPACE_TO_BATCH_ND TRANSPOSE MEAN SUB DIV SQUEEZE
    UNIDIRECTIONAL_SEQUENCE_LSTM STRIDED_SLICE BIDIRECTIONAL_SEQUENCE_RNN EXP TOPK_V2 SPLIT
    LOG_SOFTMAX DELEGATE BIDIRECTIONAL_SEQUENCE_LSTM CAST PRELU MAXIMUM ARG_MAX MINIMUM LESS NEG
    PADV2 GREATER GREATER_EQUAL LESS_EQUAL SELECT SLICE SIN TRANSPOSE_CONV SPARSE_TO_DENSE TILE
    EXPAND_DIMS EQUAL NOT_EQUAL LOG SUM SQRT RSQRT SHAPE POW ARG_MIN FAKE_QUANT REDUCE_PROD
    REDUCE_MAX PACK LOGICAL_OR ONE_HOT LOGICAL_AND LOGICAL_NOT UNPACK REDUCE_MIN FLOOR_DIV
    REDUCE_ANY SQUARE ZEROS_LIKE FILL FLOOR_MOD RANGE RESIZE_NEAREST_NEIGHBOR LEAKY_RELU
    SQUARED_DIFFERENCE MIRROR_PAD ABS SPLIT_V UNIQUE CEIL REVERSE_V2 ADD_N GATHER_ND COS WHERE
    RANK ELU REVERSE_SEQUENCE MATRIX_DIAG QUANTIZE MATRIX_SET_DIAG ROUND HARD_SWISH IF WHILE
    NON_MAX_SUPPRESSION_V4 NON_MAX_SUPPRESSION_V5 SCATTER_ND SELECT_V2 DENSIFY SEGMENT_SUM
    BATCH_MATMUL PLACEHOLDER_FOR_GREATER_OP_CODES CUMSUM CALL_ONCE BROADCAST_TO RFFT2D CONV_3D
    IMAG REAL COMPLEX_ABS HASHTABLE HASHTABLE_FIND HASHTABLE_IMPORT HASHTABLE_SIZE REDUCE_ALL
    CONV_3D_TRANSPOSE VAR_HANDLE READ_VARIABLE ASSIGN_VARIABLE BROADCAST_ARGS
    RANDOM_STANDARD_NORMAL BUCKETIZE RANDOM_UNIFORM MULTINOMIAL GELU DYNAMIC_UPDATE_SLICE
    RELU_0_TO_1 UNSORTED_SEGMENT_PROD UNSORTED_SEGMENT_MAX UNSORTED_SEGMENT_SUM ATAN2
    UNSORTED_SEGMENT_MIN SIGN BITCAST BITWISE_XOR RIGHT_SHIFT
""".split()  # noqa: SIM905


class Problems(Exception):
    """Lines that say what is wrong."""


def name_of(code):
    return NAMES[code] if 0 <= code < len(NAMES) else "BUILTIN_%d" % code


class Table:
    """A table of a flatbuffer: its fields by number. ValueError where it leaves the file."""

    def __init__(self, data, position):
        self.data = data
        self.position = position
        self.vtable = position - self._read("<i", position)

    def _read(self, code, position):
        if not 0 <= position <= len(self.data) - struct.calcsize(code):
            raise ValueError
        return struct.unpack_from(code, self.data, position)[0]

    def _field(self, number):
        entry = 4 + 2 * number
        if entry >= self._read("<H", self.vtable):
            return 0
        offset = self._read("<H", self.vtable + entry)
        return offset and self.position + offset

    # Where a vector or a string begins and how many items it has; they are in the file.
    def _vector(self, number, item_size):
        field = self._field(number)
        if not field:
            return 0, 0
        start = field + self._read("<I", field)
        length = self._read("<I", start)
        if start + 4 + item_size * length > len(self.data):
            raise ValueError
        return start + 4, length

    def integer(self, number, code):
        field = self._field(number)
        return self._read(code, field) if field else 0

    def string(self, number):
        start, length = self._vector(number, 1)
        text = self.data[start : start + length].decode("ascii", "replace")
        return "".join(c if " " <= c <= "~" else "?" for c in text)

    def tables(self, number):
        start, length = self._vector(number, 4)
        entries = range(start, start + 4 * length, 4)
        return [Table(self.data, entry + self._read("<I", entry)) for entry in entries]


def read_model(path):
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise Problems("%s: %s" % (path, error.strerror)) from None
    if data[4:8] != b"TFL3":
        raise Problems("%s: not a TensorFlow Lite model" % path)
    try:
        return Table(data, struct.unpack_from("<I", data)[0])
    except (ValueError, struct.error):
        raise Problems("%s: damaged model" % path) from None


def model_ops(path):
    """The names of the builtin operators in a model, and those of the custom ones."""
    model = read_model(path)
    builtin = set()
    custom = set()
    try:
        for entry in model.tables(1):
            code = max(entry.integer(0, "<b"), entry.integer(3, "<i"))  # newer models: the second
            if code == CUSTOM:
                custom.add(entry.string(1) or "without a name")
            else:
                builtin.add(name_of(code))
    except ValueError:
        raise Problems("%s: damaged model" % path) from None
    if not builtin and not custom:
        raise Problems("%s: a model without operators" % path)
    return builtin, custom


def model_types(path):
    """The codes of the types of a model's tensors."""
    try:
        return {
            tensor.integer(1, "<b")
            for graph in read_model(path).tables(2)
            for tensor in graph.tables(0)
        }
    except ValueError:
        raise Problems("%s: damaged model" % path) from None


def unused_types(wanted):
    """The types that may be left out since no model has them; none unless all are models."""
    if not all(word.startswith("@") for word in wanted):
        return []
    used = set().union(*(model_types(word[1:]) for word in wanted))
    return [name for name, (_, code) in OPTIONAL_TYPES.items() if code not in used]


def without(row, letters):
    """A row with the types that are left, or None."""
    types = TYPES.search(row).group(1)
    left = [each for each in types.split(" ") if not set(each) & letters]
    return row.replace('"%s"' % types, '"%s"' % " ".join(left)) if left else None


def ops_of(path, rows):
    """The names of a model's operators, all of which have rows."""
    builtin, custom = model_ops(path)
    problems = []
    missing = sorted(builtin - set(rows))
    if missing:
        problems.append("%s: no kernel for %s" % (path, ", ".join(missing)))
    for name in sorted(custom):
        advice = ""
        if name.startswith("Flex"):
            advice = "; it is TensorFlow's: convert without SELECT_TF_OPS"
        problems.append("%s: custom operator %s: no kernel%s" % (path, name, advice))
    if problems:
        raise Problems(*problems)
    return builtin


def read_rows(paths):
    rows = {}
    for path in paths:
        with open(path) as file:
            for line in file:
                match = ROW.match(line)
                if not match:
                    continue
                name, code = match.group(1), int(match.group(2))
                if name in rows:
                    raise Problems("%s: %s has a row already" % (path, name))
                if name_of(code) != name:
                    raise Problems("%s: %s has another code than %d" % (path, name, code))
                rows[name] = line
    return rows


def select(rows, wanted):
    """The names of the rows that are meant; all problems at once."""
    selected = set()
    problems = []
    for word in wanted:
        try:
            if word == "all":
                selected.update(rows)
            elif word.startswith("@"):
                selected.update(ops_of(word[1:], rows))
            elif word in rows:
                selected.add(word)
            else:
                problems.append("no operator %s; there are %s" % (word, " ".join(sorted(rows))))
        except Problems as found:
            problems.extend(found.args)
    if not selected and not problems:
        problems.append("name operators, @models or all")
    if problems:
        raise Problems(*problems)
    return selected


def main(args):
    tables = [arg for arg in args if arg.endswith(".def")]
    types = [arg[1:] for arg in args if arg.startswith("-")]
    wanted = args[len(tables) + len(types) :]
    try:
        rows = read_rows(tables)
        if types == ["auto"]:
            print(" ".join(unused_types(wanted)))
            return
        unknown = sorted(set(types) - set(OPTIONAL_TYPES))
        if unknown:
            raise Problems(
                "cannot leave out %s, only %s" % (unknown[0], ", ".join(OPTIONAL_TYPES))
            )
        letters = {OPTIONAL_TYPES[name][0] for name in types}
        rows = {name: without(row, letters) for name, row in rows.items()}
        rows = {name: row for name, row in rows.items() if row}
        for name in sorted(select(rows, wanted)):
            sys.stdout.write(rows[name])
    except OSError as error:
        sys.exit("select_ops: %s: %s" % (error.filename, error.strerror))
    except Problems as found:
        sys.exit("\n".join("select_ops: " + problem for problem in found.args))


if __name__ == "__main__":
    main(sys.argv[1:])
