/** Tokens, their versions, and the traits they hold. */

export const tokensAndVersions = `
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

export const displayTypes = `
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

// Names first: with the collection first, an index looked as good as the primary key for finding one token's rows, until
// statistics told how many tokens a collection has.
export const traitIndexes = `
drop index vitrine.token_trait_value;
drop index vitrine.token_trait_display_type;
create index token_trait_value on vitrine.token_trait (md5(trait_type), md5(value_text), chain_id, collection);
create index token_trait_display_type
  on vitrine.token_trait (md5(trait_type), chain_id, collection, display_type, value_number);
`;

// What strangers wrote is found by a key that a btree takes: the text itself, or the digest of a long one.
const keyOf = (column: string): string =>
  `case when octet_length(${column}) <= 200 then '=' || ${column}
        else '#' || encode(sha256(convert_to(${column}, 'UTF8')), 'hex') end`;

export const internedTraits = `
alter table vitrine.trait_type add id int generated always as identity, add key text;
update vitrine.trait_type set key = ${keyOf("trait_type")};
alter table vitrine.trait_type alter key set not null, add primary key (id);
drop index vitrine.trait_type_name;
create unique index trait_type_key on vitrine.trait_type (chain_id, collection, key);

-- Each value of a trait type once, shown or held back; a token holds the ids of its own.
create table vitrine.trait_value (
  id int generated always as identity primary key,
  -- No foreign key: its check would wait in line for a row that its own transaction has raised the highest of.
  trait_type_id int not null,
  display_type text not null,
  key text not null,
  value_text text not null,
  value_number double precision
);
insert into vitrine.trait_value (trait_type_id, display_type, key, value_text, value_number)
select k.id, t.display_type, ${keyOf("t.value_text")}, t.value_text, max(t.value_number)
  from vitrine.token_trait t
  join vitrine.trait_type k on (k.chain_id, k.collection, k.trait_type) = (t.chain_id, t.collection, t.trait_type)
 group by k.id, t.display_type, t.value_text;
create unique index trait_value_key on vitrine.trait_value (trait_type_id, display_type, key);
create index trait_value_number on vitrine.trait_value (trait_type_id, display_type, value_number desc);

alter table vitrine.token add traits int[] not null default '{}';
update vitrine.token o set traits = held.ids from (
  select t.chain_id, t.collection, t.token_id, array_agg(distinct v.id order by v.id) as ids
    from vitrine.token_trait t
    join vitrine.trait_type k on (k.chain_id, k.collection, k.trait_type) = (t.chain_id, t.collection, t.trait_type)
    join vitrine.trait_value v
      on v.trait_type_id = k.id and v.display_type = t.display_type and v.value_text = t.value_text
   group by t.chain_id, t.collection, t.token_id) held
 where (o.chain_id, o.collection, o.token_id) = (held.chain_id, held.collection, held.token_id);
drop table vitrine.token_trait;
create index token_traits on vitrine.token using gin (traits);

create table vitrine.held_type (
  trait_type_id int not null,
  display_type text not null,
  first_seen_at timestamptz not null default now(),
  primary key (trait_type_id, display_type)
);
insert into vitrine.held_type (trait_type_id, display_type, first_seen_at)
select k.id, c.display_type, c.first_seen_at from vitrine.trait_conflict c
  join vitrine.trait_type k on (k.chain_id, k.collection, k.trait_type) = (c.chain_id, c.collection, c.trait_type);
drop table vitrine.trait_conflict;
`;

export const searchable = `
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
`;

export const changesFirst = `
-- The transaction first: led by the collection, and before there are statistics, it was taken for finding single tokens,
-- each by a walk through all of its collection.
drop index vitrine.token_changed;
create index token_changed on vitrine.token (changed, chain_id, collection);
drop index vitrine.forgotten_token_changed;
create index forgotten_token_changed on vitrine.forgotten_token (changed, chain_id, collection);
`;

export const changedTypes = `
alter table vitrine.trait_type add changed xid8 not null default pg_current_xact_id();
create index trait_type_changed on vitrine.trait_type (changed, chain_id, collection);
`;

export const unseenTokens = `
-- True while no transfer of the token is indexed: only its contract or a document has told of it. Such a token is not
-- listed, and holds no trait values.
alter table vitrine.token add unseen boolean not null default false;
create index token_unseen on vitrine.token (chain_id, collection, token_id) where unseen;
`;
