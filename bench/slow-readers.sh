#!/usr/bin/env bash
# Measures whether readers that take one batch a second hold up a user with short queries: eight of them, each a user,
# half on either front, on all of lineitem, with the limits of a gateway as it comes; the ninth user alone and beside
# them, in turns. More readers than slots: some of them wait, and no slot is left.
#
#   bench/slow-readers.sh [SECONDS] [TURNS]      defaults: 30, 5; scale 1, 1 GB of disk in TMPDIR
set -euo pipefail
seconds=${1:-30}
turns=${2:-5}
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

make_data 1
add_users admin bench
add_users reader light reader{0..7}
start_server
print_machine "bench/slow-readers.sh $seconds $turns"
bench slow-readers "$seconds" "$turns"
