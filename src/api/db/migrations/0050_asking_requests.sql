-- The request that a receipt is for, and its span while traces are on, so that the fetches that answer it name both.
alter table vitrine.receipt
  add column request_id uuid,
  add column traceparent text;
