-- Which URL asked last to be left alone (a digest), and the token that tells whether a paused host is back.
alter table vitrine.host
  add retry_by text, add probe_chain_id bigint, add probe_collection text, add probe_token_id numeric(78);
