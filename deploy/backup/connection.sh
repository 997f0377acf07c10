# Read by backup.sh and restore.sh. Moves the password of DATABASE_URL to PGPASSWORD: every account of the machine can read
# the arguments of a process, and only its own account the environment.
case ${DATABASE_URL:-} in
postgres://*:*@* | postgresql://*:*@*)
  rest=${DATABASE_URL#*://}
  # As PostgreSQL's programs read it: up to the first @, which comes before the path.
  login=${rest%%[@/]*}
  case $rest in
  "$login"@*)
    case $login in
    *:?*)
      PGPASSWORD=$(printf %s "${login#*:}" | LC_ALL=C awk '{
        while (match($0, /%[0-9A-Fa-f][0-9A-Fa-f]/)) {
          high = index("0123456789abcdef", tolower(substr($0, RSTART + 1, 1))) - 1
          low = index("0123456789abcdef", tolower(substr($0, RSTART + 2, 1))) - 1
          printf "%s%c", substr($0, 1, RSTART - 1), high * 16 + low
          $0 = substr($0, RSTART + 3)
        }
        printf "%s", $0
      }')
      export PGPASSWORD
      DATABASE_URL="${DATABASE_URL%%://*}://${login%%:*}@${rest#*@}"
      ;;
    esac
    ;;
  esac
  ;;
esac
