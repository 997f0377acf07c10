-- The transaction first: led by the collection, and before there are statistics, it was taken for finding single tokens,
-- each by a walk through all of its collection.
drop index vitrine.token_changed;
create index token_changed on vitrine.token (changed, chain_id, collection);
drop index vitrine.forgotten_token_changed;
create index forgotten_token_changed on vitrine.forgotten_token (changed, chain_id, collection);
