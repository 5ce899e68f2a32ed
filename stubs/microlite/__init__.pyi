"""TensorFlow Lite models on MicroPython boards.

    import microlite

    with microlite.Model("person_detect.tflite") as model:
        model.inputs[0].write_image(frame, 96, 96)
        model.invoke()
        print(model.outputs[0].argmax())

Memory: a Model takes one block of the heap, its arena, and one for the model's bytes unless
these can be used where they are. close() gives up both. Load models early, while the heap still
has large blocks.

One call at a time works with a model. All that comes meanwhile, from another thread, from a hook
or a scheduled function, or while an ainvoke() has not finished, raises RuntimeError and changes
nothing; what does not change, such as names and shapes, may be read at any time.

Models are code: what damages a model can damage results. A model that passes the check at
loading cannot make the library read or write outside model and arena."""

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import TracebackType
from typing import Self

from typing_extensions import Buffer

from microlite._reports import Info, Profile, Report
from microlite._selftest import SelfTest
from microlite._verify import Verification

__version__: str

class ArenaError(MemoryError):
    """The arena is too small, or the heap has no block that is large enough.

    Where the heap cannot even hold this exception, a plain MemoryError is raised."""

    needed: int
    """Bytes that are needed: the least arena size, or the block that the heap lacks."""
    given: int
    """Bytes that were there: the size of the arena, or the largest free block."""
    missing: int
    """needed - given, but not less than 0."""
    stage: str
    """What did not fit: "tensors", "operators" or "activations" into the arena; "arena" or
    "model" into the heap."""
    largest_free: int
    """Bytes of the heap's largest free block."""
    heap_free: int
    """Free bytes of the heap in all."""
    log: str
    """TensorFlow Lite Micro's own words, "" when it had none."""

class ModelError(ValueError):
    """The bytes are no model, or one that is damaged, inconsistent or not supported."""

    problems: tuple[str, ...]
    """All that is wrong, at least one sentence, without the file's name."""
    log: str
    """TensorFlow Lite Micro's own words, "" when it had none."""

class OpError(ModelError):
    """The model uses operators that this firmware does not contain."""

    missing_ops: tuple[str, ...]
    """The names of all of them, each once."""

def ops() -> tuple[str, ...]:
    """The names of the operators in this firmware, sorted."""

def info() -> Info:
    """Versions and options of this firmware; printed, a table for bug reports."""

def selftest() -> SelfTest:
    """Run tiny built-in models of the main operators and compare their outputs with known ones.
    Operators that this firmware lacks are skipped. Takes less than 2 KB of memory for a moment.

    True when all that was run is right. MemoryError when there is no room."""

def check(model: str | Buffer) -> Report:
    """What a model is, what is wrong with it, and the arena that it needs here. Keeps nothing.

    model: as for Model. Where the heap allows, the model is loaded for a moment to find the size
    of its arena. Raises OSError and TypeError as Model does, and MemoryError when there is no
    room for the model's bytes."""

def verify(
    model: Model | str | Buffer,
    cases: str | Buffer,
    *,
    rtol: float = 1e-5,
    atol: float = 1e-5,
) -> Verification:
    """Run a model on the inputs of golden cases and compare its outputs with those there.

    cases: the path or the bytes of a file made on a computer by
    `python -m microlite_tools.golden MODEL -o FILE`. From a file that is not in ROMFS one tensor
    at a time is read, so that it needs no more memory than the largest.

    Integers must be equal, floats within atol + rtol * abs(expected). The model is reset() before
    each case, unless the file was made as a sequence, and at the end.

    ValueError when cases is no such file, damaged, or made for another model, and when rtol or
    atol is less than 0; else as Model and invoke()."""

class InvokeError(RuntimeError):
    """An operator failed. There are no results; the next invoke() starts over."""

    op_index: int
    """The operator's position in Model.ops."""
    op: str | None
    """Its name."""
    log: str
    """TensorFlow Lite Micro's own words, "" when it had none."""

