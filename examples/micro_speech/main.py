# Which word was said? Sound becomes rows of features, the model scores the last 49 of them, which
# are a second, and a word counts when its scores stay high.

import microlite
import microphone
from microlite.audio import FrontEnd
from microlite.stream import Chunks, Scores, Stream, Window

LABELS = "silence", "unknown", "yes", "no"
ROW_MS = 20

with microlite.Model("micro_speech.tflite") as model:
    front_end = FrontEnd("pcan", stride_ms=ROW_MS)
    window = Window(model.inputs[0], len(front_end.row))
    scores = Scores(len(LABELS), ignore=(0, 1))
    chunks = Chunks(microphone.open(), bytearray(640))
    for row in Stream(chunks, front_end.feed):
        if window.append(row) and window.count % 4 == 0:
            window.write()
            model.invoke()
            now = window.count * ROW_MS
            word = scores.update(model.outputs[0], now)
            if word is not None:
                score = scores.averages[word]
                print('%.1f s: heard "%s" (%.2f)' % (now / 1000, LABELS[word], score))
