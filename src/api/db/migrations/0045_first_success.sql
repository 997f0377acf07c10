alter table vitrine.app
  -- The first request of the app that a gateway API answered well; null for none.
  add column first_success_at timestamptz;
-- Apps from before have no answers on record; one that was counted is a good sign.
update vitrine.app a set first_success_at = u.hour
  from (select app_id, min(hour) as hour from vitrine.app_usage where requests > 0 group by app_id) u
 where u.app_id = a.id;
