#!/usr/bin/env bash
# The real Python A2A client against the due-diligence agent.
#
# In: nothing (PYTHON names another interpreter than python3, CARGO_TARGET_DIR
# another target directory). Out: the lines of conversation.py; the exit status
# is not 0 if the agent, the client or any step fails.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
cd "$root"
target=${CARGO_TARGET_DIR:-$root/target}
python=${PYTHON:-python3}
work=$target/interop
venv=$work/python-venv
agent_out=$work/agent.out
agent_err=$work/agent.err
to_base='s#.*\(http://127\.0\.0\.1:[0-9][0-9]*\)/\.well-known/agent-card\.json.*#\1#p'
start_seconds=30
stop_seconds=5
agent=

die() {
    echo "run.sh: $*" >&2
    exit 1
}

running() {
    kill -0 "$agent" 2>/dev/null
}

# Asks the agent to end, and insists when it does not.
stop_agent() {
    [ -n "$agent" ] || return 0
    kill "$agent" 2>/dev/null || true
    for _ in $(seq $((stop_seconds * 10))); do
        running || break
        sleep 0.1
    done
    kill -KILL "$agent" 2>/dev/null || true
    wait "$agent" 2>/dev/null || true
    agent=
}
trap stop_agent EXIT
trap 'exit 130' INT TERM

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    die "the pinned versions need Python 3.11 or newer; name one with PYTHON=..."

mkdir -p "$work"

# The venv is made anew when what should be in it, or the interpreter, changed.
wanted=$(cat "$here/requirements.txt" "$here/constraints.txt" && "$python" -VV)
if [ ! -x "$venv/bin/python" ] || [ "$wanted" != "$(cat "$venv/installed" 2>/dev/null)" ]; then
    echo "run.sh: installing the Python client into $venv"
    rm -rf "$venv"
    "$python" -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt"
    printf '%s\n' "$wanted" >"$venv/installed"
fi

cargo build -p due-diligence
"$target/debug/due-diligence" --addr 127.0.0.1:0 >"$agent_out" 2>"$agent_err" &
agent=$!

base=
for _ in $(seq $((start_seconds * 10))); do
    base=$(sed -n "$to_base" "$agent_out" | tail -n 1)
    [ -z "$base" ] || break
    running || break
    sleep 0.1
done
if [ -z "$base" ]; then
    cat "$agent_out" "$agent_err" >&2
    running || die "the agent ended before it printed the address of its card"
    die "the agent printed no address of its card within $start_seconds s"
fi

status=0
PYTHONUTF8=1 PYTHONDONTWRITEBYTECODE=1 "$venv/bin/python" "$here/conversation.py" "$base" || status=$?

if ! running; then
    echo "run.sh: the agent ended by itself" >&2
    status=1
fi
if [ "$status" -ne 0 ]; then
    echo "run.sh: the last lines of the agent's standard error:" >&2
    tail -n 40 "$agent_err" >&2
fi
exit "$status"
