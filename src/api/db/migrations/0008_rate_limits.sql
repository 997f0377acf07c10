-- Columns as the library rate-limiter-flexible writes them. Counters of a minute are not worth a write-ahead log.
create unlogged table vitrine.rate_limit (
  key varchar(255) primary key,
  points int not null default 0,
  expire bigint
);
