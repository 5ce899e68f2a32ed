# Is there a person in the picture? Frames of any size are cropped and scaled on their way into the
# model; the names of its classes are in person_detection_grayscale.txt.

import frames
import microlite

SHADES = " .:-=+*#%@"


# One character for 4 x 8 pixels of what the model sees.
def show(image):
    _, height, width, _ = image.shape
    for y in range(0, height, 8):
        row = [image.data[y * width + x] for x in range(0, width, 4)]
        print("".join(SHADES[grey * len(SHADES) // 256] for grey in row))


with microlite.Model("person_detection_grayscale.tflite", keep_inputs=True) as model:
    for frame in frames.frames():
        model.inputs[0].write_image(frame, frames.WIDTH, frames.HEIGHT)
        label, score = model.classify(top=1)[0]
        show(model.inputs[0])
        print("%s (%.2f)" % (label, score))
