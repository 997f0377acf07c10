-- Apps and their keys, the audit log, allowed hosts, and the mark of each chain's head.

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
