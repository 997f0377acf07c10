alter table vitrine.api_key
  -- The key itself, for its owner to read again; null for those made before it was kept.
  add column sealed bytea,
  -- Set when a newer key takes over.
  add column expires_at timestamptz;
alter table vitrine.app
  -- The wallet whose app it is; null for the operator's.
  add column owner text,
  -- A name of the table in tiers.ts.
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
