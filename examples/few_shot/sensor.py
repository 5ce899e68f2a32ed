# The source of samples: a recording of three tools. The first ten of each come with the tool's
# name, the others without. A board asks its user for names, by buttons for one.

from array import array

WINDOW = 64
TOOLS = "drill", "saw", "pump"
SAMPLES = 30  # of each in the file, tool by tool
NAMED = 10


# Gives (name or None, readings). The array is the same each time, with other numbers.
def samples():
    readings = array("h", bytes(2 * WINDOW))
    with open("tools.data", "rb") as file:
        for i in range(SAMPLES):
            for k in range(len(TOOLS)):
                file.seek((k * SAMPLES + i) * 2 * WINDOW)
                file.readinto(readings)
                yield TOOLS[k] if i < NAMED else None, readings
