/** The information about the demo's collections, as their studio would send it. */

/** Bodies of PUT …/information; `base` is the metadata host, without a trailing slash. */
export const informationOf = (base: string) => ({
  heroes: {
    name: "Vitrine Heroes",
    description:
      "Forty-eight heroes of eight factions. Some are locked by the games they play in, and sixteen have faulty metadata on purpose, so that every fault can be seen at work.",
    creator_name: "Vitrine Studio",
    avatar: `${base}/art/heroes/1.png`,
    banner: `${base}/art/heroes/banner.png`,
    website: "https://heroes.vitrine.example",
  },
  items: {
    name: "Vitrine Items",
    description: "What heroes carry: sixteen kinds of things, each in many copies.",
    creator_name: "Vitrine Studio",
    avatar: `${base}/art/items/1.png`,
    banner: `${base}/art/items/banner.png`,
  },
});
