#!/usr/bin/env bash
# The command on a terminal: what it asks, its live line, its colours. The other
# tests run it in pipes, where none of that may be.
#
# In: nothing (PYTHON names another interpreter than python3, CARGO_TARGET_DIR
# another target directory). Out: a line for each conversation; the exit status is
# not 0 if one went otherwise.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
cd "$root"
. "$here/../common.sh"
target=${CARGO_TARGET_DIR:-$root/target}
python=${PYTHON:-python3}

need_python "$python"
cargo build --locked -p cargo-a2a
"$python" "$here/terminal.py" "$target/debug/cargo-a2a"
