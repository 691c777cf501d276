#!/usr/bin/env bash
# Measures how fast a large result comes over Flight SQL, on this machine, in turns: from the gateway and from a bare
# Flight server over the same file (DuckDB's Arrow stream, the same batches, no users, no limits), with and without TLS,
# each in a process of its own; over one stream and over eight partitions. And what DuckDB gives in process. Linux only.
#
#   bench/streams.sh [SCALE] [ROUNDS]      defaults: 1, 5; needs about 1 GB of disk in TMPDIR at scale 1
set -euo pipefail
scale=${1:-1}
rounds=${2:-5}
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

make_data "$scale"
add_users reader bench
sql='select * from lineitem'
read -r drain_bytes drain_cpu drain_wall <<<"$(alone drain "$work/bench.duckdb" "$sql" 10 idle)"

servers=()
stop_servers() {
    kill "${servers[@]}" 2>/dev/null || true
    wait "${servers[@]}" 2>/dev/null || true
}
trap 'stop_servers; cleanup' EXIT

# Starts a server and waits for its line "ready".
start() {
    local log=$work/$1.log
    "$java" "${flags[@]}" -XX:MaxRAMPercentage=20 -cp "$classpath" "${@:2}" >"$log" 2>&1 &
    servers+=($!)
    for _ in $(seq 300); do
        grep -q '^ready' "$log" && return
        kill -0 "${servers[-1]}" 2>/dev/null || { cat "$log" >&2; exit 1; }
        sleep 0.2
    done
    exit 1
}

plain_data=$work/plain
mkdir -p "$plain_data"
cp "$data/users.yaml" "$plain_data/"
plain_flight=$(free_port) bare_tls=$(free_port) bare_plain=$(free_port) other=$(free_port)
gateway=(--weir.engine.duckdb.database="$work/bench.duckdb" --weir.engine.duckdb.access=read-only)
start tls dev.weir.bench.BenchServer "$bare" "$data" --weir.data-dir="$data" "${gateway[@]}" \
    --weir.http.port="$http" --weir.flight.port="$flight" --weir.management.port="$management"
# The added server of BenchServer wants a certificate, which a gateway without TLS does not make.
cp -r "$data/tls" "$plain_data/"
start plain dev.weir.bench.BenchServer "$other" "$plain_data" --weir.data-dir="$plain_data" "${gateway[@]}" \
    --weir.tls.enabled=false --weir.http.address=127.0.0.1 --weir.flight.address=127.0.0.1 \
    --weir.http.port="$(free_port)" --weir.flight.port="$plain_flight" --weir.management.port="$(free_port)"
start bare dev.weir.bench.BareStreams "$work/bench.duckdb" 32768 "$bare_tls" "$bare_plain" \
    "$data/tls/cert.pem" "$data/tls/key.pem"

print_machine "bench/streams.sh $scale $rounds"
awk -v b="$drain_bytes" -v c="$drain_cpu" -v w="$drain_wall" 'BEGIN {
    printf "%-34s %10.0f %10.2f\n", "drained in process", b / w / 1e6, c / b * 1e9 }'
bench streams "$sql" "$rounds" \
    "bare Flight, TLS;grpc+tls://localhost:$bare_tls;${servers[2]};0;0" \
    "gateway, TLS;grpc+tls://localhost:$flight;${servers[0]};1;0" \
    "gateway, TLS, 8 partitions;grpc+tls://localhost:$flight;${servers[0]};8;1" \
    "bare Flight;grpc://localhost:$bare_plain;${servers[2]};0;3" \
    "gateway;grpc://localhost:$plain_flight;${servers[1]};1;3" \
    "gateway, 8 partitions;grpc://localhost:$plain_flight;${servers[1]};8;4"
