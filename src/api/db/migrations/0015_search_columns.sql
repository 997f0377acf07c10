alter table vitrine.token
  add name text,
  add description text,
  -- When what is served was fetched.
  add served_at timestamptz,
  -- The block that is known to have the token first.
  add since_block bigint,
  -- By which transaction what can be searched changed last: readers that keep a copy ask for what came after theirs.
  add changed xid8 not null default pg_current_xact_id();
update vitrine.token t
   set name = v.metadata::json->>'name', description = v.metadata::json->>'description', served_at = v.fetched_at
  from vitrine.version v where v.id = t.served_version;
create index token_changed on vitrine.token (chain_id, collection, changed);

-- Tokens that a reorg took back, for readers that keep a copy.
create table vitrine.forgotten_token (
  chain_id bigint not null,
  collection text not null,
  token_id numeric(78) not null,
  changed xid8 not null default pg_current_xact_id(),
  forgotten_at timestamptz not null default now()
);
create index forgotten_token_changed on vitrine.forgotten_token (chain_id, collection, changed);
create index forgotten_token_age on vitrine.forgotten_token (forgotten_at);
