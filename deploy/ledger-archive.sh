#!/usr/bin/env bash
# Point-in-time recovery of PostgreSQL: archives the WAL as it is written, plus base backups. See docs/operations/point-in-time.md.
#
#   ledger-archive.sh stream FOLDER               archives the WAL continuously; runs until stopped
#   ledger-archive.sh base FOLDER                 makes and verifies a base backup; run it daily
#   ledger-archive.sh forget FOLDER DAYS          deletes older data, but never the newest base backup
#   ledger-archive.sh restore FOLDER MOMENT DATA  fills an empty data directory; a server started on it recovers to MOMENT and then opens
#
# Connects to PGHOST, PGPORT, PGUSER and PGPASSWORD; the role needs REPLICATION. Restore as the user that runs PostgreSQL.
set -euo pipefail

slot=tributary_archive
command=${1:-} folder=${2:-}
fail() { echo "ledger-archive: $*" >&2; exit 1; }
[ -n "$folder" ] || { sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 1; }
programs=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1 || true)
PATH=$PATH:$programs
bases() { ls "$folder/base" 2>/dev/null | grep -v unfinished | sort || true; }

case $command in
  stream)
    mkdir -p -m 700 "$folder/wal"
    # The replication slot keeps WAL on the server until it is archived, however long the archive is down: monitor the server's disk.
    pg_receivewal --no-password --directory "$folder/wal" --slot "$slot" --create-slot --if-not-exists
    exec pg_receivewal --no-password --directory "$folder/wal" --slot "$slot" --synchronous
    ;;
  base)
    mkdir -p -m 700 "$folder/base"
    rm -rf "$folder/base/unfinished"
    pg_basebackup --no-password --pgdata "$folder/base/unfinished" --checkpoint=fast --wal-method=stream
    pg_verifybackup --quiet "$folder/base/unfinished"
    # A base backup can only restore to times after the backup ended.
    name=$(date -u -d '+1 second' +%Y%m%dT%H%M%SZ)
    mv "$folder/base/unfinished" "$folder/base/$name"
    echo "$name"
    ;;
  forget)
    before=$(date -u -d "-${3:?how many days} days" +%Y%m%dT%H%M%SZ)
    # Keeps the newest base backup before the cutoff, as it is needed to restore to times shortly after the cutoff.
    last=$(bases | awk -v before="$before" '$0 < before' | tail -1)
    for name in $(bases); do [[ $name < $last ]] && rm -r "${folder:?}/base/$name"; done
    oldest=$(bases | head -1)
    [ -n "$oldest" ] || exit 0
    pg_archivecleanup "$folder/wal" "$(sed -n 's/^START WAL LOCATION:.*file \([0-9A-F]*\).*/\1/p' "$folder/base/$oldest/backup_label")"
    ;;
  restore)
    moment=${3:?the moment, such as 2026-05-04 12:00:00Z} data=${4:?an empty data directory}
    [ -z "$(ls -A "$data" 2>/dev/null)" ] || fail "$data is not empty."
    wanted=$(date -u -d "$moment" +%Y%m%dT%H%M%SZ)
    base=$(bases | awk -v wanted="$wanted" '$0 <= wanted' | tail -1)
    [ -n "$base" ] || fail "there is no base backup from before $moment."
    mkdir -p -m 700 "$data"
    cp -a "$folder/base/$base/." "$data"
    cat >> "$data/postgresql.auto.conf" <<CONF
restore_command = 'cp "$(realpath "$folder")/wal/%f" "%p" 2>/dev/null || cp "$(realpath "$folder")/wal/%f.partial" "%p" 2>/dev/null'
recovery_target_time = '$(date -u -d "$moment" '+%Y-%m-%d %H:%M:%S.%6N+00')'
recovery_target_action = 'promote'
CONF
    touch "$data/recovery.signal"
    echo "$data begins at the base $base. Start the server; it opens when it has come to $moment."
    ;;
  *) fail "there is no \"$command\"." ;;
esac
