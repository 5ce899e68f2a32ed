# The source of sound: recordings one after the other, WAV files or plain samples, 16000 a second
# of 16 bits, mono. For a microphone at I2S copy microphone_i2s.py to the board under this name.

import builtins


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


def recording(name):
    file = builtins.open(name, "rb")
    file.seek(44 if file.read(4) == b"RIFF" else 0)
    return file


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
    yes, no = (recording(name + "_1000ms_sample.data") for name in ("yes", "no"))
    return Recordings(Noise(0), yes, Noise(0), Noise(500), no, Noise(0))
