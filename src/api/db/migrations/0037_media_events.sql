-- Which tokens serve an image: the first eight bytes of its URL's SHA-256, by which the media table is keyed.
alter table vitrine.token add column image_key bigint;
update vitrine.token t
   set image_key = ('x' || left(encode(sha256(convert_to(v.metadata::json ->> 'image', 'UTF8')), 'hex'), 16))::bit(64)::bigint
  from vitrine.version v
 -- JSON may name a character that PostgreSQL's text can't hold.
 where v.id = t.served_version and v.metadata is not null and strpos(v.metadata, '\u0000') = 0
   and v.metadata::json ->> 'image' is not null;
create index token_image on vitrine.token (image_key) where image_key is not null;

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
    -- One image of a whole collection, such as the one before a reveal: one event for all of its tokens.
    insert into vitrine.event_due (type, chain_id, collection, token_id, payload)
    select distinct 'media', t.chain_id, t.collection, null::numeric, payload from vitrine.token t
     where t.image_key = key and not t.unseen;
  end if;
  if found then perform pg_notify('vitrine_event', ''); end if;
  return null;
end $$;
create trigger publish_images after update of status, file on vitrine.media for each row
  when (new.kind = 'image' and (old.status, old.file) is distinct from (new.status, new.file))
  execute function vitrine.publish_images();
