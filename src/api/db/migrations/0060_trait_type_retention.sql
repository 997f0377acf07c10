-- A trait type without values is deleted some time after its last value was, or after it was added, unless the operator
-- chose its display type.
alter table vitrine.trait_type
  add column values_deleted_at timestamptz not null default now(),
  add column approved boolean not null default false;

-- Until now, an approval and a conflict leave the same rows.
update vitrine.trait_type k set approved = true
 where exists (select from vitrine.held_type h where h.trait_type_id = k.id);

create or replace function vitrine.count_forgotten_values() returns trigger language plpgsql as $$
begin
  update vitrine.trait_type set forgotten = forgotten + 1, values_deleted_at = now()
   where id in (select trait_type_id from gone);
  return null;
end $$;
