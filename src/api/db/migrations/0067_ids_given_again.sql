-- Ids of trait types and values are 32-bit numbers, and a trait that changes at every fetch needs new ones each time. Once
-- the last is reached, those that no row has are given again, beginning with the lowest. The sequences count all ids ever
-- given, so that whoever remembers one can tell whether it may have been given again since.
create sequence vitrine.trait_type_ids owned by vitrine.trait_type.id;
create sequence vitrine.trait_value_ids owned by vitrine.trait_value.id;

-- A plan that was made while the table was small would read all of it.
create function vitrine.next_trait_type_id() returns integer language plpgsql set enable_seqscan = off as $$
declare
  given bigint;
  candidate integer;
  used bigint;
begin
  loop
    given := nextval('vitrine.trait_type_ids');
    if given <= 2147483647 then return given; end if;
    candidate := (given - 1) % 2147483647 + 1;
    if not exists (select from vitrine.trait_type k where k.id = candidate) then return candidate; end if;
    -- Of those that have rows in a row, up to a thousand are passed over together.
    select count(*) into used from (
      select k.id - row_number() over (order by k.id) as before from vitrine.trait_type k
       where k.id between candidate and least(candidate + 999::bigint, 2147483647)) r
     where r.before = candidate - 1;
    perform nextval('vitrine.trait_type_ids') from generate_series(2, used);
  end loop;
end $$;

create function vitrine.next_trait_value_id() returns integer language plpgsql set enable_seqscan = off as $$
declare
  given bigint;
  candidate integer;
  used bigint;
begin
  loop
    given := nextval('vitrine.trait_value_ids');
    if given <= 2147483647 then return given; end if;
    candidate := (given - 1) % 2147483647 + 1;
    if not exists (select from vitrine.trait_value v where v.id = candidate) then return candidate; end if;
    -- Of those that have rows in a row, up to a thousand are passed over together.
    select count(*) into used from (
      select v.id - row_number() over (order by v.id) as before from vitrine.trait_value v
       where v.id between candidate and least(candidate + 999::bigint, 2147483647)) r
     where r.before = candidate - 1;
    perform nextval('vitrine.trait_value_ids') from generate_series(2, used);
  end loop;
end $$;

-- In the order in which versions are recorded; nobody may take an id while the counts are copied.
lock table vitrine.trait_type, vitrine.trait_value in access exclusive mode;
select setval('vitrine.trait_type_ids', last_value, is_called) from vitrine.trait_type_id_seq;
select setval('vitrine.trait_value_ids', last_value, is_called) from vitrine.trait_value_id_seq;
alter table vitrine.trait_type alter id drop identity, alter id set default vitrine.next_trait_type_id();
alter table vitrine.trait_value alter id drop identity, alter id set default vitrine.next_trait_value_id();
