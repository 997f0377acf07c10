-- True while no transfer of the token is indexed: only its contract or a document has told of it. Such a token is not
-- listed, and holds no trait values.
alter table vitrine.token add unseen boolean not null default false;
create index token_unseen on vitrine.token (chain_id, collection, token_id) where unseen;
