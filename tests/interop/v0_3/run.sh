#!/usr/bin/env bash
# Agents and clients of the SDKs of version 0.3, those of 1.0, this project's
# agent, its client and its gateway: who speaks one version with who speaks the
# other, and both at the same time on one port.
#
# In: nothing (PYTHON and NODE name other interpreters, CARGO_TARGET_DIR another
# target directory). Out: for each pair a line with its counts, and the steps that
# failed; the exit status is not 0 if a program or any step fails.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
cd "$root"
. "$here/../common.sh"
target=$(mkdir -p "${CARGO_TARGET_DIR:-target}" && cd "${CARGO_TARGET_DIR:-target}" && pwd)
python=${PYTHON:-python3}
node=${NODE:-node}
work=$target/interop/v0_3
trap stop_programs EXIT
trap 'exit 130' INT TERM
run_seconds=120
export PYTHONUTF8=1 PYTHONDONTWRITEBYTECODE=1

need_python "$python"
need_node "$node"

mkdir -p "$work"
old_venv=$work/python-venv
make_venv "$old_venv" "$python" "$here/python/requirements.txt" "$here/python/constraints.txt" \
    "$here/../agents/python/constraints.txt" "$here/../python/constraints.txt"
old_js=$work/js
make_modules "$old_js" "$node" "$here/js"
# The checks are those of the agents of 1.0.
cp "$here"/js/*.js "$here/../agents/js/check.js" "$old_js"
# The SDKs of 1.0 are installed where ../agents has them.
venv=$target/interop/agents/python-venv
js=$target/interop/agents/js
mkdir -p "$target/interop/agents"
make_venv "$venv" "$python" "$here/../agents/python/requirements.txt" \
    "$here/../agents/python/constraints.txt" "$here/../python/constraints.txt"
make_modules "$js" "$node" "$here/../agents/js"
cp "$here"/../agents/js/*.js "$here/js/harness.js" "$here/js/conversation_1_0.js" "$js"

cargo build --locked -p due-diligence -p travel-desk -p gateway -p interop -p e2e

start rust "$target/debug/due-diligence" --addr 127.0.0.1:0
start desk "$target/debug/travel-desk" --addr 127.0.0.1:0
start guarded "$target/debug/guarded-agent"
start python "$venv/bin/python" "$here/../agents/python/agent.py"
start js "$node" "$js/agent.js"
start python-0.3 env PYTHONPATH="$here/../agents/python" "$old_venv/bin/python" "$here/python/agent.py"
start js-0.3 "$node" "$old_js/agent.js"
agents=(python js python-0.3 js-0.3)
bindings=(JSONRPC HTTP+JSON GRPC)
for agent in "${agents[@]}"; do
    url=$(card "$agent")
    for binding in "${bindings[@]}"; do
        start "$agent-$binding" "$target/debug/gateway" "$url" --listen 127.0.0.1:0 --binding "$binding"
    done
done

limit=()
! command -v timeout >/dev/null || limit=(timeout "$run_seconds")
declare -A playing=()

# play NAME COMMAND...: in the background; what it says goes to a file.
play() {
    local name=$1
    shift
    ${limit[@]+"${limit[@]}"} "$@" >"$work/${name//[^a-zA-Z0-9.+-]/_}.log" 2>&1 &
    playing[$name]=$!
}

passed=0
failed=0

# Waits for what plays, and tells of it.
finish() {
    local name status counts
    for name in "${!playing[@]}"; do
        status=0
        wait "${playing[$name]}" || status=$?
        counts=$(tail -n 1 "$work/${name//[^a-zA-Z0-9.+-]/_}.log")
        if [[ "$counts" =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
            passed=$((passed + BASH_REMATCH[1]))
            failed=$((failed + BASH_REMATCH[2]))
            echo "$name: $counts"
        else
            echo "$name: gave no counts"
            status=1
        fi
        [ "$status" -eq 0 ] || {
            grep -v '^ok ' "$work/${name//[^a-zA-Z0-9.+-]/_}.log" | head -n 60
            [[ "$counts" =~ [1-9][0-9]*\ failed ]] || failed=$((failed + 1))
            [ "$status" -ne 124 ] || echo "run.sh: it was not done within $run_seconds s"
        }
    done
    playing=()
}

base() {
    local url
    url=$(card "$1")
    printf '%s' "${url%/.well-known/*}"
}

old_python() { play "$1" "$old_venv/bin/python" "$here/python/conversation.py" "$2"; }
old_js() { play "$1" "$node" "$old_js/conversation.js" "$2"; }
new_python() { play "$1" "$venv/bin/python" "$here/../python/conversation.py" "${@:2}"; }
new_js() { play "$1" "$node" "$js/conversation_1_0.js" "$2"; }

# It has said who has which credentials when it has said where its card is.
card guarded >/dev/null
play "Python client 0.3 with an agent that asks for credentials" \
    "$old_venv/bin/python" "$here/python/authentication.py" "$work/guarded.out"
# All of them at the same time, on one port.
url=$(base rust)
old_python "Python client 0.3 with our agent" "$url"
old_js "JavaScript client 0.3 with our agent" "$url"
new_python "Python client 1.0 with our agent" "$url"
new_js "JavaScript client 1.0 with our agent" "$url"
play "JavaScript client 1.0 with the travel desk" "$node" "$js/travel_desk.js" "$(base desk)"
play "our client 0.3 with our agent" "$target/debug/interop" "rust-0.3=$(card rust)"
play "our client 0.3 with the Python agent 0.3" "$target/debug/interop" "python-0.3=$(card python-0.3)"
play "our client 0.3 with the JavaScript agent 0.3" "$target/debug/interop" "js-0.3=$(card js-0.3)"
finish

for agent in python js; do
    for binding in "${bindings[@]}"; do
        url=$(base "$agent-$binding")
        old_python "Python client 0.3, gateway, $agent agent 1.0 over $binding" "$url"
        old_js "JavaScript client 0.3, gateway, $agent agent 1.0 over $binding" "$url"
    done
    finish
done

for agent in python-0.3 js-0.3; do
    for binding in "${bindings[@]}"; do
        url=$(base "$agent-$binding")
        new_python "Python client 1.0, gateway, $agent agent over $binding" --old "$url"
    done
    finish
done

echo "$passed passed, $failed failed"
status=0
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ] || status=1
ended_or_failed "$status"
