/**
 * SQL: when work may start again that starts at most once per `spacing`, null if it never did. A start in the future is of a
 * clock that has stepped back since.
 */
export const nextStart = (start: string, spacing: string): string =>
  `case when ${start} > now() then now() else ${start} end + ${spacing}`;
