# The source of sound: recordings one after the other, WAV files or plain samples, 16000 a second
# of 16 bits, mono. For a microphone at I2S copy microphone_i2s.py to the board under this name.

import builtins
import struct


# A second of noise that is never louder than `level`.
class Noise:
    def __init__(self, level):
        self._level = level
        self._left = 16000
        self._random = 1

    def readinto(self, buffer):
        n = min(len(buffer) // 2, self._left)
        self._left -= n
        samples = memoryview(buffer)
        for i in range(n):
            self._random = self._random * 1103515245 + 12345 & 0x7FFFFFFF
            sample = (self._random >> 16) % (2 * self._level + 1) - self._level
            samples[2 * i] = sample & 0xFF
            samples[2 * i + 1] = sample >> 8 & 0xFF
        return 2 * n


# A WAV file, or one that has nothing but samples.
class Recording:
    def __init__(self, name):
        self._file = builtins.open(name, "rb")
        end = self._file.seek(0, 2)
        self._file.seek(0)
        n = self._find(name) if self._file.read(4) == b"RIFF" else self._file.seek(0) or end
        self._left = min(n, end - self._file.tell()) & ~1

    # The bytes of samples in a WAV file, which are read next.
    def _find(self, name):
        self._file.seek(12)
        while len(chunk := self._file.read(8)) == 8:
            kind, size = struct.unpack("<4sI", chunk)
            if kind == b"data":
                return size
            start = self._file.tell()
            if kind == b"fmt ":
                _, channels, rate, _, _, bits = struct.unpack("<HHIIHH", self._file.read(16))
                if (channels, rate, bits) != (1, 16000, 16):
                    raise ValueError(
                        "%s: %d channels of %d bits, %d a second; 1 of 16 and 16000 needed"
                        % (name, channels, bits, rate)
                    )
            self._file.seek(start + size + size % 2)
        raise ValueError(name + ": a WAV file without samples")

    def readinto(self, buffer):
        n = self._file.readinto(memoryview(buffer)[: self._left])
        self._left -= n
        return n


class Recordings:
    def __init__(self, *streams):
        self._streams = list(streams)

    def readinto(self, buffer):
        while self._streams:
            if n := self._streams[0].readinto(buffer):
                return n
            self._streams.pop(0)
        return 0


# A stream, as machine.I2S is one.
def open():
    yes, no = (Recording(name + "_1000ms_sample.data") for name in ("yes", "no"))
    return Recordings(Noise(0), yes, Noise(0), Noise(500), no, Noise(0))
