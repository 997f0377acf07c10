#!/bin/sh
# Writes what can't be indexed or fetched again to <folder>/vitrine-<UTC time>.dump, while the service runs.
#
#   DATABASE_URL=postgres://… deploy/backup/backup.sh /var/backups/vitrine
#
# Needs pg_dump of the server's major version or newer. KEEP (14) is how many dumps stay in the folder. VITRINE_SECRET is not
# in the dump, and without it no key and no webhook secret in it can be read: keep it elsewhere.
set -eu

die() {
  echo "backup.sh: $1" >&2
  exit 1
}

folder=${1:-}
[ -n "$folder" ] || die "the folder is missing: backup.sh <folder>"
[ -n "${DATABASE_URL:-}" ] || die "DATABASE_URL is not set"
. "$(dirname "$(readlink -f "$0")")/connection.sh"
keep=${KEEP:-14}
case $keep in '' | *[!0-9]* | 0) die "KEEP must be a number above 0; it is \"$keep\"" ;; esac
command -v pg_dump >/dev/null || die "pg_dump is not installed (Debian: apt-get install postgresql-client)"

umask 077
mkdir -p "$folder"
name="vitrine-$(date -u +%Y%m%dT%H%M%SZ).dump"
part="$folder/.$name.part"
trap 'rm -f "$part"' EXIT
# Not every shell goes through EXIT when a signal ends it, as when the machine shuts down.
trap 'exit 1' HUP INT TERM

# What a backup left that was killed, as by a loss of power; another one may be under way.
find "$folder" -maxdepth 1 -name '.vitrine-*.dump.part' -mtime +0 -exec rm -f {} +

# One snapshot; it locks nothing that the service waits for.
pg_dump --dbname="$DATABASE_URL" --format=custom --schema=vitrine --no-owner --no-privileges --file="$part"
# A dump that was cut has no table of contents.
pg_restore --list "$part" | grep -q "TABLE DATA vitrine migration" || die "$part has no schema vitrine"
# Under its name, a dump is complete.
sync "$part"
mv "$part" "$folder/$name"

# After the clock was set back, the one just made has not the newest name.
ls -1 "$folder" | grep '^vitrine-[0-9TZ]*\.dump$' | grep -vxF "$name" | sort -r | tail -n "+$keep" |
  while read -r old; do rm -f "$folder/$old"; done
echo "$folder/$name"
