#!/usr/bin/env bash
# Measures how fast rows are loaded, on this machine, in turns:
#   in process   a registered Arrow stream and an INSERT, without a network
#   bare DoPut   the same behind a Flight server with the gateway's TLS and password check, in the gateway's process
#   gateway      bulk ingest over Flight SQL
# lineitem in batches of 122,880 and of 50,000 rows, each time into a new table of a file.
#
#   bench/ingest.sh [SCALE] [ROUNDS]      defaults: 1, 7; needs about 3 GB of disk in TMPDIR at scale 1
set -euo pipefail
scale=${1:-1}
rounds=${2:-7}
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

make_data "$scale"
cp "$work/bench.duckdb" "$work/source.duckdb"
add_users admin bench
start_server --weir.flight.max-inbound-message-size=64MB
print_machine "bench/ingest.sh $scale $rounds"
bench ingest "$work/source.duckdb" "$work" "$(awk "BEGIN { printf \"%d\", 6001215 * $scale }")" "$rounds"
