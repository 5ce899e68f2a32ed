# Two models in the memory of one: the first looks for a person, and when there is one it makes way
# for the second, which hears what the person says.

import microlite
import sources
from microlite.audio import FrontEnd
from microlite.stream import Window

PERSON, SPEECH = "person_detection_grayscale.tflite", "micro_speech.tflite"
SIGHTS = "neither", "person", "nobody"
WORDS = "silence", "unknown", "yes", "no"


def arena_of(name):
    with microlite.Model(name) as model:
        return model.arena_needed


needed = arena_of(PERSON), arena_of(SPEECH)
memory = bytearray(max(needed))
print("arenas of %d and %d bytes in %d bytes" % (needed[0], needed[1], len(memory)))
front_end = FrontEnd("pcan")


def sees_person(frame):
    with microlite.Model(PERSON, arena=memory, labels=SIGHTS) as model:
        model.inputs[0].write_image(frame, sources.WIDTH, sources.HEIGHT)
        return model.classify(top=1)[0][0] == "person"


def word_in(sound):
    with microlite.Model(SPEECH, arena=memory, labels=WORDS) as model:
        window = Window(model.inputs[0], len(front_end.row))
        front_end.reset()
        for row in front_end.feed(sound):
            window.append(row)
        window.write()
        return model.classify(top=1)[0][0]


while frame := sources.look():
    if sees_person(frame):
        print('somebody says "%s"' % word_in(sources.listen()))
    else:
        print("nobody is there")
