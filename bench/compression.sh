#!/usr/bin/env bash
# Measures what compressed Arrow buffers save in bytes and cost in CPU time, for lineitem, in process and on one thread.
#
#   bench/compression.sh [SCALE] [ROUNDS]      defaults: 0.2, 3
set -euo pipefail
scale=${1:-0.2}
rounds=${2:-3}
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

make_data "$scale"
print_machine "bench/compression.sh $scale $rounds"
alone compression "$work/bench.duckdb" "$(awk "BEGIN { printf \"%d\", 6001215 * $scale }")" "$rounds"
