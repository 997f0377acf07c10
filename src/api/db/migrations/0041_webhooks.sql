-- Webhooks: the URLs that apps registered, and what is sent to them. The event log has no trigger for it: the fan-out
-- reads it by its ids, which have no gaps and are committed in order.

create table vitrine.webhook (
  id uuid primary key,
  app_id uuid not null,
  url text not null,
  -- host:port of the URL, which all webhooks of a host share.
  host text not null,
  description text,
  -- Empty for all.
  event_types text[] not null,
  -- chainId:address each; empty for all.
  collections text[] not null,
  status text not null default 'active' check (status in ('active', 'paused')),
  paused_reason text check (paused_reason in ('requested', 'failing', 'gone')),
  paused_at timestamptz,
  secret bytea not null,
  -- Signs too until its end, after a rotation.
  old_secret bytea,
  old_secret_until timestamptz,
  -- Events up to this one are older than the webhook.
  after_event bigint not null,
  -- The first failure since the last delivery that succeeded.
  failing_since timestamptz,
  created_at timestamptz not null default now()
);
create index webhook_app on vitrine.webhook (app_id, created_at);

-- Every event up to this one is in webhook_delivery, once for each webhook that wants it.
create table vitrine.webhook_position (
  only_row boolean primary key default true check (only_row),
  event_id bigint not null
);
insert into vitrine.webhook_position (event_id) select last from vitrine.event_counter;

create table vitrine.webhook_delivery (
  id bigint generated always as identity primary key,
  webhook_id uuid not null,
  -- The same for every attempt and every resend.
  message_id text not null,
  -- Tests and resends are attempted once, and wait for nothing.
  kind text not null check (kind in ('event', 'test', 'resend')),
  event_type text not null,
  event_id bigint,
  -- The token, or the collection of an event about all of its tokens: sent in order.
  subject text not null,
  body text not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  created_at timestamptz not null default now(),
  due_at timestamptz not null default now(),
  attempts int not null default 0,
  claim uuid,
  claimed_until timestamptz,
  attempted_at timestamptz,
  response_status int,
  response_body text,
  error text,
  duration_ms int
);
create unique index webhook_delivery_event on vitrine.webhook_delivery (webhook_id, event_id) where kind = 'event';
create index webhook_delivery_list on vitrine.webhook_delivery (webhook_id, id);
create index webhook_delivery_due on vitrine.webhook_delivery (webhook_id, due_at, id) where status = 'pending';
create index webhook_delivery_order on vitrine.webhook_delivery (webhook_id, subject, event_id)
  where status = 'pending' and kind = 'event';
create index webhook_delivery_claimed on vitrine.webhook_delivery (claimed_until) where claim is not null;
create index webhook_delivery_age on vitrine.webhook_delivery (created_at);
