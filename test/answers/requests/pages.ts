/** Pages that people visit, before and after what others change. */

import { form, get, type HttpRequest, head, options, page, post, type Request } from "../request.ts";

const H = "/collections/31337/{{heroes}}";
const I = "/collections/31337/{{items}}";
const query = (fields: Record<string, string>): string => `${H}?${new URLSearchParams(fields)}`;

const collections: HttpRequest[] = [
  page("/collections"),
  get("/collections", { note: "accepts anything" }),
  head("/collections"),
  options("/collections"),
  post("/collections", {}),
  page("/collections", { note: "gzip", headers: { "accept-encoding": "gzip" }, body_as: "nothing" }),
  page("/collections/"),
  page(H),
  page(I),
  head(H),
  page("/collections/31337/{{checksummed}}"),
  page("/collections/31337/{{checksummed}}?q=mage"),
  page("/collections/31337/vitrine-heroes"),
  page("/collections/31337/{{stranger}}"),
  page("/collections/1/{{heroes}}"),
  page("/collections/x/{{heroes}}"),
  page("/collections/31337/0x12"),
  page("/collections/31337"),
  page(query({ q: "mage" })),
  page(query({ q: "<script>alert(1)</script>" })),
  page(query({ q: "x".repeat(201) })),
  page(query({ locked: "true" })),
  page(query({ locked: "maybe" })),
  page(`${H}?owner={{ada}}`),
  page(query({ owner: "ada" })),
  page(query({ sort: "name_desc" })),
  page(query({ sort: "trait:Level:desc" })),
  page(query({ sort: "price" })),
  page(query({ "is:Awakened": "true", "from:Level": "10", "to:Level": "60" })),
  page(`${H}?is:Rarity=Common&is:Rarity=Rare&sort=latest`),
  page(query({ "from:Born": "2022-01-01", "to:Born": "2023-12-31" })),
  page(query({ "from:Level": "many" })),
  page(query({ "is:Rarity": "Nobody has it" })),
  page(query({ cursor: "nonsense" })),
  page(query({ part: "tokens" })),
  page(H, {
    note: "the next page's address",
    body_as: "nothing",
    save: { page_next: /href=\\?"([^"\\]*[?&;]cursor=[^"\\]+)\\?"/ },
  }),
];

const around: HttpRequest[] = [
  page("/search"),
  page("/search?q=mage"),
  page("/search?q=vitrine&part=suggestions"),
  page("/search?q={{ada}}"),
  page(`/search?q=${"x".repeat(201)}`),
  page("/search/?q=mage"),
  form("/preferences", { theme: "dark" }, { headers: { "sec-fetch-site": "same-origin" } }),
  form(
    "/preferences",
    { theme: "blue" },
    { note: "a theme that there is not", headers: { "sec-fetch-site": "same-origin" } },
  ),
  form("/preferences", { theme: "dark" }, { note: "from nowhere" }),
  get("/sitemaps/collections.xml"),
  get("/sitemaps/31337/{{heroes}}/1.xml"),
  get("/sitemaps/31337/{{heroes}}/2.xml"),
];

const tokens: HttpRequest[] = [
  ...[1, 4, 5, 6, 7, 8, 9, 12, 33, 34, 35, 38, 39, 40, 45].map((id) => page(`${H}/${id}`)),
  ...[1, 2, 4, 11, 12, 16].map((id) => page(`${I}/${id}`)),
  page(`${H}/4?show=image`),
  page(`${H}/3?transfers=2`),
  page(`${H}/3?transfers=x`),
  page(`${H}/1?before=1`),
  page(`${H}/1?refresh={{id}}`),
  page(`${H}/999`),
  page(`${H}/x`),
  page(`${H}/1/2`),
  head(`${H}/1`),
  form(`${H}/1/refresh`, {}, { note: "from nowhere" }),
  form(`${H}/1/refresh`, {}, { note: "another origin", headers: { origin: "https://shop.example" } }),
];

export const pages: Request[] = [...collections, ...around, ...tokens];

/** After what partners and operators have written and changed. */
export const pagesAfter: Request[] = [
  page("/collections"),
  page(H),
  page(`${H}/1`),
  page(`${H}/4`),
  page(`${H}/10`),
  page(`${H}/20`),
  form(`${H}/31/refresh`, {}, { as: "ada", save: { page_refresh: /[?&]refresh=([0-9a-f-]{36})/ } }),
  page(`${H}/31?refresh={{page_refresh}}`, { until: (text) => text.includes('data-state="done"') }),
  page(`${H}/31?refresh={{page_refresh}}&part=refresh`),
  form(`${H}/999/refresh`, {}, { as: "ada" }),
  form(`${H}/6/refresh`, {}, { as: "ada" }),
];
