-- Refreshes of whole collections that apps request and may cancel, and the end of every sweep that has a receipt: it is
-- published once, with its figures.
alter table vitrine.sweep add column app_id uuid;
alter table vitrine.sweep add column cancelled_at timestamptz;
alter table vitrine.sweep add column ended_at timestamptz;
alter table vitrine.sweep add column digest jsonb;
update vitrine.sweep set ended_at = finished_at where finished_at is not null;
create index sweep_ending on vitrine.sweep (id)
 where finished_at is not null and ended_at is null and receipt_id is not null;
-- One at a time.
create unique index sweep_of_app on vitrine.sweep (chain_id, collection) where app_id is not null and ended_at is null;

create function vitrine.publish_sweeps() returns trigger language plpgsql as $$
begin
  insert into vitrine.event_due (type, chain_id, collection, payload)
  values ('collection_refreshed', new.chain_id, new.collection, new.digest);
  perform pg_notify('vitrine_event', '');
  return null;
end $$;
create trigger publish_sweeps after update of ended_at on vitrine.sweep for each row
  when (old.ended_at is null and new.ended_at is not null and new.digest is not null)
  execute function vitrine.publish_sweeps();

-- What a collection's health is counted from: the tokens with a fault only, in the order of a list.
alter table vitrine.token add column issue_codes text[];
update vitrine.token t
   set issue_codes = array(select distinct i ->> 'code' from json_array_elements(v.issues::json) i order by 1)
  from vitrine.version v where v.id = t.served_version and v.issues <> '[]';
create index token_issues on vitrine.token (chain_id, collection, token_id) include (issue_codes)
 where issue_codes is not null and not unseen;
create index token_failed on vitrine.token (chain_id, collection, split_part(last_reason, ':', 1), token_id)
 where last_outcome = 'failed' and not unseen;
create index token_unread on vitrine.token (chain_id, collection, token_id) where last_outcome is null and not unseen;
-- By the key that tokens have of their image's URL.
create index media_rejected on vitrine.media ((('x' || left(encode(url_hash, 'hex'), 16))::bit(64)::bigint), reason)
 where kind = 'image' and status = 'rejected';
