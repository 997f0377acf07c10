/** Documents of the ERC-721 collection: every trait type that the service knows, in numbers worth filtering. */
import { appearanceOf, createRandom } from "../art/appearance.ts";
import type { Document } from "./answer.ts";

const DAY_SECONDS = 86_400;
const FIRST_BIRTH = Date.UTC(2021, 0, 1) / 1000;
const LIVES_DAYS = 1_400;
/** The hero whose document and picture have only `ipfs://` URLs. */
export const IPFS_HERO = 12;
// A trait in `properties` is text; one that is a number elsewhere would change the trait's type.
const PROPERTY_HEROES = new Set([21, 22, 23]);

/** A hero's document; `base` is the base URL of documents and pictures, without a trailing slash. */
export const heroDocument = (id: number, base: string): Document => {
  const appearance = appearanceOf(`heroes/${id}`);
  const name = `${appearance.palette.faction} ${appearance.subject} #${id}`;
  return {
    name,
    description: `${appearance.rarity} ${appearance.subject.toLowerCase()}, last seen under the ${appearance.backdrop.toLowerCase()} of ${appearance.realm.faction}.`,
    image: `${base}/art/heroes/${id}.${id % 16 === 3 ? "gif" : "png"}`,
    external_url: `https://heroes.vitrine.example/${id}`,
    ...(id % 20 === 5 && { video: `${base}/art/heroes/${id}.webm` }),
    ...(id % 6 === 4 && { animation_url: `${base}/play/heroes/${id}` }),
    ...(PROPERTY_HEROES.has(id) ? { properties: properties(id) } : { attributes: attributes(id) }),
  };
};

const attributes = (id: number): Document[] => {
  const appearance = appearanceOf(`heroes/${id}`);
  const random = createRandom(`heroes/${id}/traits`);
  const level = Math.ceil(random.between(0, 100));
  return [
    { trait_type: "Class", value: appearance.subject },
    { trait_type: "Faction", display_type: "string", value: appearance.palette.faction },
    { trait_type: "Realm", display_type: "string", value: appearance.realm.faction },
    { trait_type: "Rarity", value: appearance.rarity },
    // An empty string is also a value; a missing trait is not.
    ...(id % 3 === 0 ? [] : [{ trait_type: "Title", value: id % 7 === 2 ? "" : random.pick(TITLES) }]),
    { trait_type: "Level", display_type: "number", value: level, max_value: 100 },
    { trait_type: "Power", display_type: "number", value: Math.round(level * random.between(5, 15)) / 10 },
    {
      trait_type: "Wins",
      display_type: "number",
      value: id % 5 === 0 ? 0 : Math.floor(random.between(0, 400)),
    },
    { trait_type: "Born", display_type: "date", value: birth(id, random.between(0, LIVES_DAYS)) },
    { trait_type: "Awakened", display_type: "bool", value: random.unit() < 0.6 },
    { trait_type: "Founder", display_type: "bool", value: id <= 10 },
  ];
};

const properties = (id: number): Document => {
  const appearance = appearanceOf(`heroes/${id}`);
  return {
    Class: appearance.subject,
    Faction: appearance.palette.faction,
    Rarity: appearance.rarity,
    Serial: id * 1_000 + 0.5,
  };
};

// The first hero predates the epoch: seconds may be negative.
const birth = (id: number, days: number): number =>
  id === 1 ? -DAY_SECONDS : FIRST_BIRTH + Math.floor(days) * DAY_SECONDS;

const TITLES = [
  "the Patient",
  "the Bright",
  "Lanternbearer",
  "of the Long Road",
  "Stormfriend",
  "the Unlikely",
];
