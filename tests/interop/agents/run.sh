#!/usr/bin/env bash
# This project's client against agents built with the Python and JavaScript
# SDKs, and against its own example.
#
# In: nothing (PYTHON and NODE name other interpreters, CARGO_TARGET_DIR another
# target directory). Out: the lines of the driver; the exit status is not 0 if an
# agent, the driver or any step fails.
set -euo pipefail
if [ "${BASH_VERSINFO[0]}" -lt 4 ]; then
    echo "run.sh: this is bash $BASH_VERSION, the script needs bash 4 or newer" >&2
    exit 1
fi

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
cd "$root"
. "$here/../common.sh"
target=$(mkdir -p "${CARGO_TARGET_DIR:-target}" && cd "${CARGO_TARGET_DIR:-target}" && pwd)
python=${PYTHON:-python3}
node=${NODE:-node}
work=$target/interop/agents
start_seconds=30
stop_seconds=5
run_seconds=600

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
