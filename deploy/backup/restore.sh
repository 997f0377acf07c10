#!/bin/sh
# Restores a dump of backup.sh into a database without schema `vitrine`: all of it, or nothing.
#
#   DATABASE_URL=postgres://… deploy/backup/restore.sh /var/backups/vitrine/vitrine-20260101T000000Z.dump
#
# Then start the service with the VITRINE_SECRET of the dump. It indexes the chain again, and serves once that is done.
set -eu

die() {
  echo "restore.sh: $1" >&2
  exit 1
}

dump=${1:-}
[ -n "$dump" ] || die "the dump is missing: restore.sh <dump>"
[ -r "$dump" ] || die "$dump can't be read"
[ -n "${DATABASE_URL:-}" ] || die "DATABASE_URL is not set"
. "$(dirname "$(readlink -f "$0")")/connection.sh"
for tool in pg_restore psql; do
  command -v $tool >/dev/null || die "$tool is not installed (Debian: apt-get install postgresql-client)"
done

sql() {
  psql --no-psqlrc --quiet --tuples-only --no-align --set=ON_ERROR_STOP=1 --dbname="$DATABASE_URL" --command="$1"
}

[ "$(sql "select count(*) from pg_namespace where nspname = 'vitrine'")" = 0 ] ||
  die "the database has a schema vitrine already; restore into an empty one, or rename it: alter schema vitrine rename to vitrine_old"

pg_restore --dbname="$DATABASE_URL" --single-transaction --exit-on-error --no-owner --no-privileges "$dump"
# Event ids go on where the dump ended. Receivers of webhooks got other events under the same ids since, so their webhook-ids
# differ from here on. A dump may be older than migration 71, which adds the column.
history="do \$\$ begin
  if to_regclass('vitrine.webhook_position') is not null then
    alter table vitrine.webhook_position add column if not exists history text;
    update vitrine.webhook_position set history = left(replace(gen_random_uuid()::text, '-', ''), 12);
  end if;
end \$\$"
# Without statistics, the first searches would read whole tables.
# It warns of each of PostgreSQL's own tables that the role may not analyze.
PGOPTIONS="${PGOPTIONS:-} --client-min-messages=error" sql "$history; analyze"
echo "restored: $(sql "select count(*) from vitrine.token") tokens, $(sql "select count(*) from vitrine.version") versions, $(sql "select count(*) from vitrine.api_key") keys, migration $(sql "select max(id) from vitrine.migration")"
