"""The `samewire` command: `python -m samewire`, and the script that the wheel installs."""

from __future__ import annotations

import signal
import sys


def main() -> int:
    """Runs the command with the arguments of the process."""
    from ._samewire import cli_main

    # The command is not Python: the keyboard's interrupt and a closed pipe end it as they end other programs.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    return cli_main(["samewire", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
