/** GraphQL: our own fields and those of the marketplace's SDK, and what is refused. */

import { getIntrospectionQuery } from "graphql";
import { get, graphql, type HttpRequest, head, options, post, put, type Request } from "../request.ts";

const at = { a: "{{heroes}}" };
const items = { a: "{{items}}" };
const TOKEN =
  "tokenId name owner burned tradable lock{locked lockCount standards sinceBlock} image{status url} traits{traitType displayType value count percentage}";
const oneToken = `query Token($a:String!,$id:String!,$c:Float){token(tokenAddress:$a,tokenId:$id,chainId:$c){${TOKEN} description standard supply opensAt chainId collectionAddress propertyGroups{category traits} metadata{status reason version issues{code level path message}} display{collectionPage{kind url} tokenPage{kind url skipped{kind host reason}}}}}`;
const searchTokens = `query Search($a:String!,$text:String,$criteria:[SearchCriteria!],$ranges:[RangeSearchCriteria!],$owner:String,$locked:Boolean,$sort:String,$limit:Int,$cursor:String){searchTokens(tokenAddress:$a,text:$text,criteria:$criteria,rangeCriteria:$ranges,owner:$owner,locked:$locked,sort:$sort,limit:$limit,cursor:$cursor){total nextCursor items{tokenId name}}}`;
const COLLECTION =
  "chainId collectionAddress name slug standard items owners anomalies{kind count} information{name slug creatorName traitGroups{name traits{name}}}";
const traits = `query Traits($a:String!,$text:String,$locked:Boolean){traits(tokenAddress:$a,text:$text,locked:$locked){total traits{traitType displayType count min max maxValue valuesTotal values{value count percentage}}}}`;
const report = `query Report($a:String!,$id:String!,$limit:Int,$before:Int){tokenReport(tokenAddress:$a,tokenId:$id,limit:$limit,before:$before){tokenId next issues{code level path message} metadata{status reason uri version} traits{traitType value} versions{number outcome reason trigger confirmations readBlock durationMs fetchedAt uri}}}`;

const ours: HttpRequest[] = [
  graphql("collections", `{collections{${COLLECTION}}}`),
  graphql("collection", `query C($a:String!){collection(tokenAddress:$a){${COLLECTION}}}`, at),
  graphql(
    "collection of another chain",
    `query C($a:String!){collection(tokenAddress:$a,chainId:5){name}}`,
    at,
  ),
  graphql("collection that is none", `{collection(tokenAddress:"x"){name}}`),
  graphql("collection that is not served", `query C($a:String!){collection(tokenAddress:$a){name}}`, {
    a: "{{stranger}}",
  }),
  ...["1", "6", "7", "34", "38", "999"].map((id) => graphql(`token ${id}`, oneToken, { ...at, id })),
  graphql("token of an ERC-1155", oneToken, { ...items, id: "2" }),
  graphql("token of a chain", oneToken, { ...at, id: "1", c: 31337 }),
  graphql("token of another chain", oneToken, { ...at, id: "1", c: 1 }),
  graphql("token without an id", oneToken, { ...at, id: "x" }),
  graphql("searchTokens", searchTokens, { ...at, limit: 3 }),
  graphql(
    "searchTokens first page",
    searchTokens,
    { ...at, limit: 2 },
    { save: { graphql_cursor: "data.searchTokens.nextCursor" } },
  ),
  graphql("searchTokens next page", searchTokens, { ...at, limit: 2, cursor: "{{graphql_cursor}}" }),
  graphql("searchTokens by text", searchTokens, { ...at, text: "mage" }),
  graphql("searchTokens by a trait", searchTokens, {
    ...at,
    criteria: [{ name: "Awakened", values: ["true"] }],
    limit: 5,
  }),
  graphql("searchTokens by a range", searchTokens, {
    ...at,
    ranges: [{ name: "Level", range: { from: "10", to: "30" } }],
  }),
  graphql("searchTokens by an owner", searchTokens, { ...at, owner: "{{ben}}", sort: "name_desc", limit: 4 }),
  graphql("searchTokens by rarity", searchTokens, { ...at, sort: "rarity", limit: 4 }),
  graphql("searchTokens locked", searchTokens, { ...at, locked: true }),
  graphql("searchTokens by a strange sort", searchTokens, { ...at, sort: "price" }),
  graphql("searchTokens with a strange cursor", searchTokens, { ...at, cursor: "x" }),
  graphql("searchTokens with a large limit", searchTokens, { ...at, limit: 101 }),
  graphql("searchTokens with a range that is none", searchTokens, {
    ...at,
    ranges: [{ name: "Level", range: { from: "many" } }],
  }),
  graphql("traits", traits, at),
  graphql("traits of those that match", traits, { ...at, locked: true, text: "a" }),
  graphql("tokenReport", report, { ...at, id: "1" }),
  graphql("tokenReport of a failure", report, { ...at, id: "38" }),
  graphql("tokenReport of an unknown token", report, { ...at, id: "999" }),
  graphql("tokenReport with a strange limit", report, { ...at, id: "1", limit: 0 }),
  graphql("metadataRefresh of an unknown id", `{metadataRefresh(id:"{{id}}"){id done}}`),
  graphql("metadataRefresh of no id", `{metadataRefresh(id:"x"){id done}}`),
  graphql("__typename", "{__typename}"),
  graphql("_meta", "{_meta{status}}", undefined, { varies: ["data._meta.status.*.block.number"] }),
];

