-- The tokens of a range that was minted: a sweep makes them known as it counts them. Of one whose mint was taken back, with
-- block 0, it forgets those that no transfer tells of.
alter table vitrine.sweep add minted boolean not null default false;
-- What kind of event it is; null for causes of before.
alter table vitrine.cause add source text;
