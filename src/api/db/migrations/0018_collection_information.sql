-- What the makers of a collection tell of it.

create table vitrine.collection_information (
  chain_id bigint not null,
  collection text not null,
  -- JSON as text, as a whole: one statement reads or replaces it, so that nobody meets a half of it.
  body text not null,
  -- One of the body, kept apart so that no two collections share it.
  slug text unique,
  updated_by text not null,
  updated_at timestamptz not null default now(),
  primary key (chain_id, collection)
);
