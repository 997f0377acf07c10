-- The operator serves the next document even where it is less complete than the one before.
alter table vitrine.refresh add accept boolean not null default false;
