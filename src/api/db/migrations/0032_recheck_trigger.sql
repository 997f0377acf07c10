-- What was called a second look is a recheck.
update vitrine.refresh set trigger = 'recheck' where trigger = 'second_look';
update vitrine.version set trigger = 'recheck' where trigger = 'second_look';
