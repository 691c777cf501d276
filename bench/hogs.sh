#!/usr/bin/env bash
# Measures what queries that take all memory do to their neighbours, with a process for each query and with one instance
# for all: one every three seconds, of each kind in clients/hogs in turn, beside four users who send TPC-H queries; four
# slots of 512 MB, no temporary files. The gateway with one instance runs under a limit of its address space, so that it
# cannot take the machine's memory; when it ends it is started again. Linux only.
#
#   bench/hogs.sh [SECONDS]      default: 120; scale 1, 1 GB of disk in TMPDIR, 10 GB of memory
set -euo pipefail
seconds=${1:-120}
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

make_data 1
add_users reader bench hog user{0..3}
cat >"$work/serve" <<EOF
#!/usr/bin/env bash
[ "\$1" = process ] || ulimit -v $((10 * 1024 * 1024))
exec bin/weir serve --weir.data-dir="$data" --weir.engine.duckdb.database="$work/bench.duckdb" \\
    --weir.engine.duckdb.access=read-only --weir.engine.duckdb.isolation="\$1" --weir.engine.duckdb.max-temp-size=0B \\
    --weir.http.port=$http --weir.flight.port=$flight --weir.management.port=$management \\
    --weir.admission.max-running=4 --weir.admission.user.max-running=4 --weir.admission.short-lane=0 \\
    --weir.admission.memory.budget=2GB --weir.admission.memory.per-query=512MB --weir.admission.queue-timeout=10m
EOF
chmod +x "$work/serve"
print_machine "bench/hogs.sh $seconds"
bench hogs "$management" "$seconds" clients/tpch clients/hogs "$work/serve"
