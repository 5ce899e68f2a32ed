# docs/migrating.md: the new lines work in the order of the table, the program runs, and the older
# module, for which another module in C stands in, shows as the page says.

import math
import re
from pathlib import Path

import targets
from microlite_tools import romfs

PAGE = (Path(__file__).parent.parent / "docs/migrating.md").read_text()


def run(script: str, models: Path) -> list[str]:
    return targets.run("unix", script, romfs.collect(models)).splitlines()


def test_new_names(crate_models: Path) -> None:
    rows = re.findall(r"^\| (?:`.*?`|[\w ]+) \| `(.*?)` \|", PAGE, re.MULTILINE)
    assert len(rows) == PAGE.count("\n|") - 2
    script = "import microlite\nfrom array import array\n"
    for row in rows:
        name, equals, _ = row.partition(" = ")
        script += f"{row}\nprint({name})\n" if equals else f"print({row})\n"
    lines = run(script, crate_models)
    told = dict(zip(rows, lines, strict=True))
    assert told["x.dtype"] == "int8"
    assert told['x.write_raw(array("b", [q]))'] == told["model.invoke()"] == "None"
    assert told["y.dequantize(q)"] == told["y[0]"] == told["model.predict([0.5])[0]"]
    assert abs(float(told["y[0]"]) - math.sin(0.5)) < 0.2  # as exact as the model is


def test_program(crate_models: Path) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    lines = run(program, crate_models)
    assert len(lines) == 1000
    points = [[float(number) for number in line.split(",")] for line in lines]
    assert sum(abs(y - math.sin(x)) for x, y in points) < 0.1 * len(points)


def test_signs_of_the_older_module(crate_models: Path) -> None:
    (block,) = re.findall(r"```\n(>>> .*?)```", PAGE, re.DOTALL)
    script = "import sys, array\nsys.modules['microlite'] = array\n"
    expected = []
    for line in block.splitlines():
        if line.startswith(">>> "):
            script += f"try:\n    {line[4:]}\nexcept Exception as e:\n"
            script += "    print('%s: %s' % (type(e).__name__, e))\n"
        else:
            expected.append(line)
    assert run(script, crate_models) == expected
