#!/usr/bin/env bash
# Installs, upgrades and uninstalls the chart on the cluster that KUBECONFIG names, once with each values file.
#
#   helm/test-install.sh [--wait] [--namespace NAME] [VALUES.yaml ...]
#
# Without files, every example of the chart. An example that needs a kind which the cluster does not know (cert-manager,
# the Prometheus operator) is skipped and named. With --wait the pods must become ready, so the image and what an example
# refers to must be there; without, the API server alone is enough. HELM names the Helm binary (helm).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
chart=$here/weir
helm=${HELM:-helm}
namespace=weir-test
wait=()
files=()
while [ $# -gt 0 ]; do
    case $1 in
        --wait) wait=(--wait --timeout 10m) ;;
        --namespace)
            namespace=$2
            shift
            ;;
        -*)
            echo "unknown option $1" >&2
            exit 2
            ;;
        *) files+=("$1") ;;
    esac
    shift
done
[ "${#files[@]}" -gt 0 ] || files=("$chart"/examples/*.yaml)
[ -n "${KUBECONFIG:-}" ] || {
    echo "KUBECONFIG names no cluster to test on" >&2
    exit 2
}

work=$(mktemp -d)
release=
cleanup() {
    if [ -n "$release" ]; then
        "$helm" uninstall "$release" --namespace "$namespace" >/dev/null 2>&1 || true
    fi
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

failed=0
passed=0
skipped=0

# Runs Helm; what it says is shown only when it fails.
quietly() {
    "$helm" "$@" >"$work/said" 2>&1 || {
        sed 's/^/    /' "$work/said" >&2
        return 1
    }
}

# What was rendered for a revision, without what may differ between two.
secrets_of() {
    "$helm" get manifest "$release" --namespace "$namespace" --revision "$1" \
        | sed -nE 's/^  (password|secret|token\.key|ca\.crt|tls\.crt|tls\.key): /\1 /p' | sort
}

checksum_of() {
    "$helm" get manifest "$release" --namespace "$namespace" --revision "$1" | sed -n 's/^ *checksum\/config: //p' | head -n 1
}

check() {
    if [ "$2" = "$3" ]; then
        return 0
    fi
    echo "    $1: '$3' where '$2' was expected" >&2
    return 1
}

# One values file: install, the same again, a change, back, uninstall.
try() {
    local values=$1
    quietly upgrade --install "$release" "$chart" --namespace "$namespace" --create-namespace --values "$values" "${wait[@]}" || return 1
    quietly upgrade "$release" "$chart" --namespace "$namespace" --values "$values" "${wait[@]}" || return 1
    check "secrets after an upgrade" "$(secrets_of 1)" "$(secrets_of 2)" || return 1
    check "configuration after an upgrade without a change" "$(checksum_of 1)" "$(checksum_of 2)" || return 1
    quietly upgrade "$release" "$chart" --namespace "$namespace" --values "$values" \
        --set 'config.weir\.admission\.max-queued=77' --set 'shutdown.graceSeconds=20' "${wait[@]}" || return 1
    check "secrets after a change" "$(secrets_of 1)" "$(secrets_of 3)" || return 1
    if [ "$(checksum_of 1)" = "$(checksum_of 3)" ]; then
        echo "    another configuration restarts no pod" >&2
        return 1
    fi
    quietly rollback "$release" 1 --namespace "$namespace" "${wait[@]}" || return 1
    quietly uninstall "$release" --namespace "$namespace" "${wait[@]}" || return 1
    release=
}

echo "$("$helm" version --short), namespace $namespace"
for values in "${files[@]}"; do
    name=$(basename "$values" .yaml)
    release=t-$name
    if "$helm" upgrade --install "$release" "$chart" --namespace "$namespace" --values "$values" --dry-run=server \
        >"$work/dry" 2>&1; then
        if try "$values"; then
            echo "ok       $name"
            passed=$((passed + 1))
        else
            echo "FAILED   $name"
            failed=$((failed + 1))
            "$helm" uninstall "$release" --namespace "$namespace" >/dev/null 2>&1 || true
        fi
    elif grep -q 'no matches for kind' "$work/dry"; then
        echo "skipped  $name: $(grep -o 'no matches for kind "[A-Za-z]*"' "$work/dry" | sort -u | tr '\n' ' ')"
        skipped=$((skipped + 1))
    else
        sed 's/^/    /' "$work/dry" >&2
        echo "FAILED   $name"
        failed=$((failed + 1))
    fi
    release=
done
echo "passed $passed, skipped $skipped, failed $failed"
[ "$failed" -eq 0 ]
