/** Values that are created once. */

/**
 * Creates a value once for each key in the lifetime of the returned function, as of one request. `keyOf` says which
 * subjects share one.
 */
export function memoizeByKey<Value, Subject = string>(
  make: (subject: Subject) => Value,
  keyOf: (subject: Subject) => unknown = (subject) => subject,
): (subject: Subject) => Value {
  const made = new Map<unknown, Value>();
  return (subject) => {
    const key = keyOf(subject);
    const kept = made.get(key) ?? make(subject);
    made.set(key, kept);
    return kept;
  };
}
