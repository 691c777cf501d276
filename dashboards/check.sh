#!/usr/bin/env bash
# Looks that dashboards and rules fit to a gateway that runs: promtool's checks and tests, then a gateway, a worker and a
# Prometheus under load, where every expression must have data.
#
#   dashboards/check.sh [--draw]     --draw: a picture of each dashboard into docs/images (needs matplotlib)
#
#   PROMETHEUS_BIN   directory of prometheus and promtool, when they are not on the PATH (Debian: apt-get install prometheus)
#   PYTHON           the Python to use, python3 when not given
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

PATH=${PROMETHEUS_BIN:+$PROMETHEUS_BIN:}$PATH
python=${PYTHON:-python3}
for tool in prometheus promtool "$python"; do
    command -v "$tool" >/dev/null || { echo "check.sh: $tool is needed" >&2; exit 2; }
done
[ -f gateway-app/target/weir-app.jar ] || { echo "check.sh: build first (mvn -DskipTests package)" >&2; exit 2; }

echo "== rules"
promtool check rules dashboards/rules/*.yaml
promtool test rules dashboards/rules/tests/*.yaml

work=$(mktemp -d)
pids=()
stop() {
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    for pid in "${pids[@]}"; do wait "$pid" 2>/dev/null || true; done
    rm -rf "$work"
}
trap stop EXIT
trap 'exit 130' INT TERM

read -r http_a flight_a manage_a http_b flight_b manage_b worker manage_w prom < <("$python" - <<'PY'
import socket
held = [socket.socket() for _ in range(9)]
for s in held:
    s.bind(("127.0.0.1", 0))
print(*[s.getsockname()[1] for s in held])
PY
)

start() { # name, then the command; its output goes to a file
    local name=$1
    shift
    "$@" >"$work/$name.log" 2>&1 &
    pids+=($!)
}
ready() { # name, management port
    for _ in $(seq 240); do
        if curl -fsS "http://127.0.0.1:$2/readyz" >/dev/null 2>&1; then return; fi
        sleep 0.5
    done
    tail -n 20 "$work/$1.log" >&2
    echo "check.sh: $1 was not ready" >&2
    exit 1
}

echo "== a worker, a gateway before it, and one with an engine of its own"
export WEIR_ADMIN_PASSWORD=check-$RANDOM$RANDOM WEIR_JAVA_OPTS="-Xmx256m ${WEIR_JAVA_OPTS:-}"
mkdir "$work/secret" && bin/weir secret --out "$work/secret/cluster" >/dev/null
common=(--weir.admission.memory.budget=512MB --weir.http.address=127.0.0.1 --weir.flight.address=127.0.0.1)
start worker bin/weir worker --weir.data-dir="$work/w" --weir.worker.port="$worker" --weir.worker.address=127.0.0.1 \
    --weir.worker.name=w1 --weir.worker.memory=512MB --weir.tls.enabled=false --weir.management.port="$manage_w" \
    --weir.cluster.secret-file="$work/secret/cluster"
start own bin/weir serve --weir.data-dir="$work/a" --weir.http.port="$http_a" --weir.flight.port="$flight_a" \
    --weir.management.port="$manage_a" --weir.admission.max-running=2 --weir.admission.user.max-queued=4 "${common[@]}"
ready worker "$manage_w"
ready own "$manage_a"
start fleet bin/weir serve --weir.data-dir="$work/b" --weir.http.port="$http_b" --weir.flight.port="$flight_b" \
    --weir.management.port="$manage_b" --weir.cluster.secret-file="$work/secret/cluster" \
    --weir.workers[0].uri="grpc://127.0.0.1:$worker" --weir.workers[0].name=w1 "${common[@]}"
ready fleet "$manage_b"
for user in ann bob cid; do
    echo "$WEIR_ADMIN_PASSWORD" | bin/weir user add $user --role writer --data-dir "$work/a" --password-stdin >/dev/null
done

cat >"$work/prometheus.yml" <<YAML
global: {scrape_interval: 2s, evaluation_interval: 5s}
rule_files: [$PWD/dashboards/rules/*.yaml]
scrape_configs:
  - job_name: weir
    metrics_path: /actuator/prometheus
    basic_auth: {username: admin, password: $WEIR_ADMIN_PASSWORD}
    static_configs: [{targets: ['127.0.0.1:$manage_a', '127.0.0.1:$manage_b']}]
  - job_name: weir-worker
    metrics_path: /actuator/prometheus
    static_configs: [{targets: ['127.0.0.1:$manage_w']}]
YAML
start prometheus prometheus --config.file="$work/prometheus.yml" --storage.tsdb.path="$work/tsdb" \
    --web.listen-address="127.0.0.1:$prom"
start load "$python" dashboards/load.py \
    "https://127.0.0.1:$http_a,grpc+tls://127.0.0.1:$flight_a" "https://127.0.0.1:$http_b,grpc+tls://127.0.0.1:$flight_b"

echo "== names"
curl -fsS "http://127.0.0.1:$manage_a/actuator/prometheus" -u "admin:$WEIR_ADMIN_PASSWORD" \
    | grep -E '^(# (HELP|TYPE) )?weir_' | promtool check metrics
curl -fsS "http://127.0.0.1:$manage_w/actuator/prometheus" \
    | grep -E '^(# (HELP|TYPE) )?weir_' | promtool check metrics

echo "== expressions"
"$python" dashboards/expressions.py "http://127.0.0.1:$prom" dashboards/*.json dashboards/rules/*.yaml
if [ "${1:-}" = --draw ]; then
    echo "== pictures"
    "$python" dashboards/draw.py "http://127.0.0.1:$prom" docs/images dashboards/*.json
fi
