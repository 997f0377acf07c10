/** Ponder's tables of a schema, as Ponder would create them. */

import { getTableConfig, type PgTable } from "drizzle-orm/pg-core";
import * as chainSchema from "../../../ponder.schema.ts";

export const CHAIN_SCHEMA = "test_chain";

/** What Ponder drops before it changes rows after a reorg, and creates anew; here it does nothing. */
export const chainTrigger = (schema = CHAIN_SCHEMA): string =>
  `create trigger reorg after insert on ${schema}.token_state execute function ${schema}.reorg()`;

/** The statements that create a schema of Ponder's. */
export function chainDdl(schema = CHAIN_SCHEMA): string {
  const statements = Object.values(chainSchema).map((table) => {
    const { name, columns, primaryKeys } = getTableConfig(table as unknown as PgTable);
    const columnLines = columns.map(
      (column) =>
        `"${column.name}" ${column.getSQLType()}${column.notNull ? " not null" : ""}${column.primary ? " primary key" : ""}`,
    );
    const keyLines = primaryKeys.map(
      (key) => `primary key (${key.columns.map((column) => `"${column.name}"`).join(", ")})`,
    );
    return `create table ${schema}.${name} (${[...columnLines, ...keyLines].join(", ")});`;
  });
  return `
    create schema ${schema};
    create table ${schema}._ponder_meta (key text primary key, value jsonb not null);
    create table ${schema}._ponder_checkpoint (
      chain_name text primary key, chain_id bigint not null, safe_checkpoint varchar(75) not null,
      latest_checkpoint varchar(75) not null, finalized_checkpoint varchar(75) not null);
    ${statements.join("\n")}
    ${reorgTrigger(schema)}`;
}

/** The trigger, with its function. */
export const reorgTrigger = (schema: string): string => `
    create function ${schema}.reorg() returns trigger language plpgsql as 'begin return null; end';
    ${chainTrigger(schema)};`;
