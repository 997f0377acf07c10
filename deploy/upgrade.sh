#!/bin/sh
# Brings an installation to another commit or tag, and back again by itself if that one doesn't get ready. The same command
# with the earlier commit rolls an upgrade back: migrations only add, so older code runs on a newer database.
#
#   DATABASE_URL=postgres://… deploy/upgrade.sh v1.4.0
#
# Needs git, Node, curl, and what backup/backup.sh needs.
#
# VITRINE_HOME   the git clone (the one of this script)
# ENVIRONMENT    the service's variables, of which those that are set already win (/etc/vitrine/vitrine.env, where it exists)
# BACKUPS        where the backup before the upgrade goes (/var/backups/vitrine)
# INSTALL        installs the packages of a commit (npm ci --omit=dev)
# RESTART        ends the running service and starts the one of the clone, and its replicas (systemctl restart vitrine, then
#                each running vitrine-replica@ of this machine, the next one once the last is ready)
# READY_URL      answers 200 once the service may serve (http://localhost:42069/ready)
# READY_SECONDS  how long that may take (300)
set -eu

# Where nobody reads what it says any more, as `tee` that the same Ctrl-C has ended, nothing that it starts is to fail of that.
say() { echo "upgrade.sh: $1" >&2 || exec 2>/dev/null; }

die() {
  say "$1"
  exit 1
}

answers() {
  curl --silent --fail --max-time 5 --output /dev/null "$1"
}

# True once this URL has answered 200 twice, a second apart. Asks at least once, however short the time.
is_ready() {
  deadline=$(($(date +%s) + READY_SECONDS))
  while :; do
    sleep 1
    answers "$1" && sleep 1 && answers "$1" && return 0
    [ "$(date +%s)" -lt "$deadline" ] || return 1
  done
}

# The replicas of this machine that systemd runs. Nothing where there is no systemd.
running_replicas() {
  systemctl list-units --plain --no-legend --state=active 'vitrine-replica@*' 2>/dev/null | sed 's/ .*//'
}

