-- How often the served document was found unchanged since it is served, beside its version's own count: the token's row
-- is written at each fetch, and a version's is large and has more indexes.
alter table vitrine.token
  add column confirmations integer not null default 0,
  add column confirmed_at timestamptz;
