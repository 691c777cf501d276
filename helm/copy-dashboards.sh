#!/usr/bin/env bash
# Copies dashboards/*.json and dashboards/rules/*.yaml into the chart: Helm reads only files inside of it.
# The files in dashboards/ are the source; a test holds the copies equal to them.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
source=dashboards
target=helm/weir/dashboards

rm -rf "$target"
[ -d "$source" ] || exit 0
shopt -s nullglob
for file in "$source"/*.json "$source"/rules/*.yaml; do
    copy=$target/${file#"$source"/}
    mkdir -p "$(dirname "$copy")"
    cp "$file" "$copy"
done
