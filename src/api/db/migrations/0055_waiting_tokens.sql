-- Tokens that are being fetched leave the index of those that wait: each claim passed all of them, and added them again.
create index refresh_waiting on vitrine.refresh (host, priority, not_before) where wanted > done and lease is null;
drop index vitrine.refresh_due;
