alter table vitrine.api_key
  -- The last request with the key, to the minute; null for none since this column exists.
  add column last_used_at timestamptz;
