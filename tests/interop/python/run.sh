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
. "$here/../common.sh"
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

need_python "$python"

mkdir -p "$work"
make_venv "$venv" "$python" "$here/requirements.txt" "$here/constraints.txt"

cargo build --locked -p due-diligence
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
