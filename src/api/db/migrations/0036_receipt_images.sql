-- A receipt's token says what became of its image: decided by the probe that the refresh asked for.
alter table vitrine.receipt_token
  add column image text,
  add column image_reason text,
  -- The file that was shown before.
  add column image_before text,
  add column image_hash bytea,
  add column image_probe bigint;
create index receipt_token_image on vitrine.receipt_token (image_hash) where image = 'pending';
