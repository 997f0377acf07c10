-- An app's receipt names it; those of anonymous callers and of the operator name nobody.
alter table vitrine.receipt alter app_id drop not null, add made_by text not null default 'app',
  add constraint receipt_owner check ((made_by = 'app') = (app_id is not null));

-- What became of those tokens of a receipt whose entries are folded: a collection may have millions.
create table vitrine.receipt_outcome (
  receipt_id uuid not null references vitrine.receipt on delete cascade,
  status text not null,
  -- The word that a failure's reason starts with; empty for what is no failure.
  code text not null,
  tokens bigint not null,
  -- One of them.
  token_id numeric(78) not null,
  reason text,
  primary key (receipt_id, status, code)
);
alter table vitrine.sweep
  add receipt_id uuid, add accept boolean not null default false,
  -- How many known tokens the cursor has passed, and how many there are up to the token that they are counted to.
  add passed bigint not null default 0, add known bigint not null default 0, add counted numeric(78);
update vitrine.sweep set passed = asked;
create unique index sweep_receipt on vitrine.sweep (receipt_id) where receipt_id is not null;
