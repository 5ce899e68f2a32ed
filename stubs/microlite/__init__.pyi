"""TensorFlow Lite models on MicroPython boards.

    import microlite

    with microlite.Model("person_detect.tflite") as model:
        model.inputs[0].write_image(frame, 96, 96)
        model.invoke()
        print(model.outputs[0].argmax())

Memory: a `Model` takes one block of the heap, its arena, and one for the model's bytes unless
these can be used where they are. `close()` gives up both. Load models early, while the heap still
has large blocks.

One call at a time works with a model. All that comes meanwhile, from another thread, from a hook
or a scheduled function, or while an `ainvoke()` has not finished, raises RuntimeError and changes
nothing; what does not change, such as names and shapes, may be read at any time.

Models are code: what damages a model can damage results. A model that passes the check at
loading cannot make the library read or write outside model and arena.

Importing it raises ImportError when the firmware lacks the C module `_microlite`, or has one with
another interface.
"""

from array import array
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Literal, Self

from typing_extensions import Buffer

from microlite._reports import Info, Profile, Report
from microlite._selftest import SelfTest
from microlite._types import Factors, State, Values
from microlite._verify import Verification

__version__: str
"""Version of the package, such as "0.1.0"."""

class ArenaError(MemoryError):
    """The arena is too small, or the heap has no block that is large enough.

    Where the heap cannot even hold this exception, a plain MemoryError is raised.
    """

    needed: int
    """Bytes that are needed: the least arena size, or the block that the heap lacks."""
    given: int
    """Bytes that were there: the size of the arena, or the largest free block."""
    missing: int
    """`needed - given`, but not less than 0."""
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

def mse(a: Tensor | Buffer, b: Tensor | Buffer, /) -> float:
    """How far two rows of numbers are from each other, as the score of an autoencoder.

    The mean of the squared differences of their real values, in float32, infinite only where the
    mean itself is beyond that. Allocates nothing but its result.

    Args:
        a: a tensor, or a buffer of numbers such as `array("f")`.
        b: another with as many.

    Returns:
        0.0 or more; NaN when a value is NaN.

    Raises:
        ValueError: other numbers of values, or none.
        TypeError: neither a tensor with real values nor a buffer of numbers.
        RuntimeError: as `Tensor.read`.
    """

def spectrum(
    samples: Buffer,
    out: array[float],
    *,
    window: Literal["hann", "hamming"] | None = "hann",
    scratch: array[float] | None = None,
) -> array[float]:
    """Magnitudes of a real FFT, as of vibration: `abs(rfft(samples * window))`, in float32.

    They are right to about 1e-6 of the largest, whatever the size of the samples, and infinite
    where float32 ends. Firmware that was built with MICROLITE_AUDIO=0 does not have it.

    Args:
        samples: an array of n numbers, n a power of two from 4 to 16384.
        out: `array("f")` of n // 2 + 1 numbers.
        window: of the samples, periodic: hann is 0.5 - 0.5 * cos(2 * pi * i / n), hamming
            0.54 - 0.46 * cos(2 * pi * i / n).
        scratch: `array("f")` of n + n // 4 + 1 numbers to work in; else that memory is taken for
            a moment.

    Returns:
        out.

    Raises:
        ValueError: another number of samples or of numbers in out or scratch; a sample that is
            NaN, infinite or beyond float32; scratch overlaps one of them; another window.
        TypeError: samples are no array of numbers, or bytes, whose type is not known; out or
            scratch is no `array("f")`.
    """

def info() -> Info:
    """Versions and options of this firmware; printed, a table for bug reports."""

def selftest() -> SelfTest:
    """Run tiny built-in models of the main operators and compare their outputs with known ones.

    Operators that this firmware lacks are skipped. Takes less than 2 KB of memory for a moment.

    Returns:
        A report that is true when all that was run is right.

    Raises:
        MemoryError: there is no room.
    """

