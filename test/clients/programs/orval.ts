import { checkTrades, getToken, searchTokens } from "./orval";

const { KEY = "", HEROES = "" } = process.env;
const headers = { "x-api-key": KEY };

const token = await getToken(HEROES, "7", {}, { headers });
const page = await searchTokens(HEROES, { locked: "true", limit: 1 }, { headers });
const checks = await checkTrades(
  { action: "list", items: [{ collection_address: HEROES, token_id: "7" }] },
  {},
  { headers },
);
const refused = await getToken(HEROES, "-7", {}, { headers });
console.log(
  JSON.stringify([
    token.status === 200 && token.data.lock.lock_count,
    page.status === 200 && page.data.items[0]?.token_id,
    checks.status === 200 && checks.data.items[0]?.reason,
    refused.status === 400 && refused.data.code,
  ]),
);
