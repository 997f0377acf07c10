-- Of a lock or an unlock: whose events it is of, and the count that its row in the index has, where what is told is
-- another one.
alter table vitrine.event add column standard text, add column count_after int;
-- The default of a collection is about all of its tokens.
alter table vitrine.event alter column token_id drop not null;
