# One version, that of manifest.py, and one list of files, that of the folder.

import json
import re
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = json.loads((ROOT / "package.json").read_text())


def manifest_version() -> Any:
    metadata: dict[str, Any] = {}
    names: dict[str, Any] = {"metadata": metadata.update, "package": len}
    exec((ROOT / "manifest.py").read_text(), names)
    return metadata["version"]


def test_versions() -> None:
    version = manifest_version()
    assert re.fullmatch(r"\d+\.\d+\.\d+", version)
    assert PACKAGE["version"] == version
    for project in ("pyproject.toml", "stubs/pyproject.toml"):
        assert tomllib.loads((ROOT / project).read_text())["project"]["version"] == version
    assert f'__version__ = "{version}"' in (ROOT / "microlite/__init__.py").read_text()
    assert f"\n## {version}\n" in (ROOT / "CHANGELOG.md").read_text()


def test_mip_installs_all_files() -> None:
    files = {str(path.relative_to(ROOT)) for path in ROOT.glob("microlite/**/*.py")}
    assert {target for target, _ in PACKAGE["urls"]} == files
    assert {source for _, source in PACKAGE["urls"]} == files
