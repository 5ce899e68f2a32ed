# Is there a person in the picture? Two photographs of 96 x 96 grey pixels.

import microlite

PHOTOGRAPHS = ("person_image_data_grayscale.data", "no_person_image_data_grayscale.data")
SIDE = 96
SHADES = " .:-=+*#%@"

with microlite.Model("person_detection_grayscale.tflite") as model:
    for name in PHOTOGRAPHS:
        with open(name, "rb") as file:
            frame = file.read()
        model.inputs[0].write_image(frame, SIDE, SIDE)
        model.invoke()
        _, person, no_person = model.outputs[0].read()
        for y in range(0, SIDE, 8):  # one character for 4 x 8 pixels
            row = [frame[y * SIDE + x] for x in range(0, SIDE, 4)]
            print("".join(SHADES[grey * len(SHADES) // 256] for grey in row))
        answer = "a person" if person > no_person else "no person"
        print("%s: %s (person %.2f, no person %.2f)" % (name, answer, person, no_person))
    print("arena %d bytes, model %d bytes" % (model.arena_size, model.size))
