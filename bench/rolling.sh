#!/usr/bin/env bash
# A rolling restart, as a drill: two gateways over one read-only file, behind a TCP balancer that asks for their readiness,
# under load of six clients on both fronts. Each is drained (bin/weir drain), stopped and started again in turn; then one
# is killed. Prints for each phase how many queries finished, were refused because their gateway was draining (clients go
# on elsewhere), were lost without an answer, were cut after rows had come, or had a wrong number of rows. Linux only.
#
#   bench/rolling.sh      takes about two minutes
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

make_data 0.01
add_users admin bench
add_users reader load
# Replicas share users, the key that signs bearers, and here the certificate.
ports=()
for name in a b; do
    ports+=("$(free_port)" "$(free_port)")
done
bin/weir serve --weir.data-dir="$data" --weir.http.port=0 --weir.flight.port=0 --weir.management.port=0 \
    >"$work/first.log" 2>&1 &
server=$!
for _ in $(seq 300); do
    [ -f "$data/tls/cert.pem" ] && [ -f "$data/keys/token.key" ] && break
    sleep 0.2
done
kill "$server"; wait "$server" 2>/dev/null || true
server=
for name in a b; do
    mkdir -p "$work/$name"
    cp -r "$data/users.yaml" "$data/tls" "$data/keys" "$work/$name/"
done
cat >"$work/serve" <<END
#!/usr/bin/env bash
[ "\$1" = a ] && http=${ports[0]} flight=${ports[1]} || http=${ports[2]} flight=${ports[3]}
exec bin/weir serve --weir.data-dir="$work/\$1" --weir.engine.duckdb.database="$work/bench.duckdb" \\
    --weir.engine.duckdb.access=read-only --weir.http.port=\$http --weir.flight.port=\$flight --weir.management.port=0 \\
    --weir.admission.max-running=6 --weir.admission.user.max-running=6 --weir.admission.memory.budget=2GB
END
chmod +x "$work/serve"
print_machine "bench/rolling.sh"
bench rolling "${ports[@]}" "$work/serve"
