/** What belongs to no room: the builds of the index, and the daily jobs. */

export const indexBuilds = `
create table vitrine.index_build (
  schema text primary key,
  build_id text not null,
  inputs jsonb not null,
  created_at timestamptz not null default now()
);
`;

export const retention = `
create table vitrine.daily_job (
  name text primary key,
  ran_at timestamptz not null default now()
);
create index version_age on vitrine.version (fetched_at);
create index version_document on vitrine.version (content_hash);
create index document_age on vitrine.document (stored_at);
create index receipt_age on vitrine.receipt (created_at);
`;
