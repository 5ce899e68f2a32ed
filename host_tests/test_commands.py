# docs/commands.md: what it shows is what the commands print, and the keys of --json are those that
# it lists. `python host_tests/test_commands.py`, run in the root, brings what it shows up to date.

import contextlib
import io
import json
import os
import re
import shlex
import signal
import tempfile
from pathlib import Path

import pytest

import bad_models
import targets
from microlite_tools import cli, console

DOCS = Path(__file__).resolve().parent.parent / "docs/commands.md"
SHOWN = re.compile(r"```console\n\$ microlite (.*)\n((?s:.*?))```")
WIDTH = 80


def sections() -> dict[str, str]:
    parts = re.split(r"^## (.*)\n", DOCS.read_text(), flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def in_folder(folder: Path, models: Path) -> None:
    """Go to a folder with the models of the examples."""
    for path in models.glob("*.tflite"):
        (folder / path.name).write_bytes(path.read_bytes())
    (folder / "hybrid.tflite").write_bytes(bad_models.dense("float32", "int8").to_bytes())
    os.chdir(folder)


def printed(words: str) -> str:
    """What a command prints on a terminal of 80 columns."""
    console.out.width = WIDTH
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        cli.main(shlex.split(words))
    shown = text.getvalue().replace(f"@{Path.cwd().resolve()}/", "@/models/")
    return "".join(line.rstrip() + "\n" for line in shown.splitlines())


EXAMPLES = dict(SHOWN.findall(DOCS.read_text()))


@pytest.mark.parametrize("words", EXAMPLES)
def test_example(
    words: str, tmp_path: Path, crate_models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if words.startswith("inspect"):
        targets.binary("unix32")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(console.out, "width", WIDTH)
    in_folder(tmp_path, crate_models)
    assert printed(words) == EXAMPLES[words]


def test_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """While a command is still being imported."""

    def interrupt(name: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "import_module", interrupt)
    assert cli.main(["boards"]) == 128 + signal.SIGINT


@pytest.mark.parametrize("command", ["inspect", "ops"])
def test_keys(
    command: str,
    tmp_path: Path,
    crate_models: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One line for each key, whose text names those of its value."""
    monkeypatch.chdir(tmp_path)
    in_folder(tmp_path, crate_models)
    cli.main([command, "person_detect.tflite", "--json"])
    report = json.loads(capsys.readouterr().out)
    lines = re.findall(r"^\| (`.*?) \| (.*) \|$", sections()[command], re.MULTILINE)
    listed = {key: text for keys, text in lines for key in re.findall(r"`(\w+)`", keys)}
    assert list(listed) == list(report)
    for key, value in report.items():
        inner = value[0] if isinstance(value, list) and value else value
        if isinstance(inner, dict) and key != "missing_ops":
            assert set(inner) <= {*re.findall(r"`(\w+)`", listed[key])}, key


def update() -> None:
    text = DOCS.read_text()
    with tempfile.TemporaryDirectory() as folder:
        in_folder(Path(folder), DOCS.parent.parent / "build/models")
        DOCS.write_text(
            SHOWN.sub(lambda m: f"```console\n$ microlite {m[1]}\n{printed(m[1])}```", text)
        )


if __name__ == "__main__":
    update()
