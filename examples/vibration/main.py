# Does the motor run as it used to? An autoencoder that knows the spectra of motors in good order
# draws the spectrum again; what it cannot draw is new.

from array import array

import accelerometer
import microlite

SCALE = 1 / 20000  # of magnitudes, as in training
LEARN = 20  # windows of this motor in good order

magnitudes = array("f", bytes(4 * (accelerometer.WINDOW // 2 + 1)))
scratch = array("f", bytes(4 * (accelerometer.WINDOW * 5 // 4 + 1)))
limit = 0.0
strange = 0

with microlite.Model("autoencoder.tflite", keep_inputs=True) as model:
    x, again = model.inputs[0], model.outputs[0]
    for i, readings in enumerate(accelerometer.windows()):
        microlite.spectrum(readings, magnitudes, scratch=scratch)
        x.write(magnitudes, mul=SCALE)
        model.invoke()
        score = microlite.mse(x, again)
        if i < LEARN:
            limit = max(limit, 2 * score)
        else:
            strange = strange + 1 if score > limit else 0
            if strange == 3:  # in a row
                print(
                    "%.1f s: strange, score %.1f times the limit"
                    % ((i + 1) * accelerometer.WINDOW / accelerometer.RATE, score / limit)
                )
