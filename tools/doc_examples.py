"""Runs the fenced examples of README.md and docs/*.md, so that the handbook cannot rot.

```python blocks of a page run in one namespace, top to bottom, each page in a folder of its own; ```js blocks
run as one ES module per block with `samewire` importable; ```console blocks run each `$ command` and compare what
it prints with the lines below it (`...` stands for anything). ```rust blocks of README.md are
tested by rustdoc. A block whose info string has `no-run` is shown only.

Python and console blocks share the page's folder, so that one can write a file that the other reads.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^( *)```(\S+)([^\n]*)\n(.*?)^\1```$", re.M | re.S)
RUNNABLE = {"python", "js", "console"}


def examples(text: str):
    for m in FENCE.finditer(text):
        language, info = m[2], m[3]
        if language in RUNNABLE and "no-run" not in info:
            yield language, text.count("\n", 0, m.start()) + 1, re.sub(rf"^{m[1]}", "", m[4], flags=re.M)


def run_python(code: str, where: str, names: dict) -> None:
    exec(compile(code, where, "exec"), names)


def run_js(code: str, where: str, folder: Path) -> None:
    # Beside node_modules, where `import 'samewire'` finds the package.
    scratch = TOP / ".cache" / "doc-examples"
    scratch.mkdir(parents=True, exist_ok=True)
    file = scratch / "example.mjs"
    file.write_text(code)
    done = subprocess.run(["node", str(file)], cwd=folder, capture_output=True, text=True, timeout=60)
    if done.returncode:
        raise AssertionError(done.stderr or f"exit status {done.returncode}")


def run_console(code: str, where: str, folder: Path) -> None:
    environment = dict(os.environ, PATH=f"{TOP}/.venv/bin:{os.environ['PATH']}", COLUMNS="100", NO_COLOR="1")
    steps = re.split(r"^\$ ", code, flags=re.M)[1:]
    if not steps:
        raise AssertionError("a console block without `$ command`")
    for step in steps:
        # A command goes on over lines that end in a backslash.
        m = re.match(r"((?:[^\n]*\\\n)*[^\n]*)\n?(.*)", step, re.S)
        assert m
        command, expected = m[1], m[2].rstrip()
        shell = ["bash", "-c", command]
        done = subprocess.run(shell, cwd=folder, env=environment, capture_output=True, text=True, timeout=60)
        printed = (done.stdout + done.stderr).rstrip()
        pattern = re.escape(expected).replace(r"\.\.\.", ".*")
        if not re.fullmatch(pattern, printed, re.S):
            raise AssertionError(f"$ {command}\nprinted\n{printed}\ninstead of\n{expected}")


def have_python() -> bool:
    return subprocess.run([sys.executable, "-c", "import samewire"], capture_output=True).returncode == 0


def main() -> int:
    have = {
        "python": have_python(),
        "js": (TOP / "node_modules" / "samewire").exists(),
        "console": (Path(sys.executable).parent / "samewire").exists(),
    }
    passed = failed = skipped = 0
    for page in [TOP / "README.md", *sorted((TOP / "docs").glob("**/*.md"))]:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            names: dict = {"__name__": "example"}
            os.chdir(folder)
            for language, line, code in examples(page.read_text()):
                where = f"{page.relative_to(TOP)}:{line}"
                if not have[language]:
                    skipped += 1
                    print(f"skipped: {where}: {language} is not built (make setup)")
                    continue
                try:
                    if language == "python":
                        run_python(code, where, names)
                    elif language == "js":
                        run_js(code, where, folder)
                    else:
                        run_console(code, where, folder)
                    passed += 1
                except Exception as error:
                    failed += 1
                    print(f"FAILED: {where} ({language})")
                    if isinstance(error, AssertionError) and language != "python":
                        print(error)
                    else:
                        traceback.print_exc(limit=-2, file=sys.stdout)
            os.chdir(TOP)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
