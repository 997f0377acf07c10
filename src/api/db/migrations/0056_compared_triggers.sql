-- Whether every handled trigger was in the chain index, and every trigger before the newest of them was handled: then a look
-- for new ones reads those alone.
alter table vitrine.cause_cursor add compared boolean not null default false;
