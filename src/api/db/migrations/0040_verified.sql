-- What a document's bytes were verified against: `cid`, or null for nothing.
alter table vitrine.version add column verified text;
