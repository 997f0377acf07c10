-- A mint of thousands of tokens is listed at once, whatever the collection's earlier sweeps wait for.
create index sweep_to_list on vitrine.sweep (chain_id, collection, id)
  where finished_at is null and minted and counted is distinct from to_token_id;
