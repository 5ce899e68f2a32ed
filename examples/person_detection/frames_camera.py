# The source of pictures: a camera such as OV2640 on an ESP32, by the module `camera` of the
# project micropython-camera-API, whose firmware knows the pins of many boards. Not yet run.

from camera import Camera, FrameSize, PixelFormat  # type: ignore[import-not-found]

WIDTH, HEIGHT = 320, 240


def frames():
    camera = Camera(pixel_format=PixelFormat.GRAYSCALE, frame_size=FrameSize.QVGA)
    while True:
        yield camera.capture()
