#!/usr/bin/env bash
# Measures what the gateway costs, on this machine:
#   1. SELECT 1 over a warm connection, against a bare server with the same TLS and authentication
#   2. server CPU seconds per GB of lineitem as Arrow, against draining it in process
#   3. heap and Arrow memory over idle while lineitem is read, fast and by a slow reader
#   4. one decision of admission with 100,000 queries queued
#
#   bench/run.sh [SCALE] [CALLS]      defaults: 1, 5000; needs about 1 GB of disk in TMPDIR
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scale=${1:-1}
calls=${2:-5000}
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
flags=(--add-opens=java.base/java.nio=ALL-UNNAMED --enable-native-access=ALL-UNNAMED)
version=$("$java" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p' | head -n 1)
[ "$version" -ge 24 ] && flags+=(--sun-misc-unsafe-memory-access=allow)

work=$(mktemp -d)
server=
cleanup() {
    [ -z "$server" ] || { kill "$server" 2>/dev/null; wait "$server" 2>/dev/null; } || true
    rm -rf "$work"
}
trap cleanup EXIT

echo "building" >&2
mvn -B -q -DskipTests -Dspotless.check.skip package dependency:build-classpath -Dmdep.outputFile=target/classpath -pl bench -am >&2
classpath=bench/target/classes:$(cat bench/target/classpath)

free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("", 0)); print(s.getsockname()[1])'
}
http=$(free_port) flight=$(free_port) management=$(free_port) bare=$(free_port)
data=$work/data
mkdir -p "$data"
bin/weir tpch --sf "$scale" --out "$work/bench.duckdb" >&2
password=bench-password
WEIR_USER_PASSWORD=$password bin/weir user add bench --role admin --data-dir "$data" 2>/dev/null

# Before the gateway has the file: it alone may open it then.
sql='select * from lineitem'
alone() {
    "$java" "${flags[@]}" -cp "$classpath" dev.weir.bench.Bench "$@"
}
read -r drain_bytes idle_cpu _ <<<"$(alone drain "$work/bench.duckdb" "$sql" 6 idle)"
read -r _ busy_cpu _ <<<"$(alone drain "$work/bench.duckdb" "$sql" 6 busy)"
engine=$(alone select1 "$work/bench.duckdb" "$calls")

"$java" "${flags[@]}" -XX:MaxRAMPercentage=20 -cp "$classpath" dev.weir.bench.BenchServer "$bare" "$data" \
    --weir.data-dir="$data" --weir.engine.duckdb.database="$work/bench.duckdb" \
    --weir.http.port="$http" --weir.flight.port="$flight" --weir.management.port="$management" \
    --weir.management.metrics-anonymous=true >"$work/server.log" 2>&1 &
server=$!
for _ in $(seq 300); do
    grep -q '^ready' "$work/server.log" && break
    kill -0 "$server" 2>/dev/null || { cat "$work/server.log" >&2; exit 1; }
    sleep 0.2
done

target=("$http" "$flight" "$bare" "$data/tls/cert.pem" "bench:$password")
bench() {
    "$java" "${flags[@]}" -cp "$classpath" dev.weir.bench.Bench "$1" "${target[@]}" "${@:2}"
}

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

echo
echo "Machine: $(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores," \
    "$(awk '/MemTotal/ { printf "%.0f GB", $2 / 1048576 }' /proc/meminfo); Java $("$java" -version 2>&1 | sed -n '1s/.*"\(.*\)".*/\1/p')"
echo "Command: bench/run.sh $scale $calls"
echo
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