def check(model: str | Buffer) -> Report:
    """What a model is, what is wrong with it, and the arena that it needs here.

    Keeps nothing. Where the heap allows, the model is loaded for a moment to find the size of its
    arena.

    Args:
        model: a path or a buffer, as for `Model`.

    Returns:
        A report that is true when the model can run here, given the memory.

    Raises:
        OSError: the file cannot be read; with the path.
        TypeError: `model` is neither path nor buffer.
        ArenaError: no room for the model's bytes.
    """

def verify(
    model: Model | str | Buffer,
    cases: str | Buffer,
    *,
    rtol: float = 1e-5,
    atol: float = 1e-5,
) -> Verification:
    """Run a model on the inputs of golden cases and compare its outputs with those there.

    Integers must be equal, floats within `atol + rtol * abs(expected)`. The model is `reset()`
    before each case, unless the file was made as a sequence, and at the end.

    Args:
        model: a model, or what `Model` takes.
        cases: the path or the bytes of a file made on a computer by
            `microlite golden MODEL -o FILE`. From a file that is not in ROMFS one
            tensor at a time is read, so that it needs no more memory than the largest.
        rtol: relative tolerance of floats.
        atol: absolute tolerance of floats.

    Returns:
        A report that is true when all outputs are equal.

    Raises:
        OSError: a file cannot be read; with the path.
        TypeError: `model` or `cases` is neither path nor buffer.
        ValueError: `cases` is no such file, damaged, or made for another model; `rtol` or `atol`
            is less than 0.
        ModelError, OpError, ArenaError: as `Model`.
        InvokeError: as `Model.invoke`.
    """

class InvokeError(RuntimeError):
    """An operator failed. There are no results; the next `invoke()` starts over."""

    op_index: int
    """The operator's position in `Model.ops`."""
    op: str | None
    """Its name."""
    log: str
    """TensorFlow Lite Micro's own words, "" when it had none."""

