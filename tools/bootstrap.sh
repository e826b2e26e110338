#!/bin/sh
# Brings .venv to what the lock files say, from nothing but a Python.
#
#   tools/bootstrap.sh core        what `superbiz` needs, and superbizagent itself (editable)
#   tools/bootstrap.sh core dev    and the tools of `make check`, `make test` and `make lab`
#   tools/bootstrap.sh core docs   and the documentation builder
#
# Every file is checked against a hash of the lock files and only wheels are taken, so nothing is
# compiled and no build tool is fetched behind the lock's back (one pure Python package of the dev
# set ships no wheel; it is built with the locked setuptools). A set that is already there costs
# one checksum: the stamp beside it holds the checksum of its inputs and this folder's path (a
# moved checkout has scripts that point nowhere).
set -eu

cd "$(dirname "$0")/.."
unset PYTHONPATH PYTHONHOME
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_USER=0 PIP_NO_INPUT=1
log=.venv/bootstrap.log
python=.venv/bin/python

fail() {
    printf 'superbizagent: %s\n' "$@" >&2
    exit 1
}

version_of() {
    "$1" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null
}

new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

# The first of these that is new enough; PYTHON=… alone when it is given (its path may hold blanks).
find_python() {
    tried=
    if [ -n "${PYTHON:-}" ]; then
        set -- "$PYTHON"
    else
        set -- python3 python3.13 python3.12 python3.11 python
    fi
    for candidate in "$@"; do
        found=$(version_of "$candidate") || continue
        if new_enough "$candidate"; then
            printf '%s\n' "$candidate"
            return
        fi
        tried="$tried $candidate is $found;"
    done
    fail "needs Python 3.11 or newer:${tried:- none found;} install one, or name it: make demo PYTHON=/path/to/python3.12"
}

make_venv() {
    base=$(find_python) || exit 1
    "$base" -c 'import ensurepip, venv' 2>/dev/null ||
        fail "$base has no venv module; install it (Debian, Ubuntu: apt-get install python3-venv) and try again"
    printf 'Python %s -> .venv\n' "$(version_of "$base")"
    "$base" -m venv --clear .venv ||
        fail "could not create .venv with $base; see above"
}

# An environment made by another tool may lack pip, and one of another Python is not ours to use.
check_venv() {
    if [ ! -x "$python" ] || ! "$python" -c '' 2>/dev/null; then
        make_venv
    elif ! new_enough "$python"; then
        fail ".venv holds Python $(version_of $python), 3.11 or newer is needed; remove it (make clean-all) and try again"
    fi
    "$python" -c 'import pip' 2>/dev/null || "$python" -m ensurepip >/dev/null
}

pip_install() {
    "$python" -m pip install --quiet --quiet "$@" >"$log" 2>&1 && return
    tail -n 15 "$log" >&2
    fail "could not install $what (all of it: $log)." \
        "Without a way to the package index, point pip at a mirror (pip config set global.index-url …) and try again."
}

inputs() {
    printf '%s ' "$PWD"
    cat "$@" | cksum
}

# install NAME INPUT…: runs install_NAME unless the stamp says that nothing changed.
install() {
    name=$1
    shift
    stamp=.venv/.installed-$name
    if [ -x "$python" ] && [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$(inputs "$@")" ]; then
        return
    fi
    check_venv
    "install_$name"
    inputs "$@" >"$stamp"
}

locked() {  # FILE ARGUMENT…
    what="the packages of $1"
    printf '%s, hashes checked\n' "$what"
    shift
    pip_install --require-hashes --only-binary :all: --no-binary forbiddenfruit \
        --no-build-isolation "$@"
}

install_core() {
    locked requirements.lock -r requirements.lock -r requirements-build.lock
    what='superbizagent'
    printf 'superbizagent, editable\n'
    pip_install --no-deps --no-build-isolation --editable .
    # Explicit, because an environment may say PYTHONDONTWRITEBYTECODE and then pay at every start.
    "$python" -m compileall -q src
}

install_dev() {
    locked requirements-dev.lock -r requirements-dev.lock
}

install_docs() {
    locked requirements-docs.lock -r requirements-docs.lock
}

for set in "$@"; do
    case $set in
        core) install core requirements.lock requirements-build.lock pyproject.toml ;;
        dev) install dev requirements-dev.lock ;;
        docs) install docs requirements-docs.lock ;;
        *) fail "unknown set '$set': core, dev or docs" ;;
    esac
done
