# The source of pictures and sound: photographs, and recordings of a word. For a camera and a
# microphone look() takes a picture and listen() a second of sound, as in the examples
# person_detection and micro_speech.

WIDTH = HEIGHT = 96

pictures = iter(("person", "no_person", "person"))
words = iter(("yes", "no"))
frame = bytearray(WIDTH * HEIGHT)
sound = bytearray(32000)  # 16000 samples of 16 bits


def read(name, buffer):
    with open(name, "rb") as file:
        file.readinto(buffer)
    return buffer


# None when there are no more.
def look():
    picture = next(pictures, None)
    return picture and read(picture + "_image_data_grayscale.data", frame)


def listen():
    return read(next(words) + "_1000ms_sample.data", sound)
