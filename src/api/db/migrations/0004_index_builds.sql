create table vitrine.index_build (
  schema text primary key,
  build_id text not null,
  inputs jsonb not null,
  created_at timestamptz not null default now()
);
