-- What stands behind the URLs of images, videos and animations, and the files that were made of the images.

create table vitrine.media (
  kind text not null,
  -- Of the URL, since a btree refuses entries over 2.7 kB.
  url_hash bytea not null,
  url text not null,
  -- Who is asked for it; ipfs for the gateways together.
  host text not null,
  -- pending until the first look has ended; then accepted or rejected.
  status text not null default 'pending',
  -- Of an accepted one: why the last look could not confirm it.
  reason text,
  -- Of the bytes that were looked at last.
  source_hash text,
  -- The host's name for them.
  etag text,
  -- What an accepted image is served from.
  file text,
  format text,
  width int,
  height int,
  bytes int,
  checked_at timestamptz,
  -- Requests raise wanted; a look sets done to the wanted it started with.
  wanted bigint not null default 1,
  started bigint not null default 0,
  done bigint not null default 0,
  attempts int not null default 0,
  not_before timestamptz not null default now(),
  last_started_at timestamptz,
  lease uuid,
  leased_until timestamptz,
  -- When a served document was last known to name it.
  seen_at timestamptz not null default now(),
  primary key (kind, url_hash)
);
create index media_due on vitrine.media (host, not_before) where wanted > done and lease is null;
create index media_leased on vitrine.media (host, leased_until) where lease is not null;
create index media_file_user on vitrine.media (file) where file is not null;
create index media_seen on vitrine.media (seen_at);

create table vitrine.media_file (
  -- The hash of its own bytes, and their type.
  name text primary key,
  source_hash text not null,
  format text not null,
  width int not null,
  height int not null,
  created_at timestamptz not null default now(),
  -- Since when no image is served from it.
  unused_since timestamptz
);
create index media_file_source on vitrine.media_file (source_hash);
create index media_file_unused on vitrine.media_file (unused_since) where unused_since is not null;