class Tensor:
    """An input or an output of a model: numbers of one type in a fixed shape.

    Real values are what the numbers mean: `(q - zero_point) * scale` for the number q of a
    quantised tensor, as TensorFlow Lite's quantisation specification defines it; the number itself
    for others. Methods take and give real values, but for `write_raw()` and `data`.

    A run overwrites most inputs, as their memory is needed for something else: write all inputs
    before each run. An input that was never written holds zeros. Outputs hold the results of the
    last complete run, whatever is written into inputs meanwhile.

    A tensor keeps its model alive. Everything on it raises RuntimeError once the model is closed,
    and when a bytearray in use by the model has moved; numbers can neither be read nor written
    while the model runs.
    """

    @property
    def name(self) -> str:
        """The name in the model; characters outside ASCII are '?'."""

    @property
    def index(self) -> int:
        """Position among the model's inputs or outputs."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Such as `(1, 96, 96, 1)`: batch, height, width, channels of an image."""

    @property
    def dtype(self) -> str:
        """'float32', 'int8', 'uint8', 'int16', 'int32', 'int64' or 'bool'.

        Others, such as 'float16', have no real values but only `data`.
        """

    @property
    def typecode(self) -> str:
        """Letter of `array.array` for the numbers in `data`; 'B' for bool."""

    @property
    def size(self) -> int:
        """Number of elements, the same as `len()`."""

    @property
    def nbytes(self) -> int:
        """Size in bytes."""

    @property
    def scale(self) -> float | None:
        """Step between two neighbouring real values.

        None when the tensor is not quantised, and when it has several scales.
        """

    @property
    def zero_point(self) -> int | None:
        """The number that means 0.0; None as for `scale`."""

    @property
    def scales(self) -> tuple[float, ...]:
        """All scales: none, one, or as many as `shape[quantized_dimension]`."""

    @property
    def zero_points(self) -> tuple[int, ...]:
        """The zero point of each scale."""

    @property
    def quantized_dimension(self) -> int:
        """The dimension along which each slice has a scale of its own, if there are several."""

    @property
    def data(self) -> memoryview:
        """The numbers themselves, in place, as a memoryview with the elements of `typecode`.

        Read-only for outputs and constants. Takes a new small object each time.

        The view stays valid memory after the model is closed, but means nothing any more. A view
        of an arena that is a bytearray of the caller is only good as long as that is not resized.

        Nobody sees who writes through a view. So an input whose view was taken once is no longer
        refused by `invoke()` when it was not written again, and reading it after a run may give
        other numbers than were written.

        Raises:
            RuntimeError: the model is closed.
        """

    def read(self) -> array[float] | array[int]:
        """All real values, in a new array.

        Returns:
            `array('f')` for float and for quantised tensors, `(q - zero_point) * scale` in
            float32; integers that are not quantised in their own type, bools in `array('B')`.

        Raises:
            RuntimeError: an output before a run has finished, or when the last one did not; an
                input that a run has overwritten; the model is closed.
            TypeError: the numbers have no real values: for other types than those of `dtype`, and
                for scales that make no sense.
        """

    def read_into(self, buffer: Buffer, /) -> None:
        """Put all real values into an array. Allocates nothing.

        Args:
            buffer: an array of the type that `read()` gives, or `array('d')` in place of
                `array('f')`, of exactly `size` elements.

        Raises:
            TypeError: the buffer is of another type, or read-only.
            ValueError: the buffer has another length, or is memory of the tensor's own.
            RuntimeError: as `read`.
        """

    def argmax(self) -> int:
        """Flat index of the largest real value, the first one when there are several.

        Raises:
            ValueError: there is a NaN among the values, or there are no values.
            RuntimeError, TypeError: as `read`.
        """

    def quantize(self, x: float, /) -> int:
        """The number for a real value: `round(x / scale) + zero_point` as in `write()`.

        Values beyond the range of `dtype` become its ends.

        Raises:
            TypeError: the tensor is not quantised, or has several scales.
            ValueError: NaN or infinity.
        """

    def dequantize(self, q: int, /) -> float:
        """The real value of a number: `(q - zero_point) * scale` in float32.

        Raises:
            TypeError: the tensor is not quantised, or has several scales; `q` is no int.
            ValueError: `q` is beyond the range of `dtype`.
        """

    def write(self, values: Values, *, mul: Factors = 1.0, add: Factors = 0.0) -> int:
        """Set all real values.

        Each value becomes `v * mul + add`, then `round(v / scale) + zero_point`, with halves away
        from zero as TensorFlow Lite does it, all in float32, so that every board gives the same
        numbers. For a tensor with several scales that is the scale of each slice. In integer
        tensors that are not quantised the scale is 1, and integers without `mul` and `add` arrive
        exactly; bools become `v != 0`.

        Nothing is allocated for buffers, tensors and numbers; iterables are collected first.

        Args:
            values: a list, tuple or other iterable of numbers; an array or other buffer of numbers
                (typecodes b h H i I l L q Q f d, and B with `mul` or `add`); another tensor, of
                any type and scale. As many as the tensor has elements, the last dimension
                running fastest. A tensor of one element takes a number too.
            mul: a number, or a buffer or iterable with one number for each element of the last
                dimension, such as the channels of an image.
            add: the same.

        Returns:
            How many values were out of the tensor's range and became its ends.

        Raises:
            ValueError: a wrong number of values or factors; NaN or infinity, also when they come
                of `v * mul + add`; a buffer that overlaps the tensor elsewhere than at its start.
                The tensor is then unchanged.
            TypeError: what is no number, str, dict and set; bytes without `mul` or `add`, since
                nobody tells what they mean; an output or a constant, which are read-only; a
                tensor without real values. The tensor is then unchanged.
            RuntimeError: the model is closed or running.
        """

    def write_raw(self, buffer: Buffer, /) -> None:
        """Set the numbers themselves. Allocates nothing.

        Args:
            buffer: bytes in the tensor's own representation, or an array of its typecode, of
                exactly `nbytes` bytes. An `array('B')` counts as bytes, whatever the typecode.

        Raises:
            ValueError: a wrong size; bools other than 0 and 1.
            TypeError: an array of another typecode; an output or a constant.
            RuntimeError: the model is closed or running.
        """

    def write_image(
        self,
        frame: Buffer,
        width: int,
        height: int,
        format: Literal["gray8", "rgb565", "rgb565be", "rgb888"] = "gray8",
        *,
        stride: int | None = None,
        crop: tuple[int, int, int, int] | list[int] | None = None,
        fit: Literal["crop", "stretch"] = "crop",
        resample: Literal["nearest", "bilinear"] = "bilinear",
        range: tuple[float, float] | list[float] | None = None,
    ) -> None:
        """Set a tensor that is an image from a camera's frame, scaled to its size.

        Allocates nothing.

        The tensor's shape is `(1, h, w, c)` or `(1, c, h, w)`, also without the 1, with one
        channel (grey) or three (red, green, blue). Colour becomes grey as
        0.299 R + 0.587 G + 0.114 B (ITU-R BT.601), grey becomes three equal channels.

        Args:
            frame: the rows one after the other, from the top; bytes are unsigned whatever their
                typecode.
            width: pixels of the frame, 1 to 16384.
            height: the same.
            format: `"gray8"`: a byte a pixel. `"rgb565"`: words of 16 bits, the low byte first, as
                `framebuf.RGB565` has them on most boards; `"rgb565be"`: the high byte first, as
                many cameras send them. `"rgb888"`: bytes red, green, blue.
            stride: bytes from one row to the next, when rows are padded.
            crop: the part that is used, `(x, y, width, height)` in pixels of the frame.
            fit: when that has other proportions than the tensor, `"crop"` takes the largest part
                in the middle that has them, `"stretch"` all of it, distorted.
            resample: `"bilinear"` mixes the four pixels around each centre, with weights of 1/256;
                `"nearest"` takes one, which is faster.
            range: `(lo, hi)`, the real values of 0 and 255, needed for all but 8-bit tensors: as
                `write(pixels, mul=(hi - lo) / 255, add=lo)`. Without it 0..255 maps onto an 8-bit
                tensor's own range: as it is for uint8, minus 128 for int8.

        Raises:
            ValueError: the frame has another number of bytes, a part beyond it, an unknown word,
                or the tensor is no image.
            TypeError: a tensor that needs `range`, an output or a constant; `frame` is no buffer.
            RuntimeError: the model is closed or running.
        """

    def __len__(self) -> int:
        """The same as `size`; 1 for a tensor without dimensions."""

    def __getitem__(self, index: int | tuple[int, ...], /) -> float:
        """One real value: `tensor[i]` of the flattened tensor, `tensor[y, x, c]` with an index for
        each dimension. Negative indices count from the end.

        Returns:
            A float, or int and bool for tensors that are not quantised.

        Raises:
            IndexError: beyond the shape, or another number of indices.
            TypeError: a slice, for which `read()` and `data` do it; else as `read()`.
            RuntimeError: as `read`.
        """

    def __iter__(self) -> Iterator[float]:
        """The real values one by one, flattened."""

