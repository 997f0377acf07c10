-- What became of an image that more receipt entries waited for than are answered in the transaction that records it; the
-- rest of them are answered afterwards, thousands at a time.
create table vitrine.image_outcome (
  url_hash bytea primary key,
  started bigint not null,
  status text not null,
  reason text,
  file text
);
