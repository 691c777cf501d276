#!/usr/bin/env bash
# Measures what it costs to hand on a worker's result, on this machine. One process relays in three ways, in turns:
#   relayed   the gateway, batches as they came
#   decoded   the gateway, batches decoded and encoded again
#   bare      a relay that checks the password and moves gRPC messages, with the same TLS
# CPU seconds of that process per GB of lineitem over Flight SQL, and SELECT 1 over a warm connection.
#
#   bench/relay.sh [SCALE] [CALLS] [ROUNDS]      defaults: 1, 5000, 12; needs about 1 GB of disk in TMPDIR
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scale=${1:-1}
calls=${2:-5000}
rounds=${3:-12}
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
flags=(--add-opens=java.base/java.nio=ALL-UNNAMED --enable-native-access=ALL-UNNAMED)
version=$("$java" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p' | head -n 1)
[ "$version" -ge 24 ] && flags+=(--sun-misc-unsafe-memory-access=allow)

work=$(mktemp -d)
worker= server=
cleanup() {
    for process in $server $worker; do
        kill "$process" 2>/dev/null && wait "$process" 2>/dev/null || true
    done
    rm -rf "$work"
}
trap cleanup EXIT

if [ -z "${WEIR_BENCH_CLASSPATH:-}" ]; then
    echo "building" >&2
    mvn -B -q -DskipTests -Dspotless.check.skip package dependency:build-classpath -Dmdep.outputFile=target/classpath \
        -pl bench -am >&2
    WEIR_BENCH_CLASSPATH=bench/target/classes:$(cat bench/target/classpath)
fi
classpath=$WEIR_BENCH_CLASSPATH

free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("", 0)); print(s.getsockname()[1])'
}
http=$(free_port) flight=$(free_port) management=$(free_port) bare=$(free_port) behind=$(free_port) plain=$(free_port)
data=$work/data
mkdir -p "$data" "$work/worker" "$work/scanner"
bin/weir tpch --sf "$scale" --out "$work/bench.duckdb" >&2
password=bench-password
WEIR_USER_PASSWORD=$password bin/weir user add bench --role admin --data-dir "$data" 2>/dev/null
head -c 32 /dev/urandom >"$work/secret"

ready() {
    for _ in $(seq 300); do
        grep -q '^ready' "$2" && return
        kill -0 "$1" 2>/dev/null || break
        sleep 0.2
    done
    cat "$2" >&2
    exit 1
}
"$java" "${flags[@]}" -cp "$classpath" dev.weir.bench.RelayWorker "$behind" "$plain" "$data" "$work/worker" \
    "$work/secret" "$work/bench.duckdb" >"$work/worker.log" 2>&1 &
worker=$!
ready "$worker" "$work/worker.log"
"$java" "${flags[@]}" -XX:MaxRAMPercentage=20 -cp "$classpath" dev.weir.bench.RelayServer "$bare" "$data" "$behind" \
    "$plain" "$work/secret" "$work/scanner" --weir.data-dir="$data" --weir.http.port="$http" \
    --weir.flight.port="$flight" --weir.management.port="$management" --weir.admission.memory.budget=1GB \
    >"$work/server.log" 2>&1 &
server=$!
ready "$server" "$work/server.log"

bench() {
    "$java" "${flags[@]}" -cp "$classpath" dev.weir.bench.Bench "$@"
}
target=("$http" "$flight" "$bare" "$data/tls/cert.pem" "bench:$password")
bare_target=("$http" "$bare" "$bare" "$data/tls/cert.pem" "bench:$password")

# User and system seconds of the server so far, its threads included.
cpu() {
    awk -v hz="$(getconf CLK_TCK)" '{ sub(/^.*\) /, ""); printf "%.2f", ($12 + $13) / hz }' "/proc/$server/stat"
}

# Of a file of figures: the middle one.
median() {
    sort -n "$1" | awk '{ at[NR] = $1 } END { print at[int((NR + 1) / 2)] }'
}

echo
echo "Machine: $(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores," \
    "$(awk '/MemTotal/ { printf "%.0f GB", $2 / 1048576 }' /proc/meminfo); Java $("$java" -version 2>&1 | sed -n '1s/.*"\(.*\)".*/\1/p')"
echo "Command: bench/relay.sh $scale $calls $rounds"
echo
bench relay-latency "${target[@]}" "$calls"
echo
sql='select * from lineitem'
bytes=0
for round in $(seq "$rounds"); do
    for kind in relayed decoded bare; do
        case $kind in
            relayed) call=("${target[@]}" "$sql") ;;
            decoded) call=("${target[@]}" "$sql /* decode */") ;;
            bare) call=("${bare_target[@]}" "$sql") ;;
        esac
        before=$(cpu)
        bytes=$(bench flight "${call[@]}" 0)
        # The compiler is done after about five.
        if [ "$round" -gt 5 ] || [ "$rounds" -le 5 ]; then
            awk "BEGIN { print $(cpu) - $before }" >>"$work/$kind"
        fi
    done
done
base=$(median "$work/bare")
printf '%-34s %10s %10s %10s %10s\n' "lineitem scale $scale through" MB "CPU s" "CPU s/GB" "to bare"
for kind in relayed decoded bare; do
    awk -v n="$kind" -v b="$bytes" -v c="$(median "$work/$kind")" -v base="$base" 'BEGIN {
        printf "%-34s %10.0f %10.2f %10.2f %10.2f\n", n, b / 1e6, c, c / b * 1e9, c / base }'
done
