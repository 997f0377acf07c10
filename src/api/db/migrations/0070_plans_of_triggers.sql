-- A session keeps the plan of a statement in a function, and may have made it while a table was small or by statistics
-- from before a burst. These make every plan find rows by the database index that is meant for them.
alter function vitrine.close_version() set enable_seqscan = off;
alter function vitrine.tell_of_seen() set enable_seqscan = off;
alter function vitrine.reread_contract() set enable_seqscan = off;

create or replace function vitrine.count_forgotten_values() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  update vitrine.trait_type set forgotten = forgotten + 1, values_deleted_at = now()
   where id = any(array(select trait_type_id from gone));
  return null;
end $$;

create or replace function vitrine.tell_of_versions() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  insert into vitrine.event_due (chain_id, collection, token_id, version, content_hash)
  select a.chain_id, a.collection, a.token_id, a.number, a.content_hash from added a
   where a.outcome = 'updated'
     -- By key: with "not exists", all unseen tokens may be read for each version.
     and not coalesce((select t.unseen from vitrine.token t
                        where (t.chain_id, t.collection, t.token_id) = (a.chain_id, a.collection, a.token_id)), false)
   order by a.id;
  if found then perform pg_notify('vitrine_event', ''); end if;
  return null;
end $$;

-- "between" in place of "=", since PostgreSQL doesn't sort by what is equal, and only token_image is sorted by image_key.
create or replace function vitrine.publish_images() returns trigger language plpgsql
  set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
declare
  key constant bigint := ('x' || left(encode(new.url_hash, 'hex'), 16))::bit(64)::bigint;
  payload constant jsonb := jsonb_build_object('status', new.status, 'file', new.file, 'reason', new.reason);
begin
  if (select count(*) from (
        select from vitrine.token t where t.image_key between key and key and not t.unseen
         order by t.image_key limit 1001) t) <= 1000 then
    insert into vitrine.event_due (type, chain_id, collection, token_id, payload)
    select 'media', t.chain_id, t.collection, t.token_id, payload from vitrine.token t
     where t.image_key between key and key and not t.unseen order by t.image_key;
  else
    -- One image of a whole collection, such as the one before a reveal: one event for all of its tokens. Each
    -- collection is found by one step down the index, since a million tokens may share the image.
    insert into vitrine.event_due (type, chain_id, collection, token_id, payload)
    with recursive collections as (
      (select t.chain_id, t.collection from vitrine.token t where t.image_key between key and key and not t.unseen
        order by t.image_key, t.chain_id, t.collection limit 1)
      union all
      select n.chain_id, n.collection from collections c cross join lateral (
        select t.chain_id, t.collection from vitrine.token t
         where (t.image_key, t.chain_id, t.collection) > (key, c.chain_id, c.collection) and t.image_key <= key
           and not t.unseen
         order by t.image_key, t.chain_id, t.collection limit 1) n
    )
    select 'media', c.chain_id, c.collection, null::numeric, payload from collections c;
  end if;
  if found then perform pg_notify('vitrine_event', ''); end if;
  return null;
end $$;

-- New collections appear in statistics once 2 % of a table's rows have changed, not 10 %: until then, PostgreSQL expects
-- none of their rows.
do $$
declare
  name text;
begin
  foreach name in array array['token', 'version', 'refresh', 'receipt_token', 'media', 'event', 'webhook_delivery'] loop
    execute format('alter table vitrine.%I set (autovacuum_analyze_scale_factor = 0.02)', name);
  end loop;
end $$;
