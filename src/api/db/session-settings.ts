/** What a role or a database may set for all of its sessions, and ours must not depend on. */

// PostgreSQL before 17 lacks it.
const NO_TRANSACTION_TIMEOUT =
  "select set_config('transaction_timeout', '0', false) where current_setting('server_version_num')::int >= 170000";

// A wait for a lock counts towards a statement's own limit, which is answered with 503.
const NO_OTHER_TIMEOUTS = `set lock_timeout = 0; set idle_session_timeout = 0; ${NO_TRANSACTION_TIMEOUT}`;

/** SQL: no limit ends a statement, a transaction or the session, as for work that takes as long as it takes. */
export const NO_TIMEOUTS = `set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; ${NO_OTHER_TIMEOUTS}`;

/**
 * SQL: times as node-postgres reads them, literals as ours are written, and an isolation in which a row that somebody else
 * has just changed is no error.
 */
const MEANINGS =
  "set datestyle = iso; set standard_conforming_strings = on; set default_transaction_isolation = 'read committed'";

/** SQL: for sessions of many short statements, whose own limit stays. */
export const SERVING_SETTINGS = `${MEANINGS}; ${NO_OTHER_TIMEOUTS}`;
