-- Room in each page for the next version of its rows: a fetch that finds nothing new then changes no index, where it added
-- the token to each of them, the one of its traits included.
alter table vitrine.token set (fillfactor = 80);
