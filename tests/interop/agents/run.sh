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
target=$(mkdir -p "${CARGO_TARGET_DIR:-target}" && cd "${CARGO_TARGET_DIR:-target}" && pwd)
python=${PYTHON:-python3}
node=${NODE:-node}
work=$target/interop/agents
start_seconds=30
stop_seconds=5
run_seconds=600

die() {
    echo "run.sh: $*" >&2
    exit 1
}

declare -A pids=()

running() {
    kill -0 "${pids[$1]}" 2>/dev/null
}

# start NAME COMMAND...: its card's address and what it says go to files.
start() {
    local name=$1
    shift
    "$@" >"$work/$name.out" 2>"$work/$name.err" &
    pids[$name]=$!
}

# Asks the agents to end, and insists when one does not.
stop_agents() {
    local name
    for name in "${!pids[@]}"; do
        kill "${pids[$name]}" 2>/dev/null || true
    done
    for name in "${!pids[@]}"; do
        for _ in $(seq $((stop_seconds * 10))); do
            running "$name" || break
            sleep 0.1
        done
        kill -KILL "${pids[$name]}" 2>/dev/null || true
        wait "${pids[$name]}" 2>/dev/null || true
    done
    pids=()
}
trap stop_agents EXIT
trap 'exit 130' INT TERM

# card NAME: the address that the agent printed.
card() {
    local url=
    for _ in $(seq $((start_seconds * 10))); do
        url=$(sed -n 's#^card *\(http://[^ ]*\).*#\1#p' "$work/$1.out" | head -n 1)
        [ -z "$url" ] || break
        running "$1" || break
        sleep 0.1
    done
    if [ -z "$url" ]; then
        cat "$work/$1.out" "$work/$1.err" >&2
        die "the agent $1 printed no address of its card within $start_seconds s"
    fi
    printf '%s' "$url"
}

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    die "the pinned versions need Python 3.11 or newer; name one with PYTHON=..."
"$node" -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' ||
    die "the JavaScript SDK needs Node 20 or newer; name one with NODE=..."

mkdir -p "$work"

# Each is made anew when what should be in it, or the interpreter, changed.
venv=$work/python-venv
wanted=$(cat "$here/python/requirements.txt" "$here/python/constraints.txt" \
    "$here/../python/constraints.txt" && "$python" -VV)
if [ "$wanted" != "$(cat "$venv/installed" 2>/dev/null)" ]; then
    echo "run.sh: installing the Python SDK into $venv"
    rm -rf "$venv"
    "$python" -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$here/python/requirements.txt"
    printf '%s\n' "$wanted" >"$venv/installed"
fi

# Node looks for modules beside the file that wants them, so the agent is
# copied to where they are.
js=$work/js
wanted=$(cat "$here/js/package.json" "$here/js/package-lock.json" && "$node" --version)
if [ "$wanted" != "$(cat "$js/installed" 2>/dev/null)" ]; then
    echo "run.sh: installing the JavaScript SDK into $js"
    rm -rf "$js"
    mkdir -p "$js"
    cp "$here/js/package.json" "$here/js/package-lock.json" "$js"
    # No package here needs its install script.
    (cd "$js" && npm ci --silent --ignore-scripts --no-audit --no-fund)
    printf '%s\n' "$wanted" >"$js/installed"
fi
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
timeout "$run_seconds" "$target/debug/interop" "${peers[@]}" || status=$?

for name in python js rust; do
    if ! running "$name"; then
        echo "run.sh: the agent $name ended by itself" >&2
        status=1
    fi
    if [ "$status" -ne 0 ]; then
        echo "run.sh: the last lines of the standard error of $name:" >&2
        tail -n 20 "$work/$name.err" >&2
    fi
done
exit "$status"
