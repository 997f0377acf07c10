-- A transfer that turned out to be an amount of a coin is retracted.
update vitrine.cause set source = 'retracted' where source = 'taken_back';
-- Daily jobs keep the day of their last run under their new names.
update vitrine.daily_job set name = case name
         when 'forget tokens that were taken back' then 'delete old marks of deleted tokens'
         else regexp_replace(replace(name, 'tokens that no transfer has told of', 'tokens without an indexed transfer'),
                             '^forget ', 'delete ') end
 where name like 'forget %';
