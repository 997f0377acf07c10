/** Rows as arrays of columns, which is how a statement takes any number of them: with `unnest`. */

type Columns<Row, Keys extends readonly (keyof Row)[]> = {
  -readonly [At in keyof Keys]: Row[Keys[At]][];
};

/** The values of each named field, in the order of the names; each in the order of the rows. */
export const columnsOf = <Row, const Keys extends readonly (keyof Row)[]>(
  rows: readonly Row[],
  ...keys: Keys
): Columns<Row, Keys> => keys.map((key) => rows.map((row) => row[key])) as Columns<Row, Keys>;
