-- What strangers wrote is found by a key that a btree takes: the text itself, or the digest of a long one.

alter table vitrine.trait_type add id int generated always as identity, add key text;
update vitrine.trait_type set key = case when octet_length(trait_type) <= 200 then '=' || trait_type
        else '#' || encode(sha256(convert_to(trait_type, 'UTF8')), 'hex') end;
alter table vitrine.trait_type alter key set not null, add primary key (id);
drop index vitrine.trait_type_name;
create unique index trait_type_key on vitrine.trait_type (chain_id, collection, key);

-- Each value of a trait type once, shown or held back; a token holds the ids of its own.
create table vitrine.trait_value (
  id int generated always as identity primary key,
  -- No foreign key: its check would wait in line for a row that its own transaction has raised the highest of.
  trait_type_id int not null,
  display_type text not null,
  key text not null,
  value_text text not null,
  value_number double precision
);
insert into vitrine.trait_value (trait_type_id, display_type, key, value_text, value_number)
select k.id, t.display_type, case when octet_length(t.value_text) <= 200 then '=' || t.value_text
        else '#' || encode(sha256(convert_to(t.value_text, 'UTF8')), 'hex') end, t.value_text, max(t.value_number)
  from vitrine.token_trait t
  join vitrine.trait_type k on (k.chain_id, k.collection, k.trait_type) = (t.chain_id, t.collection, t.trait_type)
 group by k.id, t.display_type, t.value_text;
create unique index trait_value_key on vitrine.trait_value (trait_type_id, display_type, key);
create index trait_value_number on vitrine.trait_value (trait_type_id, display_type, value_number desc);

alter table vitrine.token add traits int[] not null default '{}';
update vitrine.token o set traits = held.ids from (
  select t.chain_id, t.collection, t.token_id, array_agg(distinct v.id order by v.id) as ids
    from vitrine.token_trait t
    join vitrine.trait_type k on (k.chain_id, k.collection, k.trait_type) = (t.chain_id, t.collection, t.trait_type)
    join vitrine.trait_value v
      on v.trait_type_id = k.id and v.display_type = t.display_type and v.value_text = t.value_text
   group by t.chain_id, t.collection, t.token_id) held
 where (o.chain_id, o.collection, o.token_id) = (held.chain_id, held.collection, held.token_id);
drop table vitrine.token_trait;
create index token_traits on vitrine.token using gin (traits);

create table vitrine.held_type (
  trait_type_id int not null,
  display_type text not null,
  first_seen_at timestamptz not null default now(),
  primary key (trait_type_id, display_type)
);
insert into vitrine.held_type (trait_type_id, display_type, first_seen_at)
select k.id, c.display_type, c.first_seen_at from vitrine.trait_conflict c
  join vitrine.trait_type k on (k.chain_id, k.collection, k.trait_type) = (c.chain_id, c.collection, c.trait_type);
drop table vitrine.trait_conflict;
