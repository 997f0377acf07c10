-- The queue of fetches, receipts, chain triggers, and the sweeps of whole ranges.

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
