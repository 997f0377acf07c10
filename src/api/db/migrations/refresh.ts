/** The queue of fetches, receipts, causes, and the hosts that are asked. */

export const refresh = `
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

export const rechecks = `
-- How often a token was looked at again after its last event; null when it is owed no look.
alter table vitrine.refresh add looks smallint;
`;

export const hosts = `
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

export const probes = `
-- Which URL asked last to be left alone (a digest), and the token that tells whether a paused host is back.
alter table vitrine.host
  add retry_by text, add probe_chain_id bigint, add probe_collection text, add probe_token_id numeric(78);
`;

export const accepted = `
-- The operator serves the next document even where it is less complete than the one before.
alter table vitrine.refresh add accept boolean not null default false;
`;

export const mintedRanges = `
-- The tokens of a range that was minted: a sweep makes them known as it counts them. Of one whose mint was taken back, with
-- block 0, it forgets those that no transfer tells of.
alter table vitrine.sweep add minted boolean not null default false;
-- What kind of event it is; null for causes of before.
alter table vitrine.cause add source text;
`;

export const unseenRequests = `
-- No transfer had told of the token when a caller without a key asked for it; what others ask for since clears it.
alter table vitrine.refresh add unseen boolean not null default false;
create index refresh_unseen on vitrine.refresh (chain_id) where unseen and anonymous and wanted > done;
`;

export const receiptsForAll = `
-- An app's receipt names it; those of anonymous callers and of the operator name nobody.
alter table vitrine.receipt alter app_id drop not null, add made_by text not null default 'app',
  add constraint receipt_owner check ((made_by = 'app') = (app_id is not null));

-- What became of those tokens of a receipt whose entries are folded: a collection may have millions.
create table vitrine.receipt_outcome (
  receipt_id uuid not null references vitrine.receipt on delete cascade,
  status text not null,
  -- The word that a failure's reason starts with; empty for what is no failure.
  code text not null,
  tokens bigint not null,
  -- One of them.
  token_id numeric(78) not null,
  reason text,
  primary key (receipt_id, status, code)
);
alter table vitrine.sweep
  add receipt_id uuid, add accept boolean not null default false,
  -- How many known tokens the cursor has passed, and how many there are up to the token that they are counted to.
  add passed bigint not null default 0, add known bigint not null default 0, add counted numeric(78);
update vitrine.sweep set passed = asked;
create unique index sweep_receipt on vitrine.sweep (receipt_id) where receipt_id is not null;
`;
