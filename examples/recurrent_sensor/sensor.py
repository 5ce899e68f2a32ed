# The source of readings: a recording, twice. None says that the sensor was started anew. A sensor
# of yours gives its readings from here.


def readings():
    for _ in range(2):
        yield None
        with open("sensor.txt") as file:
            for line in file:
                yield float(line.split()[0])
