-- An event that its receiver can't take may be skipped, so that later ones of its token are sent.
alter table vitrine.webhook_delivery drop constraint webhook_delivery_status_check;
alter table vitrine.webhook_delivery add constraint webhook_delivery_status_check
  check (status in ('pending', 'delivered', 'failed', 'skipped'));
