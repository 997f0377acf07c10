/** What the makers of a collection tell of it. */

export const collectionInformation = `
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
`;

export const tradeOpenings = `
-- One of the body, kept apart so that the statement that reads a token's locks can tell whether trade has opened.
alter table vitrine.collection_information add column tradable_at timestamptz;
-- What a body could hold before and PostgreSQL does not read: the year 0000, and fractions of a hundred digits.
update vitrine.collection_information
   set tradable_at = (body::json ->> 'tradable_at')::timestamptz
 where body::json ->> 'tradable_at' not like '0000%' and length(body::json ->> 'tradable_at') <= 40;
`;
