# Ctrl-C on the unix port, which raises out of its signal handler: a run of a model ends between
# two operators, the model stays usable and gives right results.

import random
import signal
import subprocess
import time
from pathlib import Path

ROUNDS = 40

SCRIPT = """
import microlite
model = microlite.Model("person_detection_grayscale.tflite")
with open("person_image_data_grayscale.data", "rb") as f:
    frame = f.read()
for _ in range(%d):
    try:
        print("running")
        while True:
            model.invoke()
    except KeyboardInterrupt:
        pass
    model.inputs[0].write_raw(frame)
    model.invoke()
    print(list(model.outputs[0].data))
"""


def test_interrupt(micropython: Path, crate_models: Path) -> None:
    delays = random.Random(1)
    with subprocess.Popen(
        [micropython, "-c", SCRIPT % ROUNDS], cwd=crate_models, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            for _ in range(ROUNDS):
                assert process.stdout.readline() == "running\n"
                time.sleep(delays.uniform(0.001, 0.03))
                process.send_signal(signal.SIGINT)
                assert process.stdout.readline() == "[43, 250, 44]\n"
            assert process.wait(10) == 0
        finally:
            process.kill()
