-- Sweeps of whole collections that the chain starts have a receipt too, and publish how they ended. Their tokens are
-- rechecked, as before.
alter table vitrine.sweep add column by_chain boolean not null default false;
-- How many of a collection have not ended.
create index sweep_unended on vitrine.sweep (chain_id, collection) where receipt_id is not null and ended_at is null;
