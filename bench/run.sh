#!/usr/bin/env bash
# Measures what the gateway costs, on this machine:
#   1. SELECT 1 over a warm connection, against a bare server with the same TLS and authentication
#   2. server CPU seconds per GB of lineitem as Arrow, against draining it in process
#   3. heap and Arrow memory over idle while lineitem is read, fast and by a slow reader
#   4. one decision of admission with 100,000 queries queued
#
#   bench/run.sh [SCALE] [CALLS]      defaults: 1, 5000; needs about 1 GB of disk in TMPDIR
set -euo pipefail
scale=${1:-1}
calls=${2:-5000}
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

make_data "$scale"
add_users admin bench

# Before the gateway has the file: it alone may open it then.
sql='select * from lineitem'
read -r drain_bytes idle_cpu _ <<<"$(alone drain "$work/bench.duckdb" "$sql" 6 idle)"
read -r _ busy_cpu _ <<<"$(alone drain "$work/bench.duckdb" "$sql" 6 busy)"
engine=$(alone select1 "$work/bench.duckdb" "$calls")

start_server

# User and system seconds of the server so far, its threads included.
cpu() {
    awk -v hz="$(getconf CLK_TCK)" '{ sub(/^.*\) /, ""); printf "%.2f", ($12 + $13) / hz }' "/proc/$server/stat"
}

# Heap in use after a collection, and Arrow and Netty memory, in MB.
memory() {
    curl -s "http://127.0.0.1:$management/actuator/prometheus" | awk '
        /^jvm_memory_used_bytes\{.*area="heap"/ { heap += $NF }
        /^weir_engine_arrow_memory_bytes/ { arrow += $NF }
        /^jvm_buffer_memory_used_bytes\{.*id="direct"/ { direct += $NF }
        END { printf "%.0f %.0f %.0f\n", heap / 1e6, arrow / 1e6, direct / 1e6 }'
}

collect() {
    jcmd=$(dirname "$(readlink -f "$(command -v "$java")")")/jcmd
    "$jcmd" "$server" GC.run >/dev/null 2>&1 || true
}

# Highest figures while a reader runs: name, kind, pause. The heap is collected before each look, so that it shows what is
# held and not what waits to be collected.
peak() {
    collect
    read -r heap0 arrow0 direct0 < <(memory)
    timeout "$4" "$java" "${flags[@]}" -cp "$classpath" dev.weir.bench.Bench "$2" "${target[@]}" "$sql" "$3" \
        >/dev/null 2>&1 &
    reader=$!
    heap=0 arrow=0 direct=0
    while kill -0 "$reader" 2>/dev/null; do
        collect
        read -r h a d < <(memory)
        [ "$h" -gt "$heap" ] && heap=$h
        [ "$a" -gt "$arrow" ] && arrow=$a
        [ "$d" -gt "$direct" ] && direct=$d
        sleep 0.3
    done
    wait "$reader" || true
    printf '%-34s %10s %10s %10s %10s\n' "$1" "$((heap - heap0))" "$((arrow - arrow0))" "$((direct - direct0))" \
        "$((heap + arrow + direct - heap0 - arrow0 - direct0))"
}

print_machine "bench/run.sh $scale $calls"
bench latency "$calls"
echo "$engine"
echo
# Name, bytes, CPU seconds.
throughput() {
    awk -v n="$1" -v b="$2" -v c="$3" -v di="$idle_cpu" -v dbu="$busy_cpu" -v db="$drain_bytes" 'BEGIN {
        printf "%-34s %10.0f %10.2f %10.2f %10.2f %10.2f\n", n, b / 1e6, c, c / b * 1e9, c / b / (di / db), c / b / (dbu / db) }'
}
printf '%-34s %10s %10s %10s %10s %10s\n' "lineitem scale $scale as Arrow" MB "CPU s" "CPU s/GB" "to idle" "to busy"
throughput "drained in process, idle machine" "$drain_bytes" "$idle_cpu"
throughput "drained in process, one core busy" "$drain_bytes" "$busy_cpu"
for kind in http flight; do
    # The compiler is done after about five; then the median of seven.
    for run in $(seq 12); do
        before=$(cpu)
        bytes=$(bench "$kind" "$sql" 0)
        [ "$run" -le 5 ] || awk "BEGIN { print $(cpu) - $before }"
    done | sort -n | sed -n 4p >"$work/used"
    throughput "$kind, TLS" "$drain_bytes" "$(cat "$work/used")"
done
echo
printf '%-34s %10s %10s %10s %10s\n' "Memory over idle, MB" heap Arrow direct sum
peak "http, fast reader" http 0 60
peak "flight, fast reader" flight 0 60
peak "http, 1 MiB a second" http 1000 20
peak "flight, one batch a second" flight 1000 20
echo
alone decisions 100000
