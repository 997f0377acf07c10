/** The things to try, printed once the demo is ready; every command works when pasted. */

export type Ready = {
  base_url: string;
  rpc_url: string;
  chain_id: number;
  api_key: string;
  operator_token: string;
  metadata_url: string;
  contracts: { erc721: string; erc1155: string; delegate_registry: string };
};

export const guide = ({
  base_url,
  chain_id,
  api_key,
  operator_token,
  metadata_url,
  contracts,
}: Ready): string => `
Things to try (each line can be pasted into another terminal):

1. Look at a token: metadata, traits, lock state, what each page shows
   curl -s ${base_url}/market/collections/${contracts.erc721}/tokens/1 -H 'X-API-Key: ${api_key}'

2. Change its metadata at the host, refresh it over REST, and see the outcome
   curl -s -X PATCH ${metadata_url}/heroes/1 -H 'Content-Type: application/json' -d '{"name":"Renamed by hand"}'
   curl -s -X POST '${base_url}/market-partner/collections/${contracts.erc721}/refresh_metadata?wait=10' -H 'X-API-Key: ${api_key}' -H 'Content-Type: application/json' -d '{"token_ids":["1","2","999"]}'

3. Refresh a token over GraphQL, without a key
   curl -s ${base_url}/graphql -H 'Content-Type: application/json' -d '{"operationName":"RefreshMetadata","variables":{"tokenAddress":"${contracts.erc721}","tokenId":"3"},"query":"mutation RefreshMetadata($tokenAddress: String!, $tokenId: String!) { refreshMetadata(tokenAddress: $tokenAddress, tokenId: $tokenId) }"}'

4. A token that two contracts have locked, from our schema and from the index in one query
   curl -s ${base_url}/graphql -H 'Content-Type: application/json' -d '{"query":"{ token(tokenAddress: \\"${contracts.erc721}\\", tokenId: \\"7\\") { name tradable lock { locked lockCount approvedContracts sinceBlock } } lockEvents(where: { tokenId: \\"7\\" }) { items { direction approvedContract countAfter blockNumber } } }"}'

5. A document with a fault: what is wrong is said, the rest is served
   curl -s ${base_url}/market/collections/${contracts.erc721}/tokens/33 -H 'X-API-Key: ${api_key}'

6. The answers to a missing key and to a body that is wrong in two places
   curl -s ${base_url}/market/collections
   curl -s -X POST ${base_url}/market-partner/collections/${contracts.erc721}/refresh_metadata -H 'X-API-Key: ${api_key}' -H 'Content-Type: application/json' -d '{"token_ids":["01",2]}'

7. The pages: home, where you create an app with the demo's wallet; a collection with filters; a token that is locked
   ${base_url}/
   ${base_url}/collections/${chain_id}/${contracts.erc721}
   ${base_url}/collections/${chain_id}/${contracts.erc721}/7

8. Operate it: keys and allowed hosts
   BASE_URL=${base_url} VITRINE_OPERATOR_TOKEN=${operator_token} npx vitrine keys list
   BASE_URL=${base_url} VITRINE_OPERATOR_TOKEN=${operator_token} npx vitrine allowlist list

Stop with Ctrl-C.
`;
