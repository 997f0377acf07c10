-- Tokens, their versions, and the traits they hold.

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
