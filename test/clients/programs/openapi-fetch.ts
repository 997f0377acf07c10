import createClient from "openapi-fetch";
import type { paths } from "./openapi-typescript.ts";

const { BASE_URL = "", KEY = "", HEROES = "" } = process.env;
const client = createClient<paths>({ baseUrl: BASE_URL, headers: { "x-api-key": KEY } });
const path = { collection_address: HEROES };

const token = await client.GET("/market/collections/{collection_address}/tokens/{token_id}", {
  params: { path: { ...path, token_id: "7" } },
});
const page = await client.GET("/market/collections/{collection_address}/tokens", {
  params: { path, query: { locked: "true", limit: 1 } },
});
const checks = await client.POST("/market/trade_checks", {
  body: { action: "list", items: [{ ...path, token_id: "7" }] },
});
const refused = await client.GET("/market/collections/{collection_address}/tokens/{token_id}", {
  params: { path: { ...path, token_id: "-7" } },
});
console.log(
  JSON.stringify([
    token.data?.lock.lock_count,
    page.data?.items[0]?.token_id,
    checks.data?.items[0]?.reason,
    refused.error?.code,
  ]),
);
