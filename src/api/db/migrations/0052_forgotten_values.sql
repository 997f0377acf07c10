-- A count that rises whenever values of a trait type are deleted, by whomever: a process that remembers their ids
-- forgets them.
alter table vitrine.trait_type add column forgotten integer not null default 0;

create function vitrine.count_forgotten_values() returns trigger language plpgsql as $$
begin
  update vitrine.trait_type set forgotten = forgotten + 1 where id in (select trait_type_id from gone);
  return null;
end $$;

create trigger trait_value_forgotten after delete on vitrine.trait_value
  referencing old table as gone for each statement execute function vitrine.count_forgotten_values();
