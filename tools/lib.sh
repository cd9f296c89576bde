# What the scripts in this folder share: `. "$(dirname "$0")/lib.sh"`. Goes to the top of the project, checks toolchains,
# makes the project's own folders. Nothing is installed outside of them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
top=$PWD

say() { printf '\033[1m%s\033[0m\n' "$*" >&2; }
# A missing toolchain ends the run with the one command that brings it.
missing() { printf '\n%s is needed: %s\n\n    %s\n\n' "$1" "$2" "$3" >&2; exit 3; }

need_cargo() {
  cargo --version >/dev/null 2>&1 && return
  # The pinned toolchain is not there; another one that is new enough will do.
  if command -v rustup >/dev/null; then
    local other
    for other in $(rustup toolchain list | sed 's/ .*//'); do
      case $(rustc "+$other" --version 2>/dev/null) in
        'rustc 1.9'[5-9].*-*) ;;
        'rustc 1.9'[5-9].* | 'rustc 1.'[1-9][0-9][0-9].*)
          export RUSTUP_TOOLCHAIN=$other
          echo "using the Rust toolchain $other for the one that rust-toolchain.toml names" >&2
          return ;;
      esac
    done
    missing 'Rust 1.95' 'the pinned toolchain is not installed' 'rustup toolchain install'
  fi
  missing 'Rust 1.95' 'there is no cargo' "curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y && . ~/.cargo/env"
}

# Prints a CPython of 3.10 or later: of the version asked for, or any.
find_python() {
  local p want=${1-}
  for p in "${HOME}/.pyenv/versions/$want."*/bin/python "python${want:-3}" python3 python3.13 python3.12 python3.11 python3.10; do
    if "$p" -c "import sys, ensurepip, venv
v = '%d.%d' % sys.version_info[:2]
sys.exit(not (sys.version_info >= (3, 10) and '$want' in ('', v)))" 2>/dev/null; then
      "$p" -c 'import sys; print(sys.executable)'
      return
    fi
  done
  return 1
}

need_python() {
  find_python >/dev/null || missing 'Python 3.10 or later' 'none with venv was found' 'apt-get install -y python3 python3-venv    # or: brew install python'
}

need_node() {
  local v
  v=$(node -p 'process.versions.node.split(".")[0]' 2>/dev/null) || v=0
  [ "$v" -ge 20 ] || missing 'Node 20 or later' "found $(node --version 2>/dev/null || echo none)" 'apt-get install -y nodejs npm    # or: brew install node'
}

# .venv with the pinned tools of tools/requirements.txt; pip is asked only when the list has changed.
ensure_venv() {
  need_python
  [ -x .venv/bin/python ] && .venv/bin/python -c '' 2>/dev/null || { rm -rf .venv; "$(find_python)" -m venv .venv; }
  if ! cat tools/requirements*.txt | cmp -s - .venv/.requirements; then
    say 'installing the pinned Python tools into .venv'
    .venv/bin/python -m pip install -q --disable-pip-version-check -r tools/requirements.txt
    cat tools/requirements*.txt > .venv/.requirements
  fi
}

# Builds the wheel for a virtual environment's Python, as users get it, and installs it there: install_wheel VENV
install_wheel() {
  local venv=$1 wheels
  wheels=target/wheels/$(basename "$venv")
  rm -rf "$wheels"
  .venv/bin/maturin build -q --release --locked -m bindings-python/Cargo.toml -i "$venv/bin/python" -o "$wheels"
  "$venv/bin/python" -m pip install -q --disable-pip-version-check --force-reinstall --no-deps "$wheels"/*.whl
}
