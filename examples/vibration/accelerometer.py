# The source of readings: a recording of a motor, one window after the other. For a sensor copy
# accelerometer_i2c.py to the board under this name.

from array import array

RATE = 1000  # readings a second, as in training
WINDOW = 128


# The array is the same each time, with other numbers.
def windows():
    readings = array("h", bytes(2 * WINDOW))
    with open("motor.data", "rb") as file:
        while file.readinto(readings) == 2 * WINDOW:
            yield readings
