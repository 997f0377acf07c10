/** When trade of a collection opens, from its information. */

/**
 * SQL: the time at which trade of token `t`'s collection opens, by the database's clock; null once it is open. Part of
 * the statement that reads the locks, so that one response never mixes two moments. `t` has chain_id and
 * collection_address; the table belongs to catalog.
 */
export const opensAt = `
  (select i.tradable_at from vitrine.collection_information i
    where i.chain_id = t.chain_id and i.collection = t.collection_address and i.tradable_at > now())`;
