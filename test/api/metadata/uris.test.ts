/** Token URIs as contracts return them: the URLs to fetch for each, or why there are none. */

import { expect, it } from "vitest";
import { locate } from "../../../src/api/fetch/locate.ts";
import { textOf, uris } from "./fixtures.ts";

const GATEWAYS = ["https://first.example", "https://second.example"];
const rows = uris.map((row) => ({ ...row, shown: row.file ?? row.uri }));

it.each(rows)("$shown is located as its index says", (row) => {
  const located = locate(textOf(row), GATEWAYS);

  if ("failure" in row.expect) {
    expect(located).toMatchObject({ kind: "refused", reason: row.expect.failure });
    return;
  }
  const { first, content } = row.expect;
  const through = GATEWAYS.map((gateway) => `${gateway}/ipfs/${content}`);
  expect(located).toEqual({ kind: "located", urls: first === undefined ? through : [first, ...through] });
});
