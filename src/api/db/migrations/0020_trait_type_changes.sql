alter table vitrine.trait_type add changed xid8 not null default pg_current_xact_id();
create index trait_type_changed on vitrine.trait_type (changed, chain_id, collection);
