/** Documents of the ERC-1155 collection, addressed by the `{id}` template. */
import { appearanceOf, createRandom } from "../art/appearance.ts";
import type { Document } from "./answer.ts";

const FIRST_FORGED = Date.UTC(2022, 5, 1) / 1000;
const DAY_SECONDS = 86_400;
/** The item whose document keeps `{id}` in its picture's URL, for the client to substitute. */
export const TEMPLATE_ITEM = 13;
const PROPERTY_ITEM = 14;

/** An item's document; `base` is the base URL of documents and pictures, without a trailing slash. */
export const itemDocument = (id: number, base: string): Document => {
  const appearance = appearanceOf(`items/${id}`);
  const picture = id === TEMPLATE_ITEM ? "{id}.png" : `${id}.${id % 10 === 5 ? "gif" : "png"}`;
  return {
    name: `${appearance.palette.faction} ${appearance.subject}`,
    description: `${appearance.rarity} ${appearance.subject.toLowerCase()}, found in ${appearance.realm.faction}.`,
    decimals: 0,
    image: `${base}/art/items/${picture}`,
    ...(id % 6 === 2 && { animation_url: `${base}/play/items/${id}` }),
    ...(id === PROPERTY_ITEM ? { properties: properties(id) } : { attributes: attributes(id) }),
  };
};

const attributes = (id: number): Document[] => {
  const appearance = appearanceOf(`items/${id}`);
  const random = createRandom(`items/${id}/traits`);
  return [
    { trait_type: "Kind", value: appearance.subject },
    { trait_type: "Origin", display_type: "string", value: appearance.palette.faction },
    { trait_type: "Rarity", value: appearance.rarity },
    {
      trait_type: "Charges",
      display_type: "number",
      value: Math.floor(random.between(0, 10)),
      max_value: 10,
    },
    { trait_type: "Weight", display_type: "number", value: Math.round(random.between(1, 900)) / 100 },
    {
      trait_type: "Forged",
      display_type: "date",
      value: FIRST_FORGED + Math.floor(random.between(0, 900)) * DAY_SECONDS,
    },
    { trait_type: "Soulbound", display_type: "bool", value: id % 4 === 0 },
  ];
};

const properties = (id: number): Document => {
  const appearance = appearanceOf(`items/${id}`);
  return {
    Kind: appearance.subject,
    Origin: appearance.palette.faction,
    Rarity: appearance.rarity,
    Batch: 7,
  };
};
