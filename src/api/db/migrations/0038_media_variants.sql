-- Smaller forms of a picture, under names that hash their own bytes. Two pictures may share one.
create table vitrine.media_variant (
  file text not null references vitrine.media_file on delete cascade,
  name text not null,
  type text not null,
  width int not null,
  height int not null,
  bytes int not null,
  -- Since when its picture has other variants in its place.
  unused_since timestamptz,
  primary key (file, name)
);
create index media_variant_name on vitrine.media_variant (name);
create index media_variant_unused on vitrine.media_variant (unused_since) where unused_since is not null;

alter table vitrine.media_file
  -- A thumbhash, in base64.
  add column placeholder text,
  -- The rules by which the variants were made; 0 while there are none.
  add column variant_rules int not null default 0;
