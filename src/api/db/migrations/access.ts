/** Apps and their keys, the audit log, allowed hosts, and the Guard's mark. */

export const accessAndGuard = `
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

export const rateLimits = `
-- Columns as the library rate-limiter-flexible writes them. Counters of a minute are not worth a write-ahead log.
create unlogged table vitrine.rate_limit (
  key varchar(255) primary key,
  points int not null default 0,
  expire bigint
);
`;

export const consoleTables = `
alter table vitrine.api_key
  -- The key itself, for its owner to read again; null for those made before it was kept.
  add column sealed bytea,
  -- Set when a newer key takes over.
  add column expires_at timestamptz;
alter table vitrine.app
  -- The wallet whose app it is; null for the operator's.
  add column owner text,
  -- A name of the table in contract/tiers.ts.
  add column tier text not null default 'advanced';
create index api_key_app on vitrine.api_key (app_id);
create index app_owner on vitrine.app (owner);
create table vitrine.access_request (
  id uuid primary key,
  app_id uuid not null references vitrine.app,
  kind text not null check (kind in ('api', 'collection', 'tier')),
  subject text not null,
  created_at timestamptz not null default now(),
  decided_at timestamptz,
  decided_by text,
  is_approved boolean
);
create unique index access_request_open on vitrine.access_request (app_id, kind, subject) where decided_at is null;
create index access_request_app on vitrine.access_request (app_id, created_at);
create table vitrine.session (
  -- SHA-256 of the token in the cookie.
  hash bytea primary key,
  -- The wallet that signed in; null for who came by an operator's link.
  address text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index session_age on vitrine.session (expires_at);
-- What a wallet is asked to sign: used once.
create table vitrine.sign_in_nonce (
  nonce text primary key,
  purpose text not null,
  expires_at timestamptz not null
);
create table vitrine.login_link (
  hash bytea primary key,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz
);
create table vitrine.app_usage (
  app_id uuid not null,
  hour timestamptz not null,
  api text not null,
  requests bigint not null default 0,
  refused bigint not null default 0,
  primary key (app_id, hour, api)
);
create index audit_at on vitrine.audit (at);
`;
