#!/usr/bin/env bash
# Measures what admission does for short queries while many clients ask for heavy ones: no admission, cap only, cap and
# lane for short queries, the same with a new text for each heavy query, reject at the cap.
#
#   bench/contention.sh [HEAVY_CLIENTS] [SECONDS] [TURNS]      defaults: 48, 60, 5; scale 1, 1 GB of disk in TMPDIR
set -euo pipefail
heavy=${1:-48}
seconds=${2:-60}
turns=${3:-5}
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

make_data 1
add_users admin bench
add_users reader heavy light
# Engine threads for the row without a cap.
start_server --weir.admission.max-running=200
print_machine "bench/contention.sh $heavy $seconds $turns"
bench contention clients/tpch "$heavy" "$seconds" "$turns"