class Model:
    """A model that is loaded and ready to run. A context manager: closes at the end of `with`.

    Attributes that are not described here cannot be set; those of a class derived from it can.
    """

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
        state: State | None = None,
        labels: Iterable[str] | str | None = None,
        plan: bool = True,
    ) -> None:
        """Check a model and load it. A load that failed leaves nothing behind.

        Args:
            model: the path of a file, or any buffer with a model's bytes. The bytes are used
                where they are (a file on ROMFS, bytes in flash, a bytearray) if they lie at a
                multiple of 16 bytes, else they are read or copied once. Do not change a buffer in
                use.
            arena: None for exactly what the model needs; or the size in bytes; or a writable
                buffer to use in place, which may not be resized nor carry another live model.
            copy: pull the model into memory even if it could be used in place, which may be
                faster.
            keep_inputs: give the inputs memory of their own in the arena, so that they stay as
                they were written, and only those that change are written again.
            state: outputs of a recurrent model that become inputs of the next run, by name or
                index, as `{"h_out": "h"}`. They are carried when a run has gone to its end,
                requantised as `Tensor.write()` does it; a run that did not leaves the state as it
                was. The state is 0.0 at first and after `reset()`; it can be written as any
                input. Keeps the inputs.
            labels: the names of the classes, or the path of a text file with one a line, in UTF-8
                and of 64 KB at most. None looks for them when they are wanted: in a text file
                beside the model (`a.txt` for `a.tflite`), then in one that is packed in the
                model, as TensorFlow Lite's metadata does it.
            plan: whether to follow a plan that `microlite tune` has made, when it lies beside the
                model (`a.plan` for `a.tflite`). One that was made for another model, firmware or
                board is ignored; the `repr()` of the model says so.

        Raises:
            OSError: a file cannot be read, or is a folder, a pipe or a device; with the path.
            ModelError: the bytes are no model, or one that cannot be computed here.
            OpError: operators that this firmware lacks, all of them.
            ArenaError: the arena is too small, or the heap has no such block.
            TypeError: another object, a read-only buffer as arena, or a label that is no str.
            ValueError: a size that cannot be, an arena that carries a live model, a state of
                different sizes, or a file of labels that is too long or not UTF-8.
            KeyError: names or indices in `state` that the model does not have.
        """

    @property
    def on_op(self) -> Callable[[], object] | None:
        """A function that each run calls between two operators, such as `feed` of a watchdog.

        None at first. It may do anything but use this model. What it raises ends the run and comes
        out of `invoke()` or `ainvoke()`.

        Raises:
            TypeError: set to what cannot be called.
        """

    @on_op.setter
    def on_op(self, function: Callable[[], object] | None) -> None: ...
    @property
    def last_us(self) -> int | None:
        """Microseconds that the last complete run took, None before that.

        Of an `ainvoke()` without what other tasks did meanwhile.
        """

    def invoke(self) -> None:
        """Run the model on the inputs. Allocates nothing.

        Between operators, scheduled functions and `on_op` run, and Ctrl-C ends the run. After a
        run that did not finish there are no results, the inputs it has overwritten must be
        written again, and the next run starts over.

        Raises:
            InvokeError: an operator failed.
            RuntimeError: an input was not written again since a run that has overwritten it; the
                model is closed or running already; a bytearray in use has moved.
            ValueError: NaN or infinity would have to be carried into an input of integers
                (`state`): there are results, the state is unchanged.
        """

    async def ainvoke(self, slice_ms: int = 5) -> None:
        """Run the model and let other tasks of asyncio run meanwhile.

        A task that is cancelled gives the run up. `close()` and `reset()` do so too, which raises
        RuntimeError in the task. A task that is never resumed leaves the model in use: `reset()`
        it.

        Args:
            slice_ms: milliseconds after which other tasks run. A slice ends with an operator, so
                they wait for one operator at least; 0 lets them run after each.

        Raises:
            TypeError: `slice_ms` is no int.
            ValueError: `slice_ms` is negative; else as `invoke()`.
            RuntimeError: outside of asyncio; else as `invoke()`.
            InvokeError: as `invoke`.
        """

    def profile(self, runs: int = 1) -> Profile:
        """Take the time of each operator, on the finest clock of the port.

        The inputs are afterwards as they were, those of a state too; the outputs hold the results,
        or none where an input that the last run has overwritten was not written again; a model
        with variables goes that many steps on.

        Args:
            runs: how many runs on the inputs as they are; their mean is taken.

        Returns:
            Rows `(index, operator, microseconds, share)`; printed, a table.

        Raises:
            TypeError: `runs` is no int.
            ValueError: `runs` is less than 1; else as `invoke()`.
            InvokeError, RuntimeError: as `invoke`.
        """

    def reset(self) -> None:
        """Set the model's variables back to their initial values and the inputs of a state to 0.0.

        An unfinished run is given up. Other inputs, and the results of a run that finished, stay.

        Raises:
            RuntimeError: the model is closed, or `invoke()` is running.
        """

    def predict(self, *inputs: Values, **named: Values) -> array[float] | array[int]:
        """Write each input, invoke, and read the only output.

        Outputs that are carried (`state`) do not count, unless there is no other.

        Args:
            inputs: the inputs in the model's order, as for `predict_all()`.
            named: inputs by name.

        Returns:
            The real values, as `Tensor.read()` gives them.

        Raises:
            ValueError: the model has several outputs; else as `predict_all()`.
            KeyError, TypeError, InvokeError, RuntimeError: as `predict_all`.
        """

    def predict_all(
        self, *inputs: Values, **named: Values
    ) -> tuple[array[float] | array[int], ...]:
        """Write each input, invoke, and read all outputs.

        Args:
            inputs: the inputs in the model's order, without those of a state, each as
                `Tensor.write()` takes it.
            named: inputs by name instead, as for `input()`; also those of a state.

        Returns:
            The real values of each output, as `Tensor.read()` gives them.

        Raises:
            ValueError: inputs are missing, too many or given twice: nothing is written then; else
                as `Tensor.write()` and `invoke()`.
            KeyError: a name that the model does not have: nothing is written then.
            TypeError: as `Tensor.write`.
            InvokeError, RuntimeError: as `invoke`.
        """

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the classes, empty when there are none.

        Raises:
            ValueError: the text file beside the model is too long or not UTF-8.
        """

    def classify(
        self, *inputs: Values, top: int = 3, **named: Values
    ) -> list[tuple[str | int, float]]:
        """Write each input as `predict()` does, invoke, and tell the highest scores of the only
        output. Without inputs: invoke with what has been written.

        Args:
            inputs: as for `predict()`.
            top: how many are wanted, 1 or more; all where there are not as many.
            named: as for `predict()`.

        Returns:
            Labels and scores, the highest first; the index where there are no labels.

        Raises:
            ValueError: as many labels as scores are needed; a score is NaN; `top` is not
                positive; else as `predict`.
            KeyError, TypeError, InvokeError, RuntimeError: as `predict`.
        """

    def input(self, key: int | str = 0, /) -> Tensor:
        """An input.

        Args:
            key: its index, negative from the end; its name; or its short name, without
                "serving_default_" and ":0", when only one has it.

        Raises:
            KeyError: there is none; with the names there are.
            TypeError: `key` is neither index nor name.
        """

    def output(self, key: int | str = 0, /) -> Tensor:
        """An output.

        Args:
            key: as for `input()`.

        Raises:
            KeyError, TypeError: as `input`.
        """

    @property
    def arena_size(self) -> int:
        """Bytes of the arena."""

    @property
    def arena_used(self) -> int:
        """Bytes of the arena that the model uses."""

    @property
    def arena_needed(self) -> int:
        """Bytes of the least arena for this model on this board: given as `arena=`, it loads."""

    @property
    def size(self) -> int:
        """Bytes of the model."""

    @property
    def ops(self) -> tuple[str, ...]:
        """The names of the operators, in the order in which they run."""

    def close(self) -> None:
        """Give up model and arena.

        Views of `data` stay readable; all else on the model and its tensors raises RuntimeError
        from now on. May be called again.

        Raises:
            RuntimeError: `invoke()` is running, so in `on_op` or another thread.
        """

    def __enter__(self) -> Self:
        """The model itself.

        Raises:
            RuntimeError: the model is closed.
        """

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        tb: TracebackType | None,
        /,
    ) -> None:
        """Close the model."""
