"""The stubs, read by mypy over `typing/examples.py`. pyright reads them among the lints."""

from __future__ import annotations

import importlib.util
import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest
import samewire


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")
@pytest.mark.skipif(os.environ.get("SAMEWIRE_FORCE_FALLBACK") == "1", reason="once is enough")
def test_examples(tmp_path):
    examples = Path(__file__).parent / "typing" / "examples.py"
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--python-version",
        "3.10",
        "--cache-dir",
        str(tmp_path),
        str(examples),
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_everything_public_is_documented():
    for name in samewire.__all__:
        if name != "__version__":
            item = getattr(samewire, name)
            assert inspect.getdoc(item), name
            if inspect.isclass(item):
                for attribute, member in vars(item).items():
                    if not attribute.startswith("_") and (callable(member) or isinstance(member, property)):
                        assert inspect.getdoc(member), f"{name}.{attribute}"


def test_stubs_name_everything():
    stub = (Path(samewire.__file__).parent / "_samewire.pyi").read_text()
    for name in dir(samewire._samewire):
        if not name.startswith("__"):
            assert f"def {name}(" in stub or f"class {name}" in stub or f"{name}:" in stub, name


def test_signatures_can_be_read():
    assert str(inspect.signature(samewire.packb)) == "(obj, /, *, default=None, ext=None, **options)"
    assert str(inspect.signature(samewire.unpack_from)) == "(data, /, offset=0, **options)"
