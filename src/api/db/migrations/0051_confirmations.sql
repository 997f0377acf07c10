-- How often the served document was found unchanged since it is served, beside its version's own count: the token's row
-- is written at each fetch, and a version's is large and has more indexes. The count goes to the version when another
-- one is served or the token is deleted, whoever does it, so that processes of the version before may run beside.
alter table vitrine.token
  add column confirmations integer not null default 0,
  add column confirmed_at timestamptz;

create function vitrine.close_version() returns trigger language plpgsql as $$
begin
  update vitrine.version v
     set confirmations = v.confirmations + old.confirmations, confirmed_at = greatest(v.confirmed_at, old.confirmed_at)
   where v.id = old.served_version;
  if tg_op = 'DELETE' then return old; end if;
  new.confirmations := 0;
  new.confirmed_at := null;
  return new;
end $$;

create trigger close_version before update of served_version on vitrine.token for each row
  when (old.confirmations > 0 and old.served_version is distinct from new.served_version)
  execute function vitrine.close_version();

create trigger close_last_version before delete on vitrine.token for each row
  when (old.confirmations > 0) execute function vitrine.close_version();
