-- Names first: with the collection first, an index looked as good as the primary key for finding one token's rows, until
-- statistics told how many tokens a collection has.
drop index vitrine.token_trait_value;
drop index vitrine.token_trait_display_type;
create index token_trait_value on vitrine.token_trait (md5(trait_type), md5(value_text), chain_id, collection);
create index token_trait_display_type
  on vitrine.token_trait (md5(trait_type), chain_id, collection, display_type, value_number);
