#!/bin/sh
# Puts the parts together and judges. Plays only what no part has a result for. GATE: what must hold.
set -eu
results="${RESULTS:-/results}"
pytest-tau merge "$results"/shard-* -o "$results/merged"
# shellcheck disable=SC2086
exec pytest -q ${SUITE} --tau-results "$results/merged" --tau-resume --tau-gate "${GATE}" --tau-html "$results/report.html"
