-- Without it, PostgreSQL reads open sweeps by `sweep_of_collection`. By statistics of a time when all sweeps were finished, it
-- read all open ones by this one instead, once for each collection.
drop index vitrine.sweep_open;
