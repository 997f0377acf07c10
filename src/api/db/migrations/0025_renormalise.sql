-- By which rules a document was read, and how far the job is that reads stored ones again.

-- 1 stands for the rules before they were counted, and for a service of a release before that goes on beside this one.
alter table vitrine.version add normaliser int not null default 1;
create index version_normaliser on vitrine.version (normaliser, id) where outcome = 'updated';

-- A row for each version of the rules that documents were read again by.
create table vitrine.renormalise (
  normaliser int primary key,
  -- Every version with an id up to here was looked at.
  cursor bigint not null default 0,
  -- Null until they are counted.
  total bigint,
  done bigint not null default 0,
  changed bigint not null default 0,
  rejected bigint not null default 0,
  missing bigint not null default 0,
  failed bigint not null default 0,
  started_at timestamptz not null default now(),
  worked_at timestamptz,
  finished_at timestamptz
);
