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
