#!/bin/sh
# Runs the tests with the real frameworks, and the examples, in a network namespace with only loopback.
# The argument is the environment of the client's own tests, made by `make`; the frameworks get one beside it.
set -eu
cd "$(dirname "$0")/.."
base=$1
venv=$base-frameworks
if ! cmp -s frameworks/requirements.txt "$venv/requirements.txt"; then
  python3 -m venv --clear "$venv"
  "$venv/bin/pip" install -q --disable-pip-version-check --only-binary :all: -r requirements.txt -r frameworks/requirements.txt
  cp frameworks/requirements.txt "$venv/requirements.txt"
fi
wrap=-n
[ "$(id -u)" = 0 ] || wrap=-Urn
PYTHONPATH=src exec unshare "$wrap" sh -c 'ip link set lo up && exec "$0" "$@"' "$venv/bin/python" -m pytest -q frameworks
