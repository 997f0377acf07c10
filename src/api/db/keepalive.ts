/**
 * How each side of a connection notices that the other is gone. A machine without power and a network that loses its
 * connections say nothing, and by default both sides wait for hours.
 */

/** Options of node-postgres: this side probes a connection that is silent for five seconds, and ends it after ten probes. */
export const CLIENT_KEEPALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 5_000 } as const;

/** SQL: PostgreSQL ends the session of a lost process after 14 seconds, and its locks with it. */
export const SERVER_KEEPALIVE =
  "set tcp_keepalives_idle = 5; set tcp_keepalives_interval = 3; set tcp_keepalives_count = 3";
