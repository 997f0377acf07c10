-- One of the body, kept apart so that the statement that reads a token's locks can tell whether trade has opened.
alter table vitrine.collection_information add column tradable_at timestamptz;
-- What a body could hold before and PostgreSQL does not read: the year 0000, and fractions of a hundred digits.
update vitrine.collection_information
   set tradable_at = (body::json ->> 'tradable_at')::timestamptz
 where body::json ->> 'tradable_at' not like '0000%' and length(body::json ->> 'tradable_at') <= 40;
