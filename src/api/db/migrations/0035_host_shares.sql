-- The last answers of a host that has failed of late, in the weights of a sliding window. `failures` is 0 until the host is
-- paused for the share of them.
alter table vitrine.host add answered real not null default 0, add failed real not null default 0;
-- Which process holds the lease: processes share what may be asked of a host.
alter table vitrine.refresh add worker uuid;
