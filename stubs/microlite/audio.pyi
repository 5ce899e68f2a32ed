"""Front ends: samples of sound into rows of features, as keyword models want them."""

from array import array
from typing import Literal, overload

from typing_extensions import Buffer

class FrontEnd:
    """Turns samples into rows of features, one row for each window, a window each stride.

        front_end = FrontEnd("pcan")
        for row in front_end.feed(samples):     # a chunk of any length
            ...

    Three kinds:

    **pcan**: the front end of TensorFlow's speech commands (`preprocess="micro"` in training;
    micro_speech and micro_wake_word on boards): Hann window, FFT, mel filter bank, square root,
    noise reduction, gain control (PCAN) and logarithm, in fixed point. It is TFLM's own code;
    rows equal those of its library to the bit. The parameters are those of its FrontendConfig:

    * `sample_rate` in Hz; `window_ms`, `stride_ms`: length of a window, and from one to the
      next.
    * `channels` mel bands between `lower` and `upper`, in Hz; upper stays below sample_rate /
      2.
    * `even_smoothing`, `odd_smoothing`: how fast the estimate of the noise follows, 0 to 1, in
      channels of even and of odd number; `min_signal_remaining`: the share that is never taken
      away; `smoothing_bits`: fraction bits of the estimate.
    * `pcan`: with gain control: `strength` 0 to 1, `offset` positive, `gain_bits`.
    * `log`: with logarithm, scaled by 2 ** log_shift.

    `typecode` of rows: `"f"` for real values, features * 10 / 256, as models are trained with
    them and Tensor.write() takes them; or numbers for Tensor.write_raw(): `"H"`, the features
    as they are; `"b"`, as int8 models of micro_speech take them, (256 * v + 333) // 666 - 128;
    `"B"`, as its uint8 models do, (2550 * v + 3328) // 6656; both saturate.

    **mfe**: mel filter bank energies as Edge Impulse's block of that name makes them (version 3
    of it and later; its code is derived from the package speechpy), in float32:

    * samples / 32768, then `x[i] - preemphasis * x[i - 1]`; the sample before the first one is
      0 (Edge Impulse takes the last one of its recording);
    * power = abs(rfft(window, fft_size)) ** 2 / fft_size, without a window function; what is
      longer than fft_size is cut off;
    * triangles over the bins `floor((fft_size + 1) * hz / sample_rate)` of channels + 2
      frequencies that are equally spaced in mel, `1127 * log(1 + hz / 700)`, from lower to
      upper - 0.001 Hz;
    * decibels = 10 * log10(energy), 1e-10 in place of 0; then clip((decibels - noise_floor) /
      (12 - noise_floor), 0, 1) in steps of 1 / 256, 255 / 256 at most. With `noise_floor=0`
      rows hold the decibels.

    Windows and strides are rounded up to samples. A low frequency of 0 in Edge Impulse's
    settings stands for `lower=300`, a high one of 0 for `upper=sample_rate / 2`.

    **mfcc**: cepstral coefficients as Edge Impulse and speechpy make them, in float32: as
    above, but of samples that are not divided by 32768, up to the energies; then the first
    `cepstra` coefficients of the orthonormal DCT of type 2 of log(energy), of which the first
    one is replaced by the logarithm of the window's whole energy. See cmvn().

    All memory is taken when it is made, none later.
    """

    @overload
    def __init__(
        self,
        kind: Literal["pcan"] = "pcan",
        *,
        sample_rate: int = 16000,
        window_ms: int = 30,
        stride_ms: int = 20,
        channels: int = 40,
        lower: float = 125.0,
        upper: float = 7500.0,
        smoothing_bits: int = 10,
        even_smoothing: float = 0.025,
        odd_smoothing: float = 0.06,
        min_signal_remaining: float = 0.05,
        pcan: bool = True,
        strength: float = 0.95,
        offset: float = 80.0,
        gain_bits: int = 21,
        log: bool = True,
        log_shift: int = 6,
        typecode: Literal["f", "b", "B", "H"] = "f",
        bits: Literal[16, 32] = 16,
        shift: int = 16,
    ) -> None:
        """Make the tables; the parameters are those of the kind.

        Args:
            kind: "pcan", "mfe" or "mfcc".
            bits: of the samples in bytes.
            shift: to the right, of 32-bit samples, to make 16-bit ones of them; 16 or less.

        Raises:
            ValueError: a parameter is out of its range, or does not fit another.
            TypeError: a parameter of another type, or one that the kind does not have.
            MemoryError: the heap has no block of `size` bytes.
        """

    @overload
    def __init__(
        self,
        kind: Literal["mfe"],
        *,
        sample_rate: int = 16000,
        window_ms: int = 20,
        stride_ms: int = 10,
        channels: int = 40,
        lower: float = 300.0,
        upper: float = ...,
        fft_size: int = 256,
        preemphasis: float = 0.98,
        noise_floor: float = -52.0,
        typecode: Literal["f"] = "f",
        bits: Literal[16, 32] = 16,
        shift: int = 16,
    ) -> None:
        """As for pcan."""

    @overload
    def __init__(
        self,
        kind: Literal["mfcc"],
        *,
        sample_rate: int = 16000,
        window_ms: int = 20,
        stride_ms: int = 20,
        channels: int = 32,
        lower: float = 0.0,
        upper: float = ...,
        fft_size: int = 256,
        preemphasis: float = 0.98,
        cepstra: int = 13,
        typecode: Literal["f"] = "f",
        bits: Literal[16, 32] = 16,
        shift: int = 16,
    ) -> None:
        """As for pcan."""

    def feed(self, samples: Buffer, /) -> FrontEnd:
        """Take a chunk of samples; the rows that it completes come by iteration.

        The chunk is read while rows are asked for, so it must stay as it is until the loop has
        ended.

        Args:
            samples: of any number: `array("h")`; `array("i")` of 32-bit samples, which are
                shifted to the right by `shift` and saturate; bytes of `bits`-bit samples, as
                machine.I2S fills them in.

        Returns:
            This front end.

        Raises:
            ValueError: bytes that are no whole number of samples.
            TypeError: another buffer, or none.
            RuntimeError: a loop over the last chunk has left samples. Go on with it, or
                `reset()`.
        """

    def __iter__(self) -> FrontEnd:
        """Itself."""

    def __next__(self) -> memoryview:
        """The next row of the chunk: always the same object, `row`.

        Raises:
            RuntimeError: the chunk's buffer was resized meanwhile; it is given up.
        """

    def reset(self) -> None:
        """Forget all samples, and the estimate of the noise."""

    @property
    def row(self) -> memoryview:
        """The last row, of `typecode`; read-only."""

    @property
    def kind(self) -> str:
        """ "pcan", "mfe" or "mfcc"."""

    @property
    def typecode(self) -> str:
        """Of rows."""

    @property
    def window(self) -> int:
        """Samples."""

    @property
    def stride(self) -> int:
        """Samples."""

    @property
    def size(self) -> int:
        """Bytes of memory for tables and state."""

def cmvn(
    features: Buffer, out: array[float], columns: int, *, window: int = 101, variance: bool = True
) -> array[float]:
    """Cepstral mean and variance normalisation over a sliding window, as speechpy's cmvnw().

    From each number the mean of its column over the `window` rows around it is taken away; then it
    is divided by the standard deviation of such differences over the same rows, plus 2 ** -30.
    Rows beyond the ends are those within, mirrored. Memory for two columns is taken for a moment.
    Time grows with rows * window, up to rows ** 2; Ctrl-C ends it, with out half written.

    Args:
        features: `array("f")`, rows of `columns` numbers.
        out: `array("f")` of as many; may be features.
        columns: numbers in a row.
        window: rows, an odd number; there may be fewer.
        variance: divide by the standard deviation.

    Returns:
        out.

    Raises:
        ValueError: columns do not divide the features, window is even, either is not positive;
            out has another length, or overlaps features; a feature is NaN or beyond 2 ** 47.
        TypeError: features or out is no `array("f")`, columns or window no int.
    """
