-- No transfer had told of the token when a caller without a key asked for it; what others ask for since clears it.
alter table vitrine.refresh add unseen boolean not null default false;
create index refresh_unseen on vitrine.refresh (chain_id) where unseen and anonymous and wanted > done;
