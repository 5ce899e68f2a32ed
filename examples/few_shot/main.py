# New classes from ten samples each, without training: a network describes a sample by eight
# numbers, a class is the mean of its samples' descriptions, and the nearest mean is the answer.

from array import array

import microlite
import sensor

SCALE = 1 / 20000  # of magnitudes, as in training


class Classes:
    def __init__(self):
        self._means = {}
        self._counts = {}

    def learn(self, name, embedding):
        mean = self._means.setdefault(name, array("f", (0 for _ in embedding)))
        count = self._counts[name] = self._counts.get(name, 0) + 1
        for i, value in enumerate(embedding):
            mean[i] += (value - mean[i]) / count

    # The nearest class and how far it is.
    def nearest(self, embedding):
        error, name = min((microlite.mse(embedding, self._means[n]), n) for n in self._means)
        return name, error**0.5


magnitudes = array("f", bytes(4 * (sensor.WINDOW // 2 + 1)))
scratch = array("f", bytes(4 * (sensor.WINDOW * 5 // 4 + 1)))
classes = Classes()

with microlite.Model("embedding.tflite") as model:
    for name, readings in sensor.samples():
        microlite.spectrum(readings, magnitudes, scratch=scratch)
        model.inputs[0].write(magnitudes, mul=SCALE)
        model.invoke()
        if name:
            classes.learn(name, model.outputs[0])
        else:
            print("%s (distance %.2f)" % classes.nearest(model.outputs[0]))