# Restarts a replica, and is true once it is ready.
restart_replica() {
  port=${1#*@}
  systemctl restart "$1" >&2 && is_ready "http://localhost:${port%.service}/ready"
}

# True where the service's list of collections is not the clone's.
has_own_list() {
  [ -n "${COLLECTIONS_FILE:-}" ] || grep -qs '^ *\(export *\)\?COLLECTIONS_FILE=.' "$ENVIRONMENT" .env.local .env
}

# Brings the clone, its packages and what was restarted back to where the upgrade began; `left` is what to run where
# a part of that fails. A checkout that came to no end has left files of either commit; the clone had no changes before.
back() {
  left=$INSTALL
  again="$RESTART${moved:+ && systemctl restart$moved}"
  [ $restarted = no ] || left="$INSTALL && $again"
  git checkout --quiet --force --detach "$before" >&2 || {
    left="git checkout --force --detach $before && $left"
    return 1
  }
  sh -c "$INSTALL" >&2 || return 1
  [ $restarted = yes ] || return 0
  left=$again
  sh -c "$RESTART" >&2 || return 1
  left="systemctl restart$moved"
  for unit in $moved; do
    if [ $hurry = yes ]; then
      systemctl restart "$unit" >&2 || return 1
    else
      # One that is not ready must not keep the next one at the other commit.
      restart_replica "$unit" || say "$unit did not get ready in $READY_SECONDS s"
    fi
  done
}

not_back() { die "could not go back to $before; in $PWD, run: $left"; }

# Ends an upgrade that a signal ends, as of a terminal that closes, where it began: what runs must be what is in the clone,
# or the next restart of any part of it takes half of another release. Nobody may be there to read what it says.
interrupted() {
  trap '' HUP INT TERM PIPE
  set +e
  hurry=yes
  say "interrupted; going back to $before"
  # Else the files that only the other commit has would stay, and be in the way of the next upgrade. The index alone: HEAD may
  # still be a branch.
  [ $moving = no ] || git read-tree "$after" >/dev/null 2>&1
  back >/dev/null 2>&1 || not_back
  die "went back to $(git rev-parse --short "$before")"
}

main() {
  [ $# -eq 1 ] || die "the commit or tag is missing: upgrade.sh <commit or tag>"
  [ -n "${DATABASE_URL:-}" ] || die "DATABASE_URL is not set"
  # Without curl, every commit would look as if it did not get ready.
  for tool in git node curl; do
    command -v $tool >/dev/null || die "$tool is not installed"
  done
  scripts=$(cd "$(dirname "$0")" && pwd)
  cd "${VITRINE_HOME:-$scripts/..}"
  ENVIRONMENT=${ENVIRONMENT:-/etc/vitrine/vitrine.env}
  BACKUPS=${BACKUPS:-/var/backups/vitrine}
  INSTALL=${INSTALL:-npm ci --omit=dev}
  replicas=
  [ -n "${RESTART:-}" ] || replicas=$(running_replicas)
  RESTART=${RESTART:-systemctl restart vitrine}
  READY_URL=${READY_URL:-http://localhost:42069/ready}
  READY_SECONDS=${READY_SECONDS:-300}

  before=$(git rev-parse HEAD)
  after=$(git rev-parse --verify --quiet "$1^{commit}") || die "there is no commit $1; git fetch --tags?"
  [ "$before" != "$after" ] || die "the clone is at $1 already"
  git diff --quiet HEAD -- collections.json ||
    die "the clone's collections.json has changes: copy it to another folder, name the copy in COLLECTIONS_FILE ($ENVIRONMENT), and run: git checkout HEAD collections.json"
  git diff --quiet HEAD || die "the clone has changes that are not committed: git status"

  # Committed, it would be replaced without a word where that needs no other chain index.
  has_own_list || git diff --quiet "$before" "$after" -- collections.json ||
    die "$1 has another collections.json: copy the clone's to another folder, and name the copy in COLLECTIONS_FILE ($ENVIRONMENT)"

  "$scripts/backup/backup.sh" "$BACKUPS" >&2

  restarted=no
  moved=
  hurry=no
  moving=no
  trap '' PIPE
  trap interrupted HUP INT TERM
  moving=yes
  git checkout --quiet --detach "$after" || {
    moving=no
    say "going back to $before"
    back || not_back
    die "$1 can't be checked out; nothing was restarted"
  }
  moving=no
  if ! sh -c "$INSTALL" >&2; then
    say "the packages of $1 can't be installed; going back to $before"
    back || not_back
    die "the packages of $1 can't be installed; nothing was restarted"
  fi
  # Before anything is restarted: a chain index that has to be built again would leave nothing to serve for hours.
  # It is about the service's collections, endpoints and schema, which systemd gives to the service only.
  checked=0
  if [ -r "$ENVIRONMENT" ]; then
    node --env-file="$ENVIRONMENT" bin/vitrine.js index check >&2 || checked=$?
  else
    node bin/vitrine.js index check >&2 || checked=$?
  fi
  if [ $checked -ne 0 ]; then
    say "going back to $before"
    back || not_back
    [ $checked -ne 2 ] || die "$1 needs another chain index; build it beside the old one (npx vitrine index beside); nothing was restarted"
    die "it can't be told whether $1 needs another chain index; nothing was restarted"
  fi

  restarted=yes
  late=
  if sh -c "$RESTART" >&2 && is_ready "$READY_URL"; then
    for unit in $replicas; do
      moved="$moved $unit"
      restart_replica "$unit" || {
        late=" as $unit"
        break
      }
    done
    if [ -z "$late" ]; then
      trap - HUP INT TERM
      say "now at $(git rev-parse --short HEAD), from $(git rev-parse --short "$before")"
      exit 0
    fi
  fi
  say "$1 did not get ready$late in $READY_SECONDS s; going back to $before"
  back || not_back
  is_ready "$READY_URL" || die "$before did not get ready either: read the log"
  die "went back to $(git rev-parse --short "$before"), which is ready; the log has why $1 was not"
}

# In one piece: a checkout may replace this file while it runs.
main "$@"
exit
