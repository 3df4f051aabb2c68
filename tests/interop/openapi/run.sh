#!/usr/bin/env bash
# The OpenAPI documents that the generator makes, against a validator that
# nobody here wrote.
#
# In: nothing (PYTHON names another interpreter than python3, CARGO_TARGET_DIR
# another target directory). Out: a line for each document; the exit status is
# not 0 if one is not valid, or if the validator takes a broken one for valid.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
cd "$root"
. "$here/../common.sh"
target=${CARGO_TARGET_DIR:-$root/target}
python=${PYTHON:-python3}
work=$target/interop
venv=$work/openapi-venv
documents=$work/openapi

need_python "$python"
mkdir -p "$documents"
make_venv "$venv" "$python" "$here/requirements.txt"

document() {
    cargo run --locked -q -p cargo-a2a -- generate --from "$1" --emit openapi --out "$documents/$2.json"
}
document 1.0 a2a-1.0
document 0.3 a2a-0.3
document examples/custom-service/proto/inventory.proto inventory
"$venv/bin/python" "$here/validate.py" "$documents"/*.json
