#!/usr/bin/env bash
# This project's client against agents built with the Python and JavaScript
# SDKs, and against its own example.
#
# In: nothing (PYTHON and NODE name other interpreters, CARGO_TARGET_DIR another
# target directory). Out: the lines of the driver; the exit status is not 0 if an
# agent, the driver or any step fails.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
cd "$root"
. "$here/../common.sh"
target=$(mkdir -p "${CARGO_TARGET_DIR:-target}" && cd "${CARGO_TARGET_DIR:-target}" && pwd)
python=${PYTHON:-python3}
node=${NODE:-node}
work=$target/interop/agents
trap stop_programs EXIT
trap 'exit 130' INT TERM
run_seconds=600

need_python "$python"
need_node "$node"

mkdir -p "$work"
venv=$work/python-venv
make_venv "$venv" "$python" "$here/python/requirements.txt" \
    "$here/python/constraints.txt" "$here/../python/constraints.txt"
# Node looks for modules beside the file that wants them, so the agent is
# copied to where they are.
js=$work/js
make_modules "$js" "$node" "$here/js"
cp "$here"/js/*.js "$js"

cargo build --locked -p due-diligence -p interop

start python env PYTHONUTF8=1 PYTHONDONTWRITEBYTECODE=1 "$venv/bin/python" "$here/python/agent.py"
start js "$node" "$js/agent.js"
start rust "$target/debug/due-diligence" --addr 127.0.0.1:0
peers=()
for name in python js rust; do
    peers+=("$name=$(card "$name")")
done

status=0
limit=()
! command -v timeout >/dev/null || limit=(timeout "$run_seconds")
${limit[@]+"${limit[@]}"} "$target/debug/interop" "${peers[@]}" || status=$?
[ "$status" -ne 124 ] || echo "run.sh: the driver was not done within $run_seconds s" >&2

ended_or_failed "$status"
