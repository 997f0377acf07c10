-- The event stream: what was told, and how far each source of it was looked at.

create table vitrine.event (
  id bigint primary key,
  at timestamptz not null default now(),
  type text not null,
  -- Of a reverted event: the type and the id of the one that it takes back.
  subject text not null,
  reverts bigint,
  chain_id bigint not null,
  collection text not null,
  token_id numeric(78) not null,
  -- Of a lock or an unlock: its row in the index, whose id sorts in chain order.
  source text,
  transaction_hash text,
  approved_contract text,
  lock_count int,
  anomaly boolean,
  -- Of metadata.
  version int,
  content_hash text,
  -- A reorg may still take it back.
  open boolean not null default false,
  -- The head under which it was found to be gone, until there is another.
  gone_at text
);
create index event_open on vitrine.event (chain_id, source) where open;
create index event_unsettled on vitrine.event (chain_id, collection, token_id) where open or gone_at is not null;
create index event_age on vitrine.event (at);

-- Ids have no gaps: they are taken in the transaction that appends, and this row's lock puts commits in their order.
create table vitrine.event_counter (
  only_row boolean primary key default true check (only_row),
  last bigint not null
);
insert into vitrine.event_counter (last) values (0);

-- One index at a time tells of a chain; another takes over where it left off.
create table vitrine.event_feed (
  chain_id bigint primary key,
  schema text not null,
  -- Everything up to here is told and can't change any more.
  handled text not null,
  seen_at timestamptz not null default now()
);

-- Versions that came to be served and are not told of yet, left by the transactions that recorded them: numbers of
-- versions are no cursor, since a lower one may be committed later.
create table vitrine.event_due (
  id bigint generated always as identity primary key,
  chain_id bigint not null,
  collection text not null,
  token_id numeric(78) not null,
  version int not null,
  content_hash text
);
create function vitrine.tell_of_versions() returns trigger language plpgsql as $$
begin
  insert into vitrine.event_due (chain_id, collection, token_id, version, content_hash)
  select chain_id, collection, token_id, number, content_hash from added where outcome = 'updated' order by id;
  if found then perform pg_notify('vitrine_event', ''); end if;
  return null;
end $$;
create trigger tell_of_versions after insert on vitrine.version
  referencing new table as added for each statement execute function vitrine.tell_of_versions();
