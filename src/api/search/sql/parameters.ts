/** The parameters of a statement, numbered as they are added. */

export interface Parameters {
  /** Adds a value; returns its placeholder. */
  add(value: unknown): string;
  readonly values: readonly unknown[];
}

export function createParameters(): Parameters {
  const values: unknown[] = [];
  return {
    values,
    add(value) {
      values.push(value);
      return `$${values.length}`;
    },
  };
}
