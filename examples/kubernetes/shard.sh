#!/bin/sh
# Plays one part of a suite. SUITE: what to play. SHARDS: of how many parts. JOB_COMPLETION_INDEX: which one, from 0, as
# Kubernetes counts. RESULTS: a folder that all parts share.
# A part that is started again goes on where it was. A trial that misses is a result: the merge job judges.
set -eu
results="${RESULTS:-/results}/shard-${JOB_COMPLETION_INDEX}"
resume=""
if [ -e "$results" ]; then resume="--tau-resume"; fi
# shellcheck disable=SC2086  # the suite is several words
pytest -q ${SUITE} --tau-shard "$((JOB_COMPLETION_INDEX + 1))/${SHARDS}" --tau-results "$results" $resume || [ $? -eq 1 ]
