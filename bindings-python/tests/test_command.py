"""The command that the wheel installs."""

from __future__ import annotations

import subprocess
import sys

import samewire


def run(*arguments: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "samewire", *arguments], input=data, capture_output=True)


def test_it_runs():
    done = run("--version")
    assert done.returncode == 0 and samewire.__version__.encode() in done.stdout
    assert run("--no-such-option").returncode != 0
    done = run("convert", "--to", "msgpack", data=b'{"a":[1,2.5]}')
    assert done.returncode == 0, done.stderr
    assert samewire.unpackb(done.stdout) == {"a": [1, 2.5]}
