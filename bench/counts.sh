#!/bin/sh
# Counts instructions with callgrind and compares them with counts.txt; fails if one changed by more than 10 %.
# `counts.sh --write` stores the new counts instead.
set -eu
cd "$(dirname "$0")"
command -v valgrind >/dev/null || { echo "counts.sh: valgrind is missing; install it with the system's package manager" >&2; exit 2; }
cargo build --quiet --release --no-default-features --bin counts
out=$(mktemp)
found=$(mktemp)
trap 'rm -f "$out" "$found"' EXIT

# What is counted, with how many rules, and how often.
while read -r what rules times; do
    valgrind --quiet --tool=callgrind --callgrind-out-file="$out" --collect-atstart=no \
        --toggle-collect='counts::counted*' target/release/counts "$what" "$rules"
    total=$(awk '/^(summary|totals):/ { print $2; exit }' "$out")
    echo "$what $rules $((total / times))" >>"$found"
done <<CASES
judge 10 1000
judge 1000 1000
judge 100000 1000
load 1000 1000
CASES

if [ "${1:-}" = --write ]; then
    { echo "# instructions for a decision (judge) or for a rule (load), by number of rules; kept by counts.sh --write"
      cat "$found"; } >counts.txt
    cat counts.txt
    exit
fi
awk '
    /^#/ { next }
    NR == FNR { kept[$1 " " $2] = $3; next }
    {
        key = $1 " " $2
        if (!(key in kept)) { printf "%-14s %8d  not in counts.txt\n", key, $3; bad = 1; next }
        change = ($3 - kept[key]) / kept[key] * 100
        over = change > 10 || change < -10
        printf "%-14s %8d  was %8d  %+.1f %%%s\n", key, $3, kept[key], change, over ? "  MOVED" : ""
        bad = bad || over
    }
    END {
        if (bad) print "more than 10 % away from counts.txt: look why, or keep the new counts with counts.sh --write"
        exit bad
    }
' counts.txt "$found"
