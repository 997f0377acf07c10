-- Which attempts began before the pending events of a webhook started over.
alter table vitrine.webhook add restarts integer not null default 0;
