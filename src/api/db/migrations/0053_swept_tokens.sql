-- The waiting tokens of a sweep are counted after every few hundred: that read the whole queue, a row per token ever fetched.
create index refresh_swept on vitrine.refresh (chain_id, collection)
  where wanted > done and lease is null and trigger = 'sweep';
