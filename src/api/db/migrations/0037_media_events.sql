-- Which tokens serve an image: the first eight bytes of its URL's SHA-256, by which the media table is keyed. Zero where
-- the document names none; a daily job fills in what was served before.
alter table vitrine.token add column image_key bigint;
create index token_image on vitrine.token (image_key, chain_id, collection)
 where image_key is not null and not unseen;

create function vitrine.publish_images() returns trigger language plpgsql as $$
declare
  key constant bigint := ('x' || left(encode(new.url_hash, 'hex'), 16))::bit(64)::bigint;
  payload constant jsonb := jsonb_build_object('status', new.status, 'file', new.file, 'reason', new.reason);
begin
  if (select count(*) from (
        select from vitrine.token t where t.image_key = key and not t.unseen limit 1001) t) <= 1000 then
    insert into vitrine.event_due (type, chain_id, collection, token_id, payload)
    select 'media', t.chain_id, t.collection, t.token_id, payload from vitrine.token t
     where t.image_key = key and not t.unseen;
  else
    -- One image of a whole collection, such as the one before a reveal: one event for all of its tokens. Each
    -- collection is found by one step down the index, since a million tokens may share the image.
    insert into vitrine.event_due (type, chain_id, collection, token_id, payload)
    with recursive collections as (
      (select t.chain_id, t.collection from vitrine.token t where t.image_key = key and not t.unseen
        order by t.chain_id, t.collection limit 1)
      union all
      select n.chain_id, n.collection from collections c cross join lateral (
        select t.chain_id, t.collection from vitrine.token t
         where t.image_key = key and not t.unseen and (t.chain_id, t.collection) > (c.chain_id, c.collection)
         order by t.chain_id, t.collection limit 1) n
    )
    select 'media', c.chain_id, c.collection, null::numeric, payload from collections c;
  end if;
  if found then perform pg_notify('vitrine_event', ''); end if;
  return null;
end $$;
create trigger publish_images after update of status, file on vitrine.media for each row
  when (new.kind = 'image' and (old.status, old.file) is distinct from (new.status, new.file))
  execute function vitrine.publish_images();
