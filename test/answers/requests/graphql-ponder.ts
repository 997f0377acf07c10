/** Ponder's half of GraphQL: a row and a list of every table. */

import { graphql, type HttpRequest, type Request } from "../request.ts";

const heroes = 'chainId:31337,collectionAddress:"{{heroes}}"';
const items = 'chainId:31337,collectionAddress:"{{items}}"';
const PAGE = "totalCount pageInfo{hasNextPage hasPreviousPage startCursor endCursor}";
const list = (name: string, fields: string, args = ""): HttpRequest =>
  graphql(
    `${name}${args && ` ${args.slice(0, 90)}`}`,
    `{${name}${args && `(${args})`}{${PAGE} items{${fields}}}}`,
  );
const row = (name: string, args: string, fields: string): HttpRequest =>
  graphql(`${name} ${args.slice(0, 90)}`, `{${name}(${args}){${fields}}}`);

const STATE =
  "tokenId owner standard burned burnedBlock mintedBlock lockCount lockedSinceBlock supply erc5192 erc721xFlag";
const DELEGATION =
  "hash type from to contract tokenId rights amount enabled blockNumber logIndex transactionHash";
const TRANSFER =
  "id tokenId from to quantity blockNumber logIndex lastTokenId transactionHash blockTimestamp";
const LOCK = "id tokenId direction countAfter standard approvedContract anomaly blockNumber logIndex";
const UPDATE = "id scope source fromTokenId toTokenId blockNumber logIndex blockHash";
const byId = 'orderBy:"tokenId",orderDirection:"asc"';

export const graphqlPonder: Request[] = [
  row("collectionState", heroes, "standard items owners hasRanges hasIndexedTransfers doubtfulTransfers"),
  row("collectionState", 'chainId:31337,collectionAddress:"{{stranger}}"', "items"),
  list("collectionStates", "collectionAddress standard items owners"),
  row("collectionHolder", `${heroes},holder:"{{ada}}"`, "tokens"),
  list(
    "collectionHolders",
    "collectionAddress holder tokens",
    'orderBy:"tokens",orderDirection:"desc",limit:5',
  ),
  row("collectionRanges", heroes, "bounds"),
  list("collectionRangess", "collectionAddress bounds"),
  row("expansionAllowance", heroes, "tokens"),
  list("expansionAllowances", "collectionAddress tokens"),
  row("delegation", 'chainId:31337,hash:"{{id}}"', DELEGATION),
  list("delegations", DELEGATION, 'orderBy:"blockNumber"'),
  list("delegations", DELEGATION, "where:{enabled:false}"),
  list(
    "delegations",
    "type from to",
    'where:{OR:[{type:"ALL"},{from:"{{ben}}"}]},orderBy:"blockNumber",limit:4',
  ),
  row("indexAnomaly", `${heroes},kind:"none"`, "count detail"),
  list("indexAnomalys", "kind count detail"),
  row("lockDefault", `${heroes},standard:"erc6982"`, "locked"),
  list("lockDefaults", "standard locked"),
  row("lockEvent", 'id:"x"', LOCK),
  list("lockEvents", LOCK, 'orderBy:"id"'),
  list("lockEvents", "tokenId direction", 'where:{direction:"unlock"}'),
  row("metadataUpdate", 'id:"x"', UPDATE),
  list("metadataUpdates", UPDATE, 'orderBy:"id",limit:3'),
  row("tokenBalance", `${items},holder:"{{ada}}",tokenId:"2"`, "balance"),
  list("tokenBalances", "holder tokenId balance", `where:{holder:"{{ben}}"},${byId}`),
  row("tokenRange", `${heroes},fromTokenId:"1"`, "owner"),
  list("tokenRanges", "fromTokenId toTokenId owner"),
  row("tokenState", `${heroes},tokenId:"7"`, STATE),
  row("tokenState", `${heroes},tokenId:"6"`, STATE),
  row("tokenState", `${items},tokenId:"4"`, STATE),
  row("tokenState", `${heroes},tokenId:"seven"`, STATE),
  list("tokenStates", "tokenId owner", `where:{collectionAddress:"{{heroes}}"},${byId},limit:3`),
  list("tokenStates", "tokenId lockCount", `where:{lockCount_gt:0},${byId}`),
  list("tokenStates", "tokenId", `where:{tokenId_in:["1","2"],collectionAddress:"{{items}}"},${byId}`),
  list(
    "tokenStates",
    "tokenId",
    `where:{collectionAddress:"{{heroes}}",tokenId_gte:"40"},${byId},offset:2,limit:2`,
  ),
  list("tokenStates", "tokenId", "limit:1001"),
  list("tokenStates", "tokenId", "limit:-1"),
  list("tokenStates", "tokenId", 'orderBy:"colour"'),
  list("tokenStates", "tokenId", 'orderDirection:"sideways"'),
  list("tokenStates", "tokenId", 'after:"nonsense"'),
  list("tokenStates", "tokenId", "where:{colour:1}"),
  row("tokenTransfer", 'id:"x"', TRANSFER),
  list("tokenTransfers", TRANSFER, 'where:{tokenId:"3",collectionAddress:"{{heroes}}"},orderBy:"id"'),
  list(
    "tokenTransfers",
    "tokenId from to quantity",
    'where:{collectionAddress:"{{items}}",to:"{{cy}}"},orderBy:"id"',
  ),
  graphql(
    "both halves in one operation",
    `query Both($a:String!){collections{name} tokenState(${heroes},tokenId:"1"){owner} again:token(tokenAddress:$a,tokenId:"1"){name} __typename}`,
    { a: "{{heroes}}" },
  ),
  graphql(
    "a page after another",
    `{tokenStates(where:{collectionAddress:"{{heroes}}"},${byId},limit:2){pageInfo{endCursor} items{tokenId}}}`,
    undefined,
    { save: { ponder_cursor: "data.tokenStates.pageInfo.endCursor" } },
  ),
  graphql(
    "the page after",
    `{tokenStates(where:{collectionAddress:"{{heroes}}"},${byId},limit:2,after:"{{ponder_cursor}}"){items{tokenId}}}`,
  ),
];
