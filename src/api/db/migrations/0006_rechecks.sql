-- How often a token was looked at again after its last event; null when it is owed no look.
alter table vitrine.refresh add looks smallint;