const ERC721 =
  "tokenId tokenAddress chainId name owner image cdnImage video isLocked minPrice attributes order{id} ownerProfile{name accountId} collectionMetadata traitDistribution{key value count displayType percentage}";
const ERC1155 =
  "tokenId tokenAddress name image isLocked totalItems totalOwners totalListing attributes orders(from:0,size:1){id}";
const history =
  "transferHistory(from:0,size:3){total results{from to quantity tokenId timestamp txHash withPrice}}";
const erc721Tokens =
  "query E($a:String!,$from:Int!,$size:Int!,$sort:SortBy,$owner:String,$name:String,$auction:AuctionType,$price:InputRange,$criteria:[SearchCriteria!],$ranges:[RangeSearchCriteria!]){erc721Tokens(tokenAddress:$a,from:$from,size:$size,sort:$sort,owner:$owner,name:$name,auctionType:$auction,priceRange:$price,criteria:$criteria,rangeCriteria:$ranges){total results{tokenId name isLocked}}}";
const page = { from: 0, size: 4 };

const sdk: HttpRequest[] = [
  graphql(
    "tokenData",
    `query T($a:String!){tokenData(tokenAddress:$a){tokenAddress chainId erc minPrice totalItems totalOwners totalListing totalVolume volumeAllTime allowedPaymentTokens collectionMetadata}}`,
    at,
  ),
  graphql(
    "tokenData of an ERC-1155",
    `query T($a:String!){tokenData(tokenAddress:$a){erc totalItems totalOwners}}`,
    items,
  ),
  graphql("tokenData that is not served", `query T($a:String!){tokenData(tokenAddress:$a){erc}}`, {
    a: "{{stranger}}",
  }),
  graphql("erc721List", "{erc721List(from:0,size:10){tokenAddress erc totalItems}}"),
  graphql("erc1155List", "{erc1155List(from:0,size:10){tokenAddress erc totalItems}}"),
  graphql("erc721List of too many", "{erc721List(from:0,size:51){tokenAddress}}"),
  graphql("erc721List from before the first", "{erc721List(from:-1,size:1){tokenAddress}}"),
  graphql(
    "tokenMetadata",
    `query T($a:String!){tokenMetadata(tokenAddress:$a){erc attributes{key displayType values{value count}}}}`,
    at,
  ),
  graphql(
    "erc721Token",
    `query T($a:String!){erc721Token(tokenAddress:$a,tokenId:"1"){${ERC721} ${history}}}`,
    at,
  ),
  graphql(
    "erc721Token that moved",
    `query T($a:String!){erc721Token(tokenAddress:$a,tokenId:"3"){owner ${history}}}`,
    at,
  ),
  graphql(
    "erc721Token that is unknown",
    `query T($a:String!){erc721Token(tokenAddress:$a,tokenId:"999"){owner}}`,
    at,
  ),
  graphql(
    "erc721Token of an ERC-1155",
    `query T($a:String!){erc721Token(tokenAddress:$a,tokenId:"1"){owner}}`,
    items,
  ),
  graphql(
    "erc1155Token",
    `query T($a:String!){erc1155Token(tokenAddress:$a,tokenId:2){${ERC1155} ${history}}}`,
    items,
  ),
  graphql(
    "erc1155Token and a balance",
    `query T($a:String!){erc1155Token(tokenAddress:$a,tokenId:"2"){balance(owner:"{{ada}}")}}`,
    items,
  ),
  graphql(
    "erc1155Token and the balance of nobody",
    `query T($a:String!){erc1155Token(tokenAddress:$a,tokenId:2){balance(owner:"ada")}}`,
    items,
  ),
  graphql("erc721Tokens", erc721Tokens, { ...at, ...page }),
  ...["IdAsc", "IdDesc", "Latest", "PriceAsc", "PriceDesc"].map((sort) =>
    graphql(`erc721Tokens ${sort}`, erc721Tokens, { ...at, ...page, sort }),
  ),
  graphql("erc721Tokens of an owner", erc721Tokens, { ...at, ...page, owner: "{{ada}}" }),
  graphql("erc721Tokens by name", erc721Tokens, { ...at, ...page, name: "ember" }),
  graphql("erc721Tokens for sale", erc721Tokens, { ...at, ...page, auction: "Sale" }),
  graphql("erc721Tokens not for sale", erc721Tokens, { ...at, ...page, auction: "NotForSale" }),
  graphql("erc721Tokens with a price", erc721Tokens, { ...at, ...page, price: { from: "1", to: null } }),
  graphql("erc721Tokens by a trait and a range", erc721Tokens, {
    ...at,
    ...page,
    criteria: [{ name: "Founder", values: ["true"] }],
    ranges: [{ name: "Level", range: { from: "5", to: null } }],
  }),
  graphql("erc721Tokens from afar", erc721Tokens, { ...at, from: 9_990, size: 50 }),
  graphql("erc721Tokens of an unknown sort", erc721Tokens, { ...at, ...page, sort: "Cheapest" }),
  graphql(
    "erc1155Tokens",
    `query E($a:String!){erc1155Tokens(tokenAddress:$a,from:0,size:3){total results{${ERC1155}}}}`,
    items,
  ),
  graphql(
    "erc1155Tokens of an owner",
    `query E($a:String!){erc1155Tokens(tokenAddress:$a,from:0,size:3,owner:"{{cy}}"){total results{tokenId}}}`,
    items,
  ),
  graphql(
    "tokens of a wallet",
    `{tokens(owner:"{{cy}}",from:0,size:20){total data{__typename ...on Erc721{tokenId} ...on Erc1155{id:tokenId}}}}`,
  ),
  graphql(
    "tokens of a wallet in one collection",
    `{tokens(owner:"{{ada}}",tokenAddresses:["{{items}}"],from:2,size:3){total data{...on Erc1155{tokenId}}}}`,
  ),
  graphql("tokens of nobody", `{tokens(owner:"nobody",from:0,size:3){total}}`),
];

