-- What is served of a token that no transfer has told of is told once one does.
create or replace function vitrine.tell_of_versions() returns trigger language plpgsql as $$
begin
  insert into vitrine.event_due (chain_id, collection, token_id, version, content_hash)
  select a.chain_id, a.collection, a.token_id, a.number, a.content_hash from added a
   where a.outcome = 'updated'
     and not exists (select from vitrine.token t where t.unseen
                       and (t.chain_id, t.collection, t.token_id) = (a.chain_id, a.collection, a.token_id))
   order by a.id;
  if found then perform pg_notify('vitrine_event', ''); end if;
  return null;
end $$;
create function vitrine.tell_of_seen() returns trigger language plpgsql as $$
begin
  insert into vitrine.event_due (chain_id, collection, token_id, version, content_hash)
  select chain_id, collection, token_id, number, content_hash from vitrine.version where id = new.served_version;
  perform pg_notify('vitrine_event', '');
  return null;
end $$;
create trigger tell_of_seen after update on vitrine.token for each row
  when (old.unseen and not new.unseen and new.served_version is not null) execute function vitrine.tell_of_seen();
