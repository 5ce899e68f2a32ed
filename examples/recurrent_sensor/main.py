# What does a noisy sensor mean? A recurrent network takes one reading after the other; what it
# remembers of them is its state, which the model carries from run to run.

import microlite
import sensor

count = 0
x = [0.0]

with microlite.Model("filter.tflite", state={"state_out": "state"}) as model:
    for reading in sensor.readings():
        if reading is None:
            print("sensor started")
            model.reset()
            count = 0
            continue
        x[0] = reading
        value = model.predict(x)[0]
        count += 1
        if count % 20 == 0:
            print("%3d: reading %5.2f, value %5.2f" % (count, reading, value))
