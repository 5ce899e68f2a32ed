# The source of pictures: two photographs, grey, one byte a pixel. For a camera copy
# frames_camera.py to the board under this name.

WIDTH = HEIGHT = 96


# The buffer is the same each time, with another picture.
def frames():
    frame = bytearray(WIDTH * HEIGHT)
    for name in ("person", "no_person"):
        with open(name + "_image_data_grayscale.data", "rb") as file:
            file.readinto(frame)
        yield frame
