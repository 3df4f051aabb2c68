# What the scripts of this directory share; they source it.
#
# Comes in: the names of interpreters, directories, commands. Goes out: an
# installation that is as pinned, or a line that says what is missing; programs
# that run until the script ends.

if [ "${BASH_VERSINFO[0]}" -lt 4 ]; then
    echo "run.sh: this is bash $BASH_VERSION, the script needs bash 4 or newer" >&2
    exit 1
fi

die() {
    echo "run.sh: $*" >&2
    exit 1
}

# need_python NAME: an interpreter that the pinned versions run with.
need_python() {
    command -v "$1" >/dev/null ||
        die "there is no $1: install Python 3.11 or newer, or name one with PYTHON=..."
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
        die "$1 is $("$1" -V 2>&1), the pinned versions need Python 3.11 or newer; name one with PYTHON=..."
    "$1" -c 'import ensurepip, venv' 2>/dev/null ||
        die "$1 cannot make a venv: install its module (on Debian and Ubuntu: apt install python3-venv)"
}

# need_node NAME: Node, and npm beside it.
need_node() {
    command -v "$1" >/dev/null ||
        die "there is no $1: install Node 20 or newer with npm, or name one with NODE=..."
    "$1" -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' ||
        die "$1 is Node $("$1" --version), the JavaScript SDK needs 20 or newer; name one with NODE=..."
    command -v npm >/dev/null || die "there is no npm: install it, it comes with Node"
}

# patiently COMMAND...: registries have bad minutes, so up to three attempts.
patiently() {
    local attempt
    for attempt in 1 2 3; do
        "$@" && return
        [ "$attempt" -eq 3 ] || {
            echo "run.sh: that failed; once more in $((attempt * 5)) s: $*" >&2
            sleep $((attempt * 5))
        }
    done
    die "gave up after three attempts: $*"
}

# is_made DIR WANTED: whether DIR was made to the end, from WANTED.
is_made() {
    [ -e "$1/installed" ] && [ "$2" = "$(cat "$1/installed")" ]
}

# make_venv DIR PYTHON REQUIREMENTS [CONSTRAINTS...]: a venv with what the first
# file asks for. It is made anew when a file or the interpreter has changed.
make_venv() {
    local dir=$1 interpreter=$2 requirements=$3 wanted
    shift 2
    wanted=$(cat "$@" && "$interpreter" -VV)
    is_made "$dir" "$wanted" && return
    echo "run.sh: installing the Python SDK into $dir"
    rm -rf "$dir"
    "$interpreter" -m venv "$dir"
    patiently "$dir/bin/pip" install --quiet --disable-pip-version-check -r "$requirements"
    printf '%s\n' "$wanted" >"$dir/installed"
}

# make_modules DIR NODE SOURCE: `node_modules` in DIR, by the lock file in
# SOURCE. Made anew as a venv is.
make_modules() {
    local dir=$1 interpreter=$2 source=$3 wanted
    wanted=$(cat "$source/package.json" "$source/package-lock.json" && "$interpreter" --version)
    is_made "$dir" "$wanted" && return
    echo "run.sh: installing the JavaScript SDK into $dir"
    rm -rf "$dir"
    mkdir -p "$dir"
    cp "$source/package.json" "$source/package-lock.json" "$dir"
    # No package here needs its install script.
    patiently npm ci --prefix "$dir" --loglevel=error --ignore-scripts --no-audit --no-fund
    printf '%s\n' "$wanted" >"$dir/installed"
}

# Programs that serve: each says where its card is, by a line `card  URL`. Their
# output goes to $work.
declare -A pids=()
start_seconds=30
stop_seconds=5

running() {
    kill -0 "${pids[$1]}" 2>/dev/null
}

# start NAME COMMAND...
start() {
    local name=$1
    shift
    "$@" >"$work/$name.out" 2>"$work/$name.err" &
    pids[$name]=$!
}

# Asks the programs to end, and insists when one does not.
stop_programs() {
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

# card NAME: the address that the program printed.
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
        die "the program $1 printed no address of its card within $start_seconds s"
    fi
    printf '%s' "$url"
}

# ended_or_failed STATUS: tells of programs that ended by themselves, and when
# anything failed, the last lines of what they said. Returns the status to end with.
ended_or_failed() {
    local status=$1 name
    for name in "${!pids[@]}"; do
        running "$name" || {
            echo "run.sh: the program $name ended by itself" >&2
            status=1
        }
    done
    [ "$status" -eq 0 ] || for name in "${!pids[@]}"; do
        echo "run.sh: the last lines of the standard error of $name:" >&2
        tail -n 20 "$work/$name.err" >&2
    done
    return "$status"
}
