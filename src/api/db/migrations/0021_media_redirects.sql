-- Where a URL leads is where its content is shown from.

-- The host of the last redirect, where that is another one than was asked.
alter table vitrine.media add column leads_to text;