class Tensor:
    """An input or an output of a model: numbers of one type in a fixed shape.

    Real values are what the numbers mean: (q - zero_point) * scale for the number q of a
    quantised tensor, the number itself for others. Methods take and give real values, but for
    write_raw() and data.

    A run overwrites most inputs, as their memory is needed for something else: write all inputs
    before each run. An input that was never written holds zeros. Outputs hold the results of the
    last complete run, whatever is written into inputs meanwhile.

    A tensor keeps its model alive. Everything on it raises RuntimeError once the model is closed,
    and when a bytearray in use by the model has moved; numbers can neither be read nor written
    while the model runs."""

    @property
    def name(self) -> str:
        """The name in the model; characters outside ASCII are '?'."""

    @property
    def index(self) -> int:
        """Position among the model's inputs or outputs."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Such as (1, 96, 96, 1): batch, height, width, channels of an image."""

    @property
    def dtype(self) -> str:
        """'float32', 'int8', 'uint8', 'int16', 'int32', 'int64' or 'bool'; others, such as
        'string', have no real values but only data."""

    @property
    def typecode(self) -> str:
        """Letter of array.array for the numbers in data; 'B' for bool."""

    @property
    def size(self) -> int:
        """Number of elements, the same as len()."""

    @property
    def nbytes(self) -> int:
        """Size in bytes."""

    @property
    def scale(self) -> float | None:
        """Step between two neighbouring real values; None when the tensor is not quantised, and
        when it has several scales."""

    @property
    def zero_point(self) -> int | None:
        """The number that means 0.0; None as for scale."""

    @property
    def scales(self) -> tuple[float, ...]:
        """All scales: none, one, or as many as shape[quantized_dimension]."""

    @property
    def zero_points(self) -> tuple[int, ...]:
        """The zero point of each scale."""

    @property
    def quantized_dimension(self) -> int:
        """The dimension along which each slice has a scale of its own, if there are several."""

    @property
    def data(self) -> memoryview:
        """The numbers themselves, in place, as a memoryview with the elements of typecode;
        read-only for outputs and constants. Takes a new small object each time.

        The view stays valid memory after the model is closed, but means nothing any more. A view
        of an arena that is a bytearray of the caller is only good as long as that is not resized.

        Nobody sees who writes through a view. So an input whose view was taken once is no longer
        refused by invoke() when it was not written again, and reading it after a run may give
        other numbers than were written."""

    def read(self) -> array[float] | array[int]:
        """All real values, in a new array.

        array('f') for float and for quantised tensors, (q - zero_point) * scale in float32;
        integers that are not quantised come in their own type, bools in array('B').

        RuntimeError on an output before a run has finished, or when the last one did not; and on
        an input that a run has overwritten. TypeError when the numbers have no real values: for
        other types than those of dtype, and for scales that make no sense."""

    def read_into(self, buffer: Buffer, /) -> None:
        """Put all real values into an array of the type that read() gives, or array('d') in
        place of array('f'), of exactly size elements. Allocates nothing.

        TypeError for other buffers and those that are read-only; ValueError for another length,
        and for memory of the tensor's own; else as read()."""

    def argmax(self) -> int:
        """Flat index of the largest real value, the first one when there are several.

        ValueError when there is a NaN among the values; else as read()."""

    def quantize(self, x: float, /) -> int:
        """The number for a real value: round(x / scale) + zero_point as in write(), with the
        ends of dtype's range for values beyond it.

        TypeError when the tensor is not quantised or has several scales; ValueError for NaN and
        infinity."""

    def dequantize(self, q: int, /) -> float:
        """The real value of a number: (q - zero_point) * scale in float32.

        TypeError as quantize(), and when q is no int; ValueError when q is beyond dtype."""

    def write(
        self,
        values: float | Iterable[float] | Buffer | Tensor,
        *,
        mul: float | Iterable[float] | Buffer = 1.0,
        add: float | Iterable[float] | Buffer = 0.0,
    ) -> int:
        """Set all real values. Returns how many were out of the tensor's range and saturated.

        values: a list, tuple or other iterable of numbers; an array or other buffer of numbers
        (typecodes b h H i I l L q Q f d, and B with mul or add); another tensor, of any type and
        scale. As many as the tensor has elements, in the order of the last dimension first. A
        tensor of one element takes a number too.

        mul, add: numbers, or buffers or iterables with one number for each element of the last
        dimension, such as the channels of an image.

        Each value becomes v * mul + add, then round(v / scale) + zero_point, with halves away
        from zero, all in float32, so that every board gives the same numbers. For a tensor with
        several scales that is the scale of each slice. In integer tensors that are not quantised
        the scale is 1, and integers without mul and add arrive exactly; bools become v != 0.

        Nothing is allocated for buffers, tensors and numbers; iterables are collected first.

        ValueError for a wrong number of values or factors, for NaN and infinity, also when they
        come of v * mul + add, and for buffers that overlap the tensor elsewhere than at its
        start. TypeError for what is no number, str, dict and set, for bytes without mul or add,
        since it is not told what they mean, for outputs and constants, which are read-only, and
        for tensors without real values. The tensor is then unchanged."""

    def write_raw(self, buffer: Buffer, /) -> None:
        """Set the numbers themselves: bytes in the tensor's own representation, or an array of
        its typecode, of exactly nbytes bytes. Allocates nothing.

        An array('B') counts as bytes, whatever the tensor's typecode.

        ValueError for a wrong size, and for bools other than 0 and 1; TypeError for an array of
        another typecode, and for outputs and constants."""

    def write_image(self, frame: Buffer, width: int, height: int) -> None:
        """Set an 8-bit tensor of one grey image, shape (1, height, width, 1), from a frame of the
        same size: width * height bytes, unsigned whatever their typecode, row by row.

        0..255 maps onto the tensor's own range: as it is for uint8, minus 128 for int8.
        Allocates nothing. ValueError for another size; TypeError for tensors of other types, for
        which write() with mul and add does it."""

    def __len__(self) -> int:
        """The same as size; 1 for a tensor without dimensions."""

    def __getitem__(self, index: int | tuple[int, ...], /) -> float:
        """One real value: tensor[i] of the flattened tensor, tensor[y, x, c] with an index for
        each dimension. Negative indices count from the end.

        float, or int and bool for tensors that are not quantised. IndexError beyond the shape;
        TypeError for slices, for which read() and data do it; else as read()."""

    def __iter__(self) -> Iterator[float]:
        """The real values one by one, flattened."""

