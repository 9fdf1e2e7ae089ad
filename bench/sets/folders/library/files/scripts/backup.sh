#!/usr/bin/env bash
# Nightly copy of the plan database. Called from cron on rowan, see notes/hosts.md.
set -euo pipefail

DB=${SLOTWRIGHT_DB:-/var/lib/slotd/plans.db}
TARGET=${BACKUP_DIR:-/srv/backup/slotd}
KEEP_DAILY=14
KEEP_MONTHLY=12
LOCK=/run/lock/slotd-backup

say() { printf '%s %s\n' "$(date +%FT%T)" "$*" >&2; }

exec 9>"$LOCK"
if ! flock -n 9; then
  say "another backup is running, leaving"
  exit 75
fi

[ -r "$DB" ] || { say "cannot read $DB"; exit 66; }
mkdir -p "$TARGET/daily" "$TARGET/monthly"

need=$(( $(stat -c %s "$DB") * 2 / 1024 ))
have=$(df --output=avail -k "$TARGET" | tail -1)
if [ "$have" -lt "$need" ]; then
  say "not enough space: want ${need}k, have ${have}k"
  exit 74
fi

today=$(date +%F)
tmp=$(mktemp "$TARGET/.part.XXXXXX")
trap 'rm -f "$tmp"' EXIT

# never cp a live WAL database
sqlite3 "$DB" ".timeout 8000" ".backup '$tmp'"

result=$(sqlite3 "$tmp" 'PRAGMA integrity_check')
if [ "$result" != ok ]; then
  say "copy is damaged: $result"
  exit 65
fi

zstd -q -T2 -12 "$tmp" -o "$TARGET/daily/plans-$today.db.zst" --force
if [ "$(date +%d)" = 01 ]; then
  cp --reflink=auto "$TARGET/daily/plans-$today.db.zst" "$TARGET/monthly/"
fi

prune() {
  local dir=$1 keep=$2
  ls -1t "$dir"/*.zst 2>/dev/null | tail -n +$((keep + 1)) | while read -r f; do
    say "dropping $(basename "$f")"
    rm -f -- "$f"
  done
}
prune "$TARGET/daily" "$KEEP_DAILY"
prune "$TARGET/monthly" "$KEEP_MONTHLY"

size=$(stat -c %s "$TARGET/daily/plans-$today.db.zst")
say "done, $((size / 1024))k"

if [ -n "${PING_URL:-}" ]; then
  curl -fsS -m 10 --retry 3 "$PING_URL" >/dev/null || say "ping failed (ignored)"
fi
