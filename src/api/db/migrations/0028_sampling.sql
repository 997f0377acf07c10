-- Silent changes: the rounds of samples, and what they ask hosts with.

-- What its host named the document by, where that was a strong ETag under the URI's own URL.
alter table vitrine.version add etag text;

-- A sweep that no event is behind, whose tokens need no recheck.
alter table vitrine.sweep add by_sample boolean not null default false;

-- One row per collection, from its first document on.
create table vitrine.sampling (
  chain_id bigint not null,
  collection text not null,
  next_at timestamptz not null,
  -- The process that reads URIs for the round that is due.
  lease uuid,
  leased_until timestamptz,
  -- Ids up to here were gone through in this lap; null at its beginning.
  cursor numeric(78),
  laps bigint not null default 0,
  -- How many rounds in a row have found changed URIs.
  changed_in_a_row int not null default 0,
  -- The last sweeps that were started, by what had changed.
  swept_for_uris_at timestamptz,
  swept_for_documents_at timestamptz,
  -- The documents that the round waits for, with their marks in the queue; asked_at is null between rounds.
  asked_at timestamptz,
  block bigint,
  tokens numeric(78)[],
  marks bigint[],
  -- What is asked for next where some of them have changed; null once it was.
  further numeric(78)[],
  primary key (chain_id, collection)
);
