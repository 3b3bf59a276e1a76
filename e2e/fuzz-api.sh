#!/usr/bin/env bash
# Runs schemathesis on the OpenAPI document, as each role, against a server on a scratch database.
# A 5xx fails, and so does a status, a media type or a body that the document does not describe.
#
#   e2e/fuzz-api.sh target/debug/sekisho
#
# FUZZ_EXAMPLES: examples per operation and role (30). FUZZ_ROLES: which roles. FUZZ_SEED: repeats a run.
# FUZZ_VENV: where schemathesis is, or will be, installed; outside the tree.
set -euo pipefail

bin=$(realpath "${1:?which sekisho to start}")
examples=${FUZZ_EXAMPLES:-30}
roles=${FUZZ_ROLES:-agent viewer approver admin}
seed=${FUZZ_SEED:-$RANDOM}
venv=${FUZZ_VENV:-${XDG_CACHE_HOME:-$HOME/.cache}/sekisho-fuzz-api}
version=4.32.5

if ! "$venv/bin/schemathesis" --version 2>/dev/null | grep -qF "$version"; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check "schemathesis==$version"
fi

scratch=$(mktemp -d)
jobs_started=()
clean() {
  for job in "${jobs_started[@]}"; do kill "$job" 2>/dev/null || true; done
  wait 2>/dev/null || true
  rm -rf "$scratch"
}
trap clean EXIT

export HOME=$scratch XDG_CONFIG_HOME=$scratch/config XDG_STATE_HOME=$scratch/state XDG_DATA_HOME=$scratch/data
unset DATABASE_URL SEKISHO_LISTEN SEKISHO_CONFIG SEKISHO_SERVER_CONFIG || true

# A confirm rule, so that approvals cite a rule.
mkdir -p "$XDG_CONFIG_HOME/sekisho"
cat >"$XDG_CONFIG_HOME/sekisho/config.json" <<'JSON'
{ "version": 1, "permissions": { "confirm": [{ "tool": "bash", "note": "asked about" }] } }
JSON

token() { # role
  "$bin" token create --name "$1" --role "$1" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["token"])'
}
declare -A tokens
for role in agent viewer approver admin; do tokens[$role]=$(token "$role"); done

"$bin" serve --listen 127.0.0.1:0 --socket none --log-format json >/dev/null 2>"$scratch/log" &
jobs_started+=($!)
address=""
for _ in $(seq 100); do
  address=$(grep -oE 'http://127\.0\.0\.1:[0-9]+' "$scratch/log" | head -1 || true)
  if [ -n "$address" ]; then break; fi
  sleep 0.1
done
if [ -z "$address" ]; then
  echo "the server does not start:" >&2
  cat "$scratch/log" >&2
  exit 1
fi

# An approver that answers: otherwise callers would wait until their timeout.
python3 - "$address" "${tokens[approver]}" <<'PYTHON' &
import json, sys, time, urllib.request
address, token = sys.argv[1:]
def call(method, path, body=None):
    head = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(address + path, data, head, method=method), timeout=10) as said:
        return json.load(said)
turn = 0
while True:
    try:
        for question in call("GET", "/api/approvals?state=pending&limit=100")["approvals"]:
            turn += 1
            behavior = "allow" if turn % 2 else "deny"
            call("POST", f"/api/approvals/{question['id']}/answer", {"behavior": behavior})
    except OSError:
        pass
    time.sleep(0.05)
PYTHON
jobs_started+=($!)

# schemathesis writes files to its working directory.
cd "$scratch"
failed=()
for role in $roles; do
  echo "== as $role, seed $seed"
  # Streams do not end, and signing out would end the fuzzing. An agent without access gets a 403, which is documented.
  "$venv/bin/schemathesis" run "$address/api/openapi.json" \
    -H "Authorization: Bearer ${tokens[$role]}" \
    --exclude-path /api/events --exclude-path /api/ws --exclude-operation-id signOut --exclude-operation-id revokeToken \
    --phases examples,coverage,fuzzing --max-examples "$examples" --seed "$seed" --request-timeout 20 --generation-database none \
    --checks not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance \
    --continue-on-failure --no-color || failed+=("$role")
done

if grep -qiE 'panicked' "$scratch/log"; then
  echo "the server panicked:" >&2
  grep -iE 'panicked' "$scratch/log" | head -5 >&2
  failed+=("server")
fi
if [ ${#failed[@]} -gt 0 ]; then
  echo "failed: ${failed[*]}; repeat with FUZZ_SEED=$seed" >&2
  exit 1
fi
echo "no 5xx and nothing undocumented: $examples examples for each operation, roles $roles"
