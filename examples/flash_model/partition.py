# Where the model lies: in the ROMFS partition of a board, which MicroPython mounts at /rom. On a
# computer an image of it is mounted from a file.

import os

MODEL = "/rom/person_detection_grayscale.tflite"
IMAGE = "../../build/models.romfs"

try:
    os.stat(MODEL)
except OSError:
    import vfs

    try:
        with open(IMAGE, "rb") as file:
            image = file.read()
    except OSError:
        raise OSError(IMAGE + " is missing; README.md tells how to make it")
    vfs.mount(vfs.VfsRom(image), "/rom")  # type: ignore[attr-defined]
