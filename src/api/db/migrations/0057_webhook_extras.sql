-- Tests and resends that wait: a claim looks for them in paused webhooks too, past none of the events that wait there.
create index webhook_delivery_extra on vitrine.webhook_delivery (webhook_id, due_at, id)
 where status = 'pending' and kind <> 'event';
