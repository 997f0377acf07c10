-- How the requests of each app ended, by the hour.
create table vitrine.app_status (
  app_id uuid not null,
  hour timestamptz not null,
  api text not null,
  -- The HTTP status.
  status smallint not null,
  requests bigint not null,
  primary key (app_id, hour, api, status)
);
-- The last requests of each app, for its owner: bounded by number and age.
create table vitrine.request_log (
  app_id uuid not null,
  at timestamptz not null,
  -- As in the header X-Request-Id.
  request_id uuid not null,
  key_id uuid not null,
  method text not null,
  -- With the query, without keys, cut.
  path text not null,
  status smallint not null,
  duration_ms integer not null,
  -- The code and text of the error that was answered; null for none.
  code text,
  error text,
  primary key (app_id, at, request_id)
);
create index request_log_age on vitrine.request_log (at);
