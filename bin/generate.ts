/** Writes the files that are generated from the code; with --check, fails when a committed one is out of date. */

import { readFileSync, writeFileSync } from "node:fs";
import { printClientTypes } from "./client-types.ts";
import { printOpenApi, printSdl } from "./generated-files.ts";
import { printKnownChains } from "./known-chains.ts";
import { printPostman } from "./postman.ts";
import { newSchemaSql } from "./schema-sql.ts";

const openApi = printOpenApi();
const files = {
  "openapi.json": openApi,
  "postman.json": printPostman(openApi),
  "clients/typescript/src/api.ts": await printClientTypes(openApi),
  "schema.graphql": await printSdl(),
  "src/api/db/schema.sql": await newSchemaSql(),
  "src/api/pages/known-chains.json": printKnownChains(),
};
const isCheck = process.argv.includes("--check");

for (const [file, text] of Object.entries(files)) {
  if (!isCheck) writeFileSync(file, text);
  else if (readFileSync(file, "utf8") !== text) {
    process.stderr.write(`${file} is not what the code says; run "npm run generate" and commit it.\n`);
    process.exitCode = 1;
  }
}
