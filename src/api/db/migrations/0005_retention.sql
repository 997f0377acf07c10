create table vitrine.daily_job (
  name text primary key,
  ran_at timestamptz not null default now()
);
create index version_age on vitrine.version (fetched_at);
create index version_document on vitrine.version (content_hash);
create index document_age on vitrine.document (stored_at);
create index receipt_age on vitrine.receipt (created_at);
