-- Other modules publish events of any type through event_due: a trigger inserts the type and its payload.
alter table vitrine.event_due
  add column type text not null default 'metadata',
  add column payload jsonb,
  alter column token_id drop not null,
  alter column version drop not null;
alter table vitrine.event add column payload jsonb;
