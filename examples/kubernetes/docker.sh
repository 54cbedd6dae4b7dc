#!/bin/sh
# The same with plain docker, on one machine: all parts at once, then the merge. Needs the image (see Dockerfile).
set -eu
SHARDS="${SHARDS:-5}"
SUITE="${SUITE:---tau-domain retail --tau-k 4}"
mkdir -p results
pids=""
index=0
while [ "$index" -lt "$SHARDS" ]; do
  docker run --rm -v "$PWD/results:/results" -e SUITE="$SUITE" -e SHARDS="$SHARDS" -e JOB_COMPLETION_INDEX="$index" \
    -e OPENAI_API_KEY tau-suite:latest &
  pids="$pids $!"
  index=$((index + 1))
done
for pid in $pids; do wait "$pid"; done
docker run --rm -v "$PWD/results:/results" -e SUITE="$SUITE" -e GATE="${GATE:-pass^1 >= 0.8}" tau-suite:latest \
  sh examples/kubernetes/merge.sh
