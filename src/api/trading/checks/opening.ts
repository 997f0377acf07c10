/** When trade of a collection opens, as its makers say in its information. */

/**
 * SQL: the moment at which trade of token `t`'s collection opens, while that is still to come by the database's clock;
 * null once it is open. A part of the statement that reads the locks, so that one answer never mixes two moments.
 * `t` has chain_id and collection_address; the table is the catalog's.
 */
export const opensAt = `
  (select i.tradable_at from vitrine.collection_information i
    where i.chain_id = t.chain_id and i.collection = t.collection_address and i.tradable_at > now())`;
