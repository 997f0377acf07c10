-- Whether a reorg is reverting what was published of a token or of its collection's default: one row of each tells. The
-- expression keeps plans made before there are statistics from event_unsettled and event_open, which have all rows to read.
create index event_newest_open on vitrine.event (chain_id, collection, token_id, (case when open then source end) collate "C")
  where case when open then source end is not null;
create index event_gone on vitrine.event (chain_id, collection, token_id, gone_at) where gone_at is not null;