_Values = Iterable[float] | Buffer | Tensor
_State = Mapping[str, str] | Mapping[int, int] | Mapping[str, int] | Mapping[int, str]

class Model:
    """A model that is loaded and ready to run. A context manager: closes at the end of with.

    Attributes that are not described here cannot be set; those of a class derived from it can."""

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """The inputs in the model's order."""

    @property
    def outputs(self) -> tuple[Tensor, ...]:
        """The outputs in the model's order."""

    @property
    def file(self) -> str | None:
        """The path that the model was loaded from, if it was."""

    @property
    def in_place(self) -> bool:
        """Whether the model's bytes are used where they were, so that they cost no memory."""

    def __init__(
        self,
        model: str | Buffer,
        *,
        arena: int | Buffer | None = None,
        copy: bool = False,
        keep_inputs: bool = False,
        state: _State | None = None,
    ) -> None:
        """model: the path of a file, or any buffer with a model's bytes. The bytes are used
        where they are (a file on ROMFS, bytes in flash, a bytearray) if they lie at a multiple of
        16 bytes, else they are read or copied once. Do not change a buffer in use.

        arena: None for exactly what the model needs; or the size in bytes; or a writable buffer
        to use in place, which may not be resized nor carry another live model.

        copy: pull the model into memory even if it could be used in place, which may be faster.

        keep_inputs: give the inputs memory of their own in the arena, so that they stay as they
        were written, and only those that change are written again.

        state: outputs of a recurrent model that become inputs of the next run, by name or index,
        as {"h_out": "h"}. They are carried when a run has gone to its end, requantised as
        Tensor.write() does it; a run that did not leaves the state as it was. The state is 0.0
        at first and after reset(); it can be written as any input. Keeps the inputs.

        OSError for files, with the path; ModelError; OpError; ArenaError; TypeError for other
        objects and for read-only arenas; ValueError for sizes that cannot be, for an arena
        that carries a live model, and for a state of different sizes; KeyError for names in
        state. A load that failed leaves nothing behind."""

    @property
    def on_op(self) -> Callable[[], object] | None:
        """A function that each run calls between two operators, such as the feed method of a
        watchdog; None at first. It may do anything but use this model. What it raises ends the run
        and comes out of invoke() or ainvoke()."""

    @on_op.setter
    def on_op(self, function: Callable[[], object] | None) -> None: ...
    @property
    def last_us(self) -> int | None:
        """Microseconds that the last complete run took, None before that. Of an ainvoke() without
        what other tasks did meanwhile."""

    def invoke(self) -> None:
        """Run the model on the inputs. Allocates nothing.

        Between operators, scheduled functions and on_op run, and Ctrl-C ends the run. After a run
        that did not finish there are no results, the inputs it has overwritten must be written
        again, and the next run starts over.

        InvokeError when an operator failed. RuntimeError when an input was not written again since
        a run that has overwritten it, when the model is closed or running already, or when a
        bytearray in use has moved. ValueError when NaN would have to be carried into an input of
        integers (state): there are results, the state is unchanged."""

    async def ainvoke(self, slice_ms: int = 5) -> None:
        """The same for asyncio: lets other tasks run after each slice of time. A slice ends with
        an operator, so others wait for one operator at least; 0 lets them run after each.

        A task that is cancelled gives the run up. close() and reset() do so too, which raises
        RuntimeError in the task. A task that is never resumed leaves the model in use: reset() it.

        ValueError when slice_ms is negative, else as invoke()."""

    def profile(self, runs: int = 1) -> Profile:
        """Run the model so many times on the inputs as they are and take the time of each
        operator, on the finest clock of the port. The inputs are afterwards as they were, those of
        a state too; the outputs hold the results; a model with variables goes that many steps on.

        ValueError when runs is less than 1, else as invoke()."""

    def reset(self) -> None:
        """Set the model's variables back to their initial values, the inputs of a state to 0.0,
        and give an unfinished run up. Other inputs, and the results of a run that finished,
        stay."""

    def predict(self, *inputs: _Values, **named: _Values) -> array[float] | array[int]:
        """Write each input, invoke, and read the only output. inputs and named as for
        predict_all(). Outputs that are carried (state) do not count, unless there is no other.

        ValueError when the model has several outputs."""

    def predict_all(
        self, *inputs: _Values, **named: _Values
    ) -> tuple[array[float] | array[int], ...]:
        """Write each input, invoke, and read all outputs.

        inputs are in the model's order, without those of a state. Any input can be given by its
        name instead, as for input(); also one of a state.

        ValueError when inputs are missing, too many or given twice, KeyError for names that the
        model does not have: nothing is written then. Else as Tensor.write() and invoke()."""

    def input(self, key: int | str = 0, /) -> Tensor:
        """An input by index, negative from the end; by name; or by the short name, without
        "serving_default_" and ":0", when only one has it.

        KeyError with the names there are."""

    def output(self, key: int | str = 0, /) -> Tensor:
        """An output, as input()."""

    @property
    def arena_size(self) -> int:
        """Bytes of the arena."""

    @property
    def arena_used(self) -> int:
        """Bytes of the arena that the model uses."""

    @property
    def arena_needed(self) -> int:
        """The least arena for this model on this board: given as arena=, it loads."""

    @property
    def size(self) -> int:
        """Bytes of the model."""

    @property
    def ops(self) -> tuple[str, ...]:
        """The names of the operators, in the order in which they run."""

    def close(self) -> None:
        """Give up model and arena. Views of data stay readable; all else on the model and its
        tensors raises RuntimeError from now on. May be called again.

        RuntimeError while invoke() runs, so in on_op or another thread."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        tb: TracebackType | None,
        /,
    ) -> None: ...
