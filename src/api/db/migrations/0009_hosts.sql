-- Hosts that failed lately; one that answers has no row.
create table vitrine.host (
  host text primary key,
  failures int not null,
  paused_until timestamptz,
  reason text not null
);
-- Where the token's document came from the last time; empty before the first.
alter table vitrine.refresh add host text not null default '';
create index refresh_due on vitrine.refresh (host, priority, not_before) where wanted > done;
create index refresh_leased on vitrine.refresh (host, leased_until) where lease is not null;
drop index vitrine.refresh_waiting;