const refused: HttpRequest[] = [
  graphql("no field of that name", "{nothing}"),
  graphql("a field of that name nearly", "{collection{name}}"),
  graphql("no selection", "{collections}"),
  graphql("a variable that is missing", oneToken, { id: "1" }),
  graphql("a variable of another type", oneToken, { ...at, id: 1 }),
  graphql("a variable that is unknown", "{collections{name}}", { extra: 1 }),
  graphql("no query", undefined as unknown as string),
  graphql("an empty query", ""),
  graphql("no GraphQL", "{"),
  graphql("two operations", "query A{__typename} query B{__typename}"),
  graphql("the second of two operations", "query A{__typename} query B{collections{name}}", undefined, {
    operationName: "B",
  }),
  graphql("an operation that is missing", "query A{__typename}", undefined, { operationName: "B" }),
  graphql("a subscription", "subscription{collections{name}}"),
  graphql("many aliases", `{${Array.from({ length: 31 }, (_, n) => `a${n}:collections{name}`).join(" ")}}`),
  graphql("many tokens", `{${"__typename ".repeat(1_001)}}`),
  graphql("a fragment in a circle", "{...A} fragment A on Query{...A}"),
  graphql(
    "fragments and directives",
    "query Q($no:Boolean!){collections{...F}} fragment F on Collection{name slug @skip(if:$no) items @include(if:$no)}",
    { no: true },
  ),
  graphql("a type of the schema", '{__type(name:"Token"){name fields{name type{name kind}}}}'),
  graphql("the whole schema", getIntrospectionQuery(), undefined, { body_as: "length" }),
  graphql("the whole schema twice", "{a:__schema{types{name}} b:__schema{types{name}}}"),
  post("/graphql", [{ query: "{__typename}" }], { note: "a batch" }),
  post("/graphql", "{", { note: "no JSON", headers: { "content-type": "application/json" } }),
  post("/graphql", "{__typename}", {
    note: "a query as it is",
    headers: { "content-type": "application/graphql" },
  }),
  post("/graphql", undefined, { note: "no body" }),
  post("/graphql", { query: "{__typename}", variables: "x" }, { note: "variables that are text" }),
  post(
    "/graphql",
    { query: "{__typename}" },
    { note: "of GraphQL's own type", headers: { accept: "application/graphql-response+json" } },
  ),
  post(
    "/graphql",
    { query: "{nothing}" },
    { note: "refused, of GraphQL's own type", headers: { accept: "application/graphql-response+json" } },
  ),
  post("/graphql", { query: "{__typename}" }, { key: "broken" }),
  post("/graphql", { query: "{__typename}" }, { key: "market" }),
  post(
    "/graphql",
    { query: "{__typename}" },
    { note: "another origin", headers: { origin: "https://shop.example" } },
  ),
  post("/graphql", { query: `{__typename} #${"x".repeat(300_000)}` }, { note: "300 kB" }),
  get("/graphql?query={__typename}", { note: "by GET" }),
  put("/graphql", { query: "{__typename}" }),
  head("/graphql"),
  options("/graphql"),
];

