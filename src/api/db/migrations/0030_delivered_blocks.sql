-- The blocks that Ponder has been given for an index. Its head is one of those of its number.
create table vitrine.delivered_block (
  schema text not null,
  chain_id bigint not null,
  number bigint not null,
  hash text not null,
  primary key (schema, chain_id, number, hash)
);
