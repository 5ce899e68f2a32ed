# A script in the names of tf.lite that runs on boards and on a computer with ai-edge-litert: the
# sine by a model of bytes, which are quantised by hand.

import math
from array import array

try:
    from microlite.compat import Interpreter
except ImportError:
    from ai_edge_litert.interpreter import Interpreter  # type: ignore[no-redef]

interpreter = Interpreter(model_path="sine.tflite")
interpreter.allocate_tensors()
x = interpreter.get_input_details()[0]
y = interpreter.get_output_details()[0]

worst = 0.0
for i in range(8):
    angle = 2 * math.pi * i / 8
    scale, zero_point = x["quantization"]
    number = min(max(round(angle / scale) + zero_point, -128), 127)
    interpreter.set_tensor(x["index"], [array("b", [number])])
    interpreter.invoke()
    number = int(interpreter.get_tensor(y["index"])[0][0])
    scale, zero_point = y["quantization"]
    sine = (number - zero_point) * scale
    worst = max(worst, abs(sine - math.sin(angle)))
    print("%5.2f %5.2f" % (angle, sine))
print("largest error %.2f" % worst)
