# Threads on the unix port, which has no lock around its interpreter: a model is one thread's at a
# time, others get RuntimeError; different models do not disturb each other.

import subprocess
from pathlib import Path

import pytest

PROLOGUE = """
import _thread, time, microlite
SINE, X, Y = "hello_world.tflite", 1, 0.8814837
PERSON = "person_detection_grayscale.tflite"
with open("person_image_data_grayscale.data", "rb") as f:
    frame = f.read()
with open(PERSON, "rb") as f:
    data = f.read()
_thread.stack_size(256 * 1024)
lock = _thread.allocate_lock()
ended = []

def start(function, *args):
    def body():
        try:
            result = function(*args)
        except BaseException as e:
            result = repr(e)
        with lock:
            ended.append(result)
    _thread.start_new_thread(body, ())

def wait(n):
    while len(ended) < n:
        time.sleep_ms(1)
    print(ended)
"""

# Every invoke that comes through has the right result, some do not.
ONE_MODEL = """
model = microlite.Model(data)

def run(until):
    right = refused = 0
    while time.ticks_diff(until, time.ticks_ms()) > 0:
        try:
            model.inputs[0].write_raw(frame)
            model.invoke()
            right += model.outputs[0].read()[1] > 0.9
        except RuntimeError as e:
            assert "busy" in str(e) or "written again" in str(e) or "no result" in str(e), e
            refused += 1
    return right, refused

until = time.ticks_add(time.ticks_ms(), 3000)
for _ in range(2):
    start(run, until)
wait(2)
model.inputs[0].write_raw(frame)
model.invoke()
print(list(model.outputs[0].data))
"""

TWO_MODELS = """
def person(n):
    for _ in range(n):
        with microlite.Model(data) as model:
            for _ in range(3):
                model.inputs[0].write_raw(frame)
                model.invoke()
                assert list(model.outputs[0].data) == [43, 250, 44]

def sine(n):
    model = microlite.Model(SINE)
    for i in range(n):
        if i % 10 == 0:
            model = microlite.Model(SINE)
        assert abs(model.predict([X])[0] - Y) < 1e-5

start(person, 10)
start(sine, 2000)
start(person, 10)
wait(3)
"""

# One thread closes what another one runs.
CLOSING = """
def run():
    outcomes = set()
    for i in range(len(models)):
        model = models[i] = microlite.Model(data)
        try:
            while True:
                model.inputs[0].write_raw(frame)
                model.invoke()
                time.sleep_us(500)
        except RuntimeError as e:
            assert "closed" in str(e) or "busy" in str(e), e
            outcomes.add("refused")
    return outcomes

def close():
    closed = 0
    while closed < len(models):
        try:
            if models[closed]:
                models[closed].close()
                closed += 1
        except RuntimeError:
            pass
        time.sleep_us(100)
    return closed

models = [None] * 20  # a list that grew would need a lock
start(run)
start(close)
wait(2)
"""

# Both want the same buffer.
ONE_ARENA = """
arena = bytearray(200000)

def run(n):
    refused = 0
    while n:
        try:
            with microlite.Model(data, arena=arena) as model:
                model.inputs[0].write_raw(frame)
                model.invoke()
                assert list(model.outputs[0].data) == [43, 250, 44]
                n -= 1
        except ValueError as e:
            assert "live model" in str(e), e
            refused += 1
        time.sleep_us(500)
    return refused > 0

start(run, 20)
start(run, 20)
wait(2)
"""


def run(micropython: Path, folder: Path, script: str) -> list[str]:
    done = subprocess.run(
        [micropython, "-X", "heapsize=8M", "-c", PROLOGUE + script],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, (done.returncode, done.stdout + done.stderr)
    return done.stdout.splitlines()


def test_one_model(micropython: Path, crate_models: Path) -> None:
    counts, scores = run(micropython, crate_models, ONE_MODEL)
    (right, refused), (right_too, refused_too) = eval(counts)
    assert right + right_too > 0
    assert refused + refused_too > 0
    assert scores == "[43, 250, 44]"


@pytest.mark.parametrize(
    ("script", "answer"),
    [(TWO_MODELS, [None] * 3), (CLOSING, [20, {"refused"}]), (ONE_ARENA, [True, True])],
    ids=["two models", "closing", "one arena"],
)
def test_threads(micropython: Path, crate_models: Path, script: str, answer: list[object]) -> None:
    (line,) = run(micropython, crate_models, script)
    assert sorted(eval(line), key=repr) == answer
