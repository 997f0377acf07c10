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

const indexBuilds = `
create table vitrine.index_build (
  schema text primary key,
  build_id text not null,
  inputs jsonb not null,
  created_at timestamptz not null default now()
);
`;

const retention = `
create table vitrine.daily_job (
  name text primary key,
  ran_at timestamptz not null default now()
);
create index version_age on vitrine.version (fetched_at);
create index version_document on vitrine.version (content_hash);
create index document_age on vitrine.document (stored_at);
create index receipt_age on vitrine.receipt (created_at);
`;

const secondLooks = `
-- How often a token was looked at again after its last event; null when it is owed no look.
alter table vitrine.refresh add looks smallint;
`;

const displayTypes = `
-- Entries of every display type are stored; those that differ from their trait type's are held back when they are read.
alter table vitrine.token_trait add display_type text;
update vitrine.token_trait t set display_type = k.display_type from vitrine.trait_type k
 where (k.chain_id, k.collection, k.trait_type) = (t.chain_id, t.collection, t.trait_type);
update vitrine.token_trait set display_type = 'string' where display_type is null;
-- The default is for a service of the release before, which may go on beside this one.
alter table vitrine.token_trait alter display_type set default 'string', alter display_type set not null;
create index token_trait_display_type
  on vitrine.token_trait (chain_id, collection, md5(trait_type), display_type, value_number);

-- The other display types that a trait type came with. A row stays after the last token that held such an entry.
create table vitrine.trait_conflict (
  chain_id bigint not null,
  collection text not null,
  trait_type text not null,
  display_type text not null,
  first_seen_at timestamptz not null default now()
);
create unique index trait_conflict_name
  on vitrine.trait_conflict (chain_id, collection, md5(trait_type), display_type);
`;

const rateLimits = `
-- Columns as the library rate-limiter-flexible writes them. Counters of a minute are not worth a write-ahead log.
create unlogged table vitrine.rate_limit (
  key varchar(255) primary key,
  points int not null default 0,
  expire bigint
);
`;

const hosts = `
-- Hosts that failed lately; one that answers has no row.
create table vitrine.host (
  host text primary key,
  failures int not null,
  paused_until timestamptz,
  reason text not null
);
-- Where the token's document came from the last time; empty before the first.
alter table vitrine.refresh add host text not null default '';
create index refresh_due on vitrine.refresh (host, priority, not_before) where wanted > done;
create index refresh_leased on vitrine.refresh (host, leased_until) where lease is not null;
drop index vitrine.refresh_waiting;
`;

// Names first: with the collection first, an index looked as good as the primary key for finding one token's rows, until
// statistics told how many tokens a collection has.
const traitIndexes = `
drop index vitrine.token_trait_value;
drop index vitrine.token_trait_display_type;
create index token_trait_value on vitrine.token_trait (md5(trait_type), md5(value_text), chain_id, collection);
create index token_trait_display_type
  on vitrine.token_trait (md5(trait_type), chain_id, collection, display_type, value_number);
`;

export const migrations: readonly string[] = [
  tokensAndVersions,
  refresh,
  accessAndGuard,
  indexBuilds,
  retention,
  secondLooks,
  displayTypes,
  rateLimits,
  hosts,
  traitIndexes,
];
