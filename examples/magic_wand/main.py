# Which figure was drawn in the air? The model takes 128 readings of an accelerometer, which are
# five seconds; a figure stands at their end, with zeros before it.

from array import array

import accelerometer
import microlite
from microlite.stream import Window

LABELS = "wing", "ring", "slope", "nothing"
FIGURES = {
    "wing": "\\    /\\    /\n \\  /  \\  /\n  \\/    \\/",
    "ring": "   ---\n /     \\\n|       |\n \\     /\n   ---",
    "slope": "    /\n   /\n  /\n /____",
}
ZERO = array("f", (0, 0, 0))

with microlite.Model("magic_wand.tflite", labels=LABELS) as model:
    window = Window(model.inputs[0], len(ZERO))
    for readings in accelerometer.figures():
        for _ in range(window.rows):
            window.append(ZERO)
        for xyz in readings:
            window.append(xyz)
        window.write()
        label, score = model.classify(top=1)[0]
        print("%s (%.2f)" % (label, score))
        if label in FIGURES:
            print(FIGURES[label])
