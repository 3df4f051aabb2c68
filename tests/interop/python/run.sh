#!/usr/bin/env bash
# The real Python A2A client against the due-diligence agent, the travel desk, and
# an agent that asks for credentials.
#
# In: nothing (PYTHON names another interpreter than python3, CARGO_TARGET_DIR
# another target directory). Out: the lines of conversation.py, travel_desk.py and
# authentication.py; the exit status is not 0 if an agent, the client or any step
# fails.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
cd "$root"
. "$here/../common.sh"
target=${CARGO_TARGET_DIR:-$root/target}
python=${PYTHON:-python3}
work=$target/interop
venv=$work/python-venv
trap stop_programs EXIT
trap 'exit 130' INT TERM
export PYTHONUTF8=1 PYTHONDONTWRITEBYTECODE=1

need_python "$python"

mkdir -p "$work"
make_venv "$venv" "$python" "$here/requirements.txt" "$here/constraints.txt"

cargo build --locked -p due-diligence -p travel-desk -p e2e
start agent "$target/debug/due-diligence" --addr 127.0.0.1:0
start travel-desk "$target/debug/travel-desk" --addr 127.0.0.1:0
start guarded-agent "$target/debug/guarded-agent"
url=$(card agent)
# It has said everything when it has said where its card is.
card guarded-agent >/dev/null

status=0
"$venv/bin/python" "$here/conversation.py" "${url%/.well-known/*}" || status=$?
desk=$(card travel-desk)
"$venv/bin/python" "$here/travel_desk.py" "${desk%/.well-known/*}" || status=$?
"$venv/bin/python" "$here/authentication.py" "$work/guarded-agent.out" || status=$?
ended_or_failed "$status"
