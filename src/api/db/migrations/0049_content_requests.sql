-- Apps also request hosts for videos and animations, and the display type of a trait type.
alter table vitrine.access_request
  drop constraint access_request_kind_check,
  add constraint access_request_kind_check check (kind in ('api', 'collection', 'tier', 'host', 'display_type'));
