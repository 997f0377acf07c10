# Read by backup.sh and restore.sh. Moves the password of DATABASE_URL to PGPASSWORD: every account of the machine can read
# the arguments of a process, and only its own account the environment. The URL is read as PostgreSQL's programs read it.

decoded() {
  printf %s "$1" | LC_ALL=C awk '{
    while (match($0, /%[0-9A-Fa-f][0-9A-Fa-f]/)) {
      high = index("0123456789abcdef", tolower(substr($0, RSTART + 1, 1))) - 1
      low = index("0123456789abcdef", tolower(substr($0, RSTART + 2, 1))) - 1
      printf "%s%c", substr($0, 1, RSTART - 1), high * 16 + low
      $0 = substr($0, RSTART + 3)
    }
    printf "%s", $0
  }'
}

case ${DATABASE_URL:-} in
postgres://* | postgresql://*)
  rest=${DATABASE_URL#*://}
  # Up to the first @, which comes before the path.
  login=${rest%%[@/]*}
  case $rest in
  "$login"@*)
    rest=${rest#*@}
    case $login in
    *:?*)
      PGPASSWORD=$(decoded "${login#*:}")
      export PGPASSWORD
      login=${login%%:*}
      ;;
    esac
    login=$login@
    ;;
  *) login= ;;
  esac
  case $rest in
  *\?*)
    query=${rest#*\?}\&
    rest=${rest%%\?*}
    separator=\?
    while [ -n "$query" ]; do
      parameter=${query%%&*}
      query=${query#*&}
      case $parameter in
      *=?*)
        # The last one counts, also before the one of the login.
        if [ "$(decoded "${parameter%%=*}")" = password ]; then
          PGPASSWORD=$(decoded "${parameter#*=}")
          export PGPASSWORD
          continue
        fi
        ;;
      esac
      rest=$rest$separator$parameter
      separator=\&
    done
    ;;
  esac
  DATABASE_URL=${DATABASE_URL%%://*}://$login$rest
  ;;
esac
