/** The off-chain tables, in the order they came to be. A migration that has shipped is never edited. */

const tokensAndVersions = `
create table vitrine.token (
  chain_id bigint not null,
  collection text not null,
  token_id numeric(78) not null,
  known_since timestamptz not null default now(),
  -- What is served; null until a document could be read.
  served_version bigint,
  -- How the last fetch ended, and the block its URI was read at.
  last_outcome text,
  last_reason text,
  last_fetch_at timestamptz,
  good_block bigint,
  versions int not null default 0,
  primary key (chain_id, collection, token_id)
);

create table vitrine.document (
  hash text primary key,
  body bytea not null,
  stored_at timestamptz not null default now()
);

create table vitrine.version (
  id bigint generated always as identity primary key,
  chain_id bigint not null,
  collection text not null,
  token_id numeric(78) not null,
  number int not null,
  trigger text not null,
  outcome text not null,
  reason text,
  uri text,
  read_block bigint,
  content_hash text,
  -- JSON as text: jsonb refuses strings that JSON allows, such as an escaped NUL.
  metadata text,
  issues text not null default '[]',
  complete boolean not null default false,
  duration_ms int not null,
  fetched_at timestamptz not null default now(),
  confirmed_at timestamptz,
  confirmations int not null default 0,
  unique (chain_id, collection, token_id, number)
);

create table vitrine.trait_type (
  chain_id bigint not null,
  collection text not null,
  trait_type text not null,
  -- The first type stays; others are held back until the operator approves.
  display_type text not null,
  highest double precision
);
-- A hash of what strangers wrote, since a btree refuses entries over 2.7 kB.
create unique index trait_type_name on vitrine.trait_type (chain_id, collection, md5(trait_type));

create table vitrine.token_trait (
  chain_id bigint not null,
  collection text not null,
  token_id numeric(78) not null,
  position int not null,
  trait_type text not null,
  value_text text not null,
  value_number double precision,
  primary key (chain_id, collection, token_id, position)
);
create index token_trait_value on vitrine.token_trait (chain_id, collection, md5(trait_type), md5(value_text));
`;

const refresh = `
create table vitrine.refresh (
  chain_id bigint not null,
  collection text not null,
  token_id numeric(78) not null,
  -- Requests raise wanted; a fetch sets done to the wanted it started with.
  wanted bigint not null,
  started bigint not null default 0,
  done bigint not null default 0,
  priority smallint not null,
  trigger text not null,
  anonymous boolean not null default false,
  -- The URI is never read below the block of its newest cause.
  min_block bigint not null default 0,
  not_before timestamptz not null default now(),
  attempts int not null default 0,
  last_reason text,
  last_started_at timestamptz,
  anonymous_started_at timestamptz,
  lease uuid,
  leased_until timestamptz,
  waiting_since timestamptz not null default now(),
  primary key (chain_id, collection, token_id)
);
create index refresh_waiting on vitrine.refresh (priority desc, not_before) where wanted > done;

create table vitrine.receipt (
  id uuid primary key,
  app_id uuid not null,
  chain_id bigint not null,
  collection text not null,
  created_at timestamptz not null default now()
);
create table vitrine.receipt_token (
  receipt_id uuid not null references vitrine.receipt on delete cascade,
  position int not null,
  token_id numeric(78) not null,
  chain_id bigint not null,
  collection text not null,
  -- The mark of the queue row that answers this entry; null for a token that does not exist.
  wanted bigint,
  status text,
  reason text,
  primary key (receipt_id, position)
);
create index receipt_token_open on vitrine.receipt_token (chain_id, collection, token_id) where status is null;

create table vitrine.cause_cursor (
  schema text not null,
  chain_id bigint not null,
  handled text not null,
  primary key (schema, chain_id)
);
create table vitrine.cause (
  schema text not null,
  chain_id bigint not null,
  id text not null,
  block_hash text not null,
  collection text not null,
  from_token_id numeric(78) not null,
  to_token_id numeric(78) not null,
  scope text not null,
  block bigint not null,
  primary key (schema, chain_id, id)
);
create table vitrine.sweep (
  id bigint generated always as identity primary key,
  chain_id bigint not null,
  collection text not null,
  from_token_id numeric(78) not null,
  to_token_id numeric(78) not null,
  block bigint not null,
  skip_read boolean not null,
  -- Every known token up to here has been asked for.
  cursor numeric(78),
  asked bigint not null default 0,
  created_at timestamptz not null default now(),
  finished_at timestamptz
);
create index sweep_open on vitrine.sweep (id) where finished_at is null;
`;

const accessAndGuard = `
create table vitrine.app (
  id uuid primary key,
  name text not null unique,
  apis text[] not null,
  -- Null holds every collection.
  collections text[],
  created_at timestamptz not null default now()
);
create table vitrine.api_key (
  id uuid primary key,
  app_id uuid not null references vitrine.app,
  hash bytea not null unique,
  -- The first characters, by which people tell their keys apart.
  start text not null,
  created_at timestamptz not null default now(),
  revoked_at timestamptz
);
create table vitrine.audit (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  actor text not null,
  action text not null,
  subject text not null,
  detail jsonb not null default '{}'
);
create table vitrine.allowed_host (
  pattern text not null,
  -- chain:address, or empty for every collection.
  collection text not null default '',
  added_by text not null,
  added_at timestamptz not null default now(),
  primary key (pattern, collection)
);
create table vitrine.chain_head (
  schema text not null,
  chain_id bigint not null,
  checkpoint text not null,
  primary key (schema, chain_id)
);
`;

export const migrations: readonly string[] = [tokensAndVersions, refresh, accessAndGuard];
