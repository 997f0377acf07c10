-- A collection's metadata changes, newest first.
create index version_updates on vitrine.version (chain_id, collection, fetched_at, id) where outcome = 'updated';