export const graphqlOwn: Request[] = [...ours, ...sdk, ...refused];

const MUTATION = "mutation R($a:String!,$id:String!){refreshMetadata(tokenAddress:$a,tokenId:$id)}";
const REQUEST =
  "mutation R($a:String!,$ids:[String!]!){requestMetadataRefresh(tokenAddress:$a,tokenIds:$ids){id done createdAt tokens{tokenId status reason}}}";

/** What changes something. */
export const mutations: Request[] = [
  graphql("refreshMetadata", MUTATION, { ...at, id: "21" }),
  graphql("refreshMetadata with a key", MUTATION, { ...at, id: "22" }, { key: "full" }),
  graphql("refreshMetadata of an unknown token", MUTATION, { ...at, id: "999" }),
  graphql("refreshMetadata of a burned token", MUTATION, { ...at, id: "6" }),
  graphql("refreshMetadata without an id", MUTATION, { ...at, id: "x" }),
  graphql("refreshMetadata of another collection", MUTATION, { a: "{{stranger}}", id: "1" }),
  graphql(
    "requestMetadataRefresh",
    REQUEST,
    { ...at, ids: ["23", "999", "23"] },
    {
      save: { graphql_refresh: "data.requestMetadataRefresh.id" },
      varies: ["data.requestMetadataRefresh.tokens.*.status", "data.requestMetadataRefresh.done"],
    },
  ),
  graphql(
    "metadataRefresh",
    `{metadataRefresh(id:"{{graphql_refresh}}"){id done tokens{tokenId status reason}}}`,
    undefined,
    { until: (text) => text.includes('"done":true') },
  ),
  graphql("metadataRefresh of a partner's", `{metadataRefresh(id:"{{refresh_id}}"){id done}}`),
  graphql("requestMetadataRefresh of none", REQUEST, { ...at, ids: [] }),
  graphql("requestMetadataRefresh of unknown tokens", REQUEST, { ...at, ids: ["998", "999"] }),
  graphql("requestMetadataRefresh of 101", REQUEST, {
    ...at,
    ids: Array.from({ length: 101 }, (_, id) => String(id)),
  }),
  graphql("a mutation by GET", "mutation{x}", undefined),
  get("/graphql?query=mutation%7BrefreshMetadata(tokenAddress:%22x%22,tokenId:%221%22)%7D", {
    headers: { accept: "application/json" },
  }),
];
