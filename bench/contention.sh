#!/usr/bin/env bash
# Measures what admission does for short queries while many clients ask for heavy ones: no admission, cap only, cap and
# lane for short queries, the same with a new text for each heavy query, reject at the cap.
#
#   bench/contention.sh [HEAVY_CLIENTS] [SECONDS] [TURNS]      defaults: 48, 60, 5; scale 1, 1 GB of disk in TMPDIR
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

heavy=${1:-48}
seconds=${2:-60}
turns=${3:-5}
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
flags=(--add-opens=java.base/java.nio=ALL-UNNAMED)
version=$("$java" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p' | head -n 1)
[ "$version" -ge 24 ] && flags+=(--enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow)

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
bin/weir tpch --sf 1 --out "$work/bench.duckdb" >&2
password=bench-password
WEIR_USER_PASSWORD=$password bin/weir user add bench --role admin --data-dir "$data" 2>/dev/null
for user in heavy light; do
    WEIR_USER_PASSWORD=$password bin/weir user add "$user" --role reader --data-dir "$data" 2>/dev/null
done

# Engine threads for the row without a cap.
"$java" "${flags[@]}" -XX:MaxRAMPercentage=20 -cp "$classpath" dev.weir.bench.BenchServer "$bare" "$data" \
    --weir.data-dir="$data" --weir.engine.duckdb.database="$work/bench.duckdb" --weir.admission.max-running=200 \
    --weir.http.port="$http" --weir.flight.port="$flight" --weir.management.port="$management" \
    --weir.management.metrics-anonymous=true >"$work/server.log" 2>&1 &
server=$!
for _ in $(seq 300); do
    grep -q '^ready' "$work/server.log" && break
    kill -0 "$server" 2>/dev/null || { cat "$work/server.log" >&2; exit 1; }
    sleep 0.2
done

echo
echo "Machine: $(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores," \
    "$(awk '/MemTotal/ { printf "%.0f GB", $2 / 1048576 }' /proc/meminfo); Java $("$java" -version 2>&1 | sed -n '1s/.*"\(.*\)".*/\1/p')"
echo "Command: bench/contention.sh $heavy $seconds $turns"
echo
"$java" "${flags[@]}" -cp "$classpath" dev.weir.bench.Bench contention "$http" "$flight" "$bare" "$data/tls/cert.pem" \
    "bench:$password" clients/tpch "$heavy" "$seconds" "$turns"
