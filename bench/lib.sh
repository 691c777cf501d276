# The common start of the benchmarks; sourced by them, not run. Builds, takes free ports, and at the end stops the server
# and removes what was made. Leaves to its caller: java, flags, classpath, work, data, http, flight, management, bare,
# password, server.
cd "$(dirname "${BASH_SOURCE[0]}")/.."

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
password=bench-password

# The TPC-H data at a scale.
make_data() {
    bin/weir tpch --sf "$1" --out "$work/bench.duckdb" >&2
}

# Users of a role, all with the same password.
add_users() {
    local role=$1 user
    for user in "${@:2}"; do
        WEIR_USER_PASSWORD=$password bin/weir user add "$user" --role "$role" --data-dir "$data" 2>/dev/null
    done
}

# The client side; without a server, or against it as the user bench.
alone() {
    "$java" "${flags[@]}" -cp "$classpath" dev.weir.bench.Bench "$@"
}
target=("$http" "$flight" "$bare" "$data/tls/cert.pem" "bench:$password")
bench() {
    alone "$1" "${target[@]}" "${@:2}"
}

# Starts the server with further properties and waits until it is ready.
start_server() {
    "$java" "${flags[@]}" -XX:MaxRAMPercentage=20 -cp "$classpath" dev.weir.bench.BenchServer "$bare" "$data" \
        --weir.data-dir="$data" --weir.engine.duckdb.database="$work/bench.duckdb" \
        --weir.http.port="$http" --weir.flight.port="$flight" --weir.management.port="$management" \
        --weir.management.metrics-anonymous=true "$@" >"$work/server.log" 2>&1 &
    server=$!
    for _ in $(seq 300); do
        grep -q '^ready' "$work/server.log" && break
        kill -0 "$server" 2>/dev/null || { cat "$work/server.log" >&2; exit 1; }
        sleep 0.2
    done
}

# What figures depend on: the machine, and the command that was given.
print_machine() {
    echo
    echo "Machine: $(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores," \
        "$(awk '/MemTotal/ { printf "%.0f GB", $2 / 1048576 }' /proc/meminfo); Java $("$java" -version 2>&1 | sed -n '1s/.*"\(.*\)".*/\1/p')"
    echo "Command: $1"
    echo
}
