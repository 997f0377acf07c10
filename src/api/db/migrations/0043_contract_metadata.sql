-- What a collection's contract says of itself: the document of contractURI (ERC-7572) and the royalty (ERC-2981).
create table vitrine.contract_metadata (
  chain_id bigint not null,
  collection text not null,
  uri text,
  -- JSON text of the fields that collections show.
  fields text not null default '{}',
  royalty_receiver text,
  royalty_percent double precision,
  -- Why the last read failed.
  reason text,
  changed_at timestamptz not null default now(),
  read_at timestamptz,
  read_block bigint,
  due_at timestamptz not null default now(),
  -- Logs up to this block were searched.
  watched_block bigint,
  primary key (chain_id, collection)
);
create index contract_metadata_due on vitrine.contract_metadata (due_at);

-- A refresh of a whole collection reads its contract again.
create function vitrine.reread_contract() returns trigger language plpgsql as $$
begin
  update vitrine.contract_metadata set due_at = now() where chain_id = new.chain_id and collection = new.collection;
  return null;
end $$;
create trigger reread_contract after insert or update of receipt_id on vitrine.sweep for each row
  when (new.receipt_id is not null) execute function vitrine.reread_contract();
