/** Writes the files that are generated from the code; with --check, fails when a committed one is out of date. */

import { readFileSync, writeFileSync } from "node:fs";
import { printOpenApi, printSdl } from "./generated-files.ts";
import { newSchemaSql } from "./schema-sql.ts";

const files = {
  "openapi.json": printOpenApi(),
  "schema.graphql": await printSdl(),
  "src/api/db/schema.sql": await newSchemaSql(),
};
const isCheck = process.argv.includes("--check");

for (const [file, text] of Object.entries(files)) {
  if (!isCheck) writeFileSync(file, text);
  else if (readFileSync(file, "utf8") !== text) {
    process.stderr.write(`${file} is not what the code says; run "npm run generate" and commit it.\n`);
    process.exitCode = 1;
  }
}
