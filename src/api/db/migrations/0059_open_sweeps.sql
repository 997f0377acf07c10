-- The open sweeps of a collection, oldest first: a contract may have many, and each new range and each step of a sweep read all.
create index sweep_of_collection on vitrine.sweep (chain_id, collection, id) where finished_at is null;
