# Which word was said? The model hears one second of sound as 49 x 40 spectral features.

import microlite

LABELS = ("silence", "unknown", "yes", "no")
FEATURES = ("yes_micro_f2e59fea_nohash_1.data", "no_micro_f9643d42_nohash_4.data")

with microlite.Model("micro_speech.tflite") as model:
    for name in FEATURES:
        with open(name, "rb") as file:
            model.inputs[0].write_raw(file.read())
        model.invoke()
        scores = model.outputs[0].read()
        best = max(range(len(LABELS)), key=lambda i: scores[i])
        print('%s: "%s" (%.2f)' % (name, LABELS[best], scores[best]))
    print("arena %d bytes, model %d bytes" % (model.arena_size, model.size))
