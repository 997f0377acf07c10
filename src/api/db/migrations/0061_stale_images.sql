-- The cached images whose last fetch failed for good, by the key that tokens have of their image's URL: a collection's
-- health counts them.
create index media_stale on vitrine.media ((('x' || left(encode(url_hash, 'hex'), 16))::bit(64)::bigint), reason)
 where kind = 'image' and status = 'accepted' and reason is not null and reason not like '%; trying again';
