-- A webhook's failed and skipped deliveries are listed on their own, and are few among millions.
create index webhook_delivery_ended on vitrine.webhook_delivery (webhook_id, id) where status in ('failed', 'skipped');
