import { checkTrades, getToken, searchTokens } from "./hey-api";
import { client } from "./hey-api/client.gen";

const { BASE_URL = "", KEY = "", HEROES = "" } = process.env;
client.setConfig({ baseUrl: BASE_URL, headers: { "x-api-key": KEY } });
const path = { collection_address: HEROES };

const token = await getToken({ path: { ...path, token_id: "7" } });
const page = await searchTokens({ path, query: { locked: "true", limit: 1 } });
const checks = await checkTrades({ body: { action: "list", items: [{ ...path, token_id: "7" }] } });
const refused = await getToken({ path: { ...path, token_id: "-7" } });
console.log(
  JSON.stringify([
    token.data?.lock.lock_count,
    page.data?.items[0]?.token_id,
    checks.data?.items[0]?.reason,
    refused.error?.code,
  ]),
);
