#!/bin/sh
# Counts the hook's instructions for an allowed call, 200 rules, beside a program that only exits; with callgrind.
# Compares them with hook-counts.txt; fails if one changed by more than 10 %. `hook-counts.sh --write` stores the new
# counts instead. Needs `make hook` and a built `sekisho`. HOOK_BUILD and SEKISHO name other builds.
set -eu
cd "$(dirname "$0")"
command -v valgrind >/dev/null || { echo "hook-counts.sh: valgrind is missing; install it with the system's package manager" >&2; exit 2; }
build=$(realpath "${HOOK_BUILD:-../target/release}")
sekisho=$(realpath "${SEKISHO:-../target/release/sekisho}")
for program in "$build/sekisho-hook" "$build/exits" "$sekisho"; do
    [ -x "$program" ] || { echo "hook-counts.sh: $program is missing; build it with \`make hook\` or \`cargo build --release\`" >&2; exit 2; }
done
# The paths are part of what is judged: each run has paths of the same length.
home=$(mktemp -d /tmp/sekisho-hook-XXXXXX)
trap 'rm -rf "$home"' EXIT
mkdir -p "$home/work" "$home/.claude" "$home/.config/sekisho" "$home/bin"
cp "$build/sekisho-hook" "$sekisho" "$home/bin"

# 200 rules of common kinds.
{
    printf '{"version": 1, "permissions": {"allow": [{"tool": "bash", "command": "cargo test"}'
    for n in $(seq 0 99); do printf ', {"tool": "bash", "command": "tool%s build"}' "$n"; done
    for n in $(seq 0 38); do printf ', {"tool_pattern": "read_thing%s_*"}, {"tool": "read", "path": "src/part%s/**"}' "$n" "$n"; done
    printf '], "deny": [{"tool": "bash", "command": "danger"}'
    for n in $(seq 1 20); do printf ', {"tool": "bash", "command": "danger%s"}' "$n"; done
    printf ']}}\n'
} >"$home/.config/sekisho/config.json"
printf '{"session_id": "81cdaabf-8306-42b4-a18f-6ff73e0b824e", "transcript_path": "%s/.claude/projects/x.jsonl", "cwd": "%s/work", "permission_mode": "default", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "cargo test --workspace 2>&1 | tail -20", "description": "run the tests"}, "tool_use_id": "toolu_01GATE0000000000000000A1"}' \
    "$home" "$home" >"$home/input.json"

# Runs a command in a bare environment.
bare() { (cd "$home/work" && env -i HOME="$home" USER=bench PATH=/usr/bin:/bin "$@"); }
bare "$home/bin/sekisho" install claude-code --yes >/dev/null 2>&1 </dev/null || { echo "hook-counts.sh: \`sekisho install\` failed" >&2; exit 2; }
installation=$(ls "$home"/.local/state/sekisho/hooks/*.json)
hook="$home/bin/sekisho-hook claude-code --installation $installation"
# A compiled policy is stored only once its files are old enough not to change unnoticed.
sleep 3
# shellcheck disable=SC2086 # the command line has no blanks in its words
bare $hook <"$home/input.json" | grep -q '"permissionDecision":"allow"' || { echo "hook-counts.sh: the hook did not allow the call" >&2; exit 2; }

# count NAME COMMAND...: adds a line to the counts.
count() {
    name=$1
    shift
    bare valgrind --quiet --tool=callgrind --callgrind-out-file="$home/callgrind" "$@" <"$home/input.json" >/dev/null
    echo "$name $(awk '/^(summary|totals):/ { print $2; exit }' "$home/callgrind")" >>"$home/found"
}
count exits "$build/exits"
# shellcheck disable=SC2086
count hook $hook

if [ "${1:-}" = --write ]; then
    { echo "# instructions of a process; kept by hook-counts.sh --write"
      cat "$home/found"; } >hook-counts.txt
fi
awk '
    /^#/ { next }
    NR == FNR { kept[$1] = $2; next }
    {
        found[$1] = $2
        if (!($1 in kept)) { printf "%-6s %9d  not in hook-counts.txt\n", $1, $2; bad = 1; next }
        change = ($2 - kept[$1]) / kept[$1] * 100
        over = change > 10 || change < -10
        printf "%-6s %9d  was %9d  %+.1f %%%s\n", $1, $2, kept[$1], change, over ? "  MOVED" : ""
        bad = bad || over
    }
    END {
        printf "hook / exits: %.1f\n", found["hook"] / found["exits"]
        if (bad) print "more than 10 % away from hook-counts.txt: look why, or keep the new counts with hook-counts.sh --write"
        exit bad
    }
' hook-counts.txt "$home/found"
