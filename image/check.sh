#!/usr/bin/env bash
# Checks the parts of the container image where no container engine is: lays out the image's files as the Dockerfile
# says, and runs its entry point on them as its user, without capabilities, on a read-only root, with an empty
# /var/lib/weir and /tmp. Asks for an answer over HTTPS and for its health, and stops it.
#
#   image/check.sh [--NAME=VALUE ...]     properties for the gateway, after the check's own
#
# Needs root on Linux, a built gateway-app/target/weir-app.jar, and Java (JAVA_HOME).
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
jar=gateway-app/target/weir-app.jar
fail() {
    echo "image/check.sh: $*" >&2
    exit 1
}
[ "$(id -u)" -eq 0 ] || fail "needs root, for a mount namespace and another user"
[ -f "$jar" ] || fail "$jar is not built"
java_home=${JAVA_HOME:-$(dirname "$(dirname "$(readlink -f "$(command -v java)")")")}
work=$(mktemp -d)
pid=
cleanup() {
    if [ -n "$pid" ] && kill -0 "$pid" 2>/dev/null; then
        kill -KILL "$pid" 2>/dev/null || true
    fi
    rm -rf "$work"
}
trap cleanup EXIT

free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# The files of the image, by the Dockerfile's own COPY lines.
lay_out() {
    "$java_home/bin/java" -Djarmode=tools -jar "$jar" extract --layers --destination "$work/layers" >/dev/null
    local from to
    while read -r from to; do
        [ -d "$work$from" ] || continue
        mkdir -p "$work/image$to"
        cp -a "$work$from." "$work/image$to"
    done < <(sed -n 's/^COPY --from=build \([^ ]*\) \([^ ]*\)$/\1 \2/p' Dockerfile)
    mkdir -p "$work/image/opt/weir/bin" "$work/image/opt/java" "$work/image/var/lib/weir" "$work/image/tmp" \
        "$work/image/etc" "$work/image/proc" "$work/image/dev" "$work/image/usr" "$work/image/sys"
    install -m 0755 bin/weir "$work/image/opt/weir/bin/weir"
    local name
    for name in bin lib lib64 sbin; do
        [ -e "/$name" ] && ln -s "usr/$name" "$work/image/$name"
    done
    # A Java of Debian's keeps its settings there.
    for name in /etc/java-*; do
        [ -d "$name" ] && cp -a "$name" "$work/image/etc/"
    done
    printf 'root:x:0:0::/root:/bin/sh\nweir:x:10001:10001::/var/lib/weir:/bin/false\n' >"$work/image/etc/passwd"
    printf 'hosts: files\n' >"$work/image/etc/nsswitch.conf"
    printf '127.0.0.1 localhost %s\n' "$(hostname)" >"$work/image/etc/hosts"
}

# Runs in a mount namespace of its own.
cat >"$work/enter" <<'ENTER'
set -eu
image=$1 java_home=$2
shift 2
mount --make-rprivate /
mount --bind "$image" "$image"
mount --rbind -o ro /usr "$image/usr"
mount --bind "$java_home" "$image/opt/java"
mount -t proc proc "$image/proc" 2>/dev/null || mount --rbind /proc "$image/proc"
mount --rbind /dev "$image/dev"
mount --rbind /sys "$image/sys"
mount -t tmpfs -o mode=1777 tmpfs "$image/tmp"
mount -t tmpfs -o mode=0750,uid=10001,gid=10001 tmpfs "$image/var/lib/weir"
mount -o remount,ro,bind "$image/opt/java"
mount -o remount,ro,bind "$image"
cd "$image/tmp"
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin JAVA_HOME=/opt/java WEIR_DATA_DIR=/var/lib/weir WEIR_ADMIN_PASSWORD="$PASSWORD" \
    chroot "$image" setpriv --reuid 10001 --regid 10001 --clear-groups --no-new-privs --bounding-set=-all \
    /bin/sh -c 'cd /tmp; if touch /opt/weir/x /x 2>/dev/null; then echo "the root can be written" >&2; exit 9; fi; exec "$@"' \
    sh /opt/weir/bin/weir "$@"
ENTER

lay_out
echo "image: $(du -sh "$work/image/opt/weir" | cut -f 1) in /opt/weir, $(ls "$work/image/opt/weir/app/lib" | wc -l) libraries"
export PASSWORD="a password to check with"
http=$(free_port) flight=$(free_port) management=$(free_port)
unshare --mount bash "$work/enter" "$work/image" "$java_home" serve --weir.http.port="$http" --weir.flight.port="$flight" \
    --weir.management.port="$management" --weir.management.address=0.0.0.0 --weir.shutdown.grace=5s \
    --weir.engine.duckdb.database=/var/lib/weir/weir.duckdb --weir.engine.duckdb.process=child "$@" >"$work/log" 2>&1 &
pid=$!
for ((i = 0; i < 120; i++)); do
    kill -0 "$pid" 2>/dev/null || { cat "$work/log" >&2; fail "the gateway ended"; }
    grep -q 'Weir is ready' "$work/log" && break
    sleep 1
done
grep -q 'Weir is ready' "$work/log" || { cat "$work/log" >&2; fail "the gateway is not ready after two minutes"; }
grep -m 1 'Memory: ' "$work/log" || fail "the start does not print the sizes"
user=$(ps -o uid= -p "$(pgrep -f "weir.http.port=$http" | tail -n 1)" | tr -d ' ')
[ "$user" = 10001 ] || fail "it runs as user $user"
answer=$(curl -sk -u "admin:$PASSWORD" -H 'Accept: text/csv' --data 'create table t as select 42 as answer' \
    "https://127.0.0.1:$http/v1/queries" && curl -sk -u "admin:$PASSWORD" -H 'Accept: text/csv' \
    --data 'select answer from t' "https://127.0.0.1:$http/v1/queries")
grep -q '^42' <<<"$answer" || { cat "$work/log" >&2; fail "answered: $answer"; }
echo "answer over HTTPS: 42, from a child process on a database in /var/lib/weir"
for path in /livez /readyz; do
    code=$(curl -sk -o /dev/null -w '%{http_code}' "https://127.0.0.1:$management$path")
    if [ "$code" = 200 ]; then echo "management port: $path 200"; else fail "management port: $path answers $code"; fi
done
JAVA_HOME=$java_home "$work/image/opt/weir/bin/weir" health --port "$management" 2>"$work/health" || fail "health: $(cat "$work/health")"
echo "health check: $(cat "$work/health")"
kill -TERM "$pid"
for ((i = 0; i < 40; i++)); do
    kill -0 "$pid" 2>/dev/null || break
    sleep 1
done
kill -0 "$pid" 2>/dev/null && fail "it does not end on SIGTERM"
pid=
echo "ends on SIGTERM"
echo "image/check.sh: passed"
