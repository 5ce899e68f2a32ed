# A network of three layers that has learned the sine: its predictions over one period.

import math

import microlite

WIDTH = 49
STEPS = 20

with microlite.Model("hello_world_int8.tflite") as model:
    worst = 0.0
    for i in range(STEPS + 1):
        x = 2 * math.pi * i / STEPS
        y = model.predict([x])[0]
        worst = max(worst, abs(y - math.sin(x)))
        column = round((y + 1.1) / 2.2 * (WIDTH - 1))
        line = [" "] * WIDTH
        line[WIDTH // 2] = "|"
        line[column] = "*"
        print("%5.2f %6.2f  %s" % (x, y, "".join(line).rstrip()))
    print("largest error %.3f" % worst)
    print("arena %d bytes, model %d bytes" % (model.arena_size, model.size))
