/** The origins of the soak: documents that change on demand, their pictures, and faults of both. */

import { pictures } from "../../../bench/pictures.ts";
import { type Answer, type Behaviour, type Origin, startOrigin } from "../../faults/support/origin.ts";
import { createRandom } from "../../support/random.ts";

const CLASSES = ["Knight", "Mage", "Rogue", "Dragon", "Bard", "Smith"];
// Squares per side. Such a picture is stored in a few kilobytes, so that a long soak fills no disk.
const PICTURE_GRAINS = 4;
// Stored in more than a socket holds: a client that leaves must not keep the rest.
const LARGE_PICTURE_GRAINS = 400;
const REVISIONS_MAX = 10_000;
const BIRTH = 1_600_000_000;
const DAY_SECONDS = 86_400;

export interface Documents {
  /** Gives the token another document, with another picture. */
  change(id: number): void;
}

/** Makes `origin` serve each token's document at `/t/{id}`, and fail one request in twenty. */
export function serveDocuments(origin: Origin, pictureUrl: string, seed: number): Documents {
  const revisions = new Map<number, number>();
  origin.behave(
    failingNowAndThen(seed, (path) => {
      const id = Number(/^\/t\/(\d+)/.exec(path)?.[1] ?? 0);
      return { body: documentOf(id, revisions.get(id) ?? 0, pictureUrl) };
    }),
  );
  return { change: (id) => void revisions.set(id, (revisions.get(id) ?? 0) + 1) };
}

/** A host of pictures at `/{number}.png`; some requests fail, and some pictures are invalid. */
export async function startPictures(seed: number): Promise<Origin> {
  const [small, large] = await Promise.all([pictures(PICTURE_GRAINS), pictures(LARGE_PICTURE_GRAINS)]);
  return startOrigin(
    failingNowAndThen(seed, (path) => {
      const index = Number(/^\/(\d+)\.png/.exec(path)?.[1] ?? 0);
      const headers = { "content-type": "image/png" };
      if (index % 47 === 7) return { status: 404, body: "{}" };
      return { headers, body: index % 23 === 5 ? large(index) : small(index) };
    }),
  );
}

function documentOf(id: number, revision: number, pictureUrl: string): string {
  const random = createRandom(id, revision);
  return JSON.stringify({
    name: `Hero ${id}, revision ${revision}`,
    description: `As it was reported for the ${revision}th time. ${"It goes on and on. ".repeat(random.whole(1, 20))}`,
    // A new picture: known content is not decoded again.
    image: `${pictureUrl}/${id * REVISIONS_MAX + revision}.png`,
    attributes: [
      { trait_type: "Class", value: random.pick(CLASSES) },
      { trait_type: "Level", display_type: "number", value: random.whole(0, 99), max_value: 100 },
      { trait_type: "Born", display_type: "date", value: BIRTH + random.whole(0, 500) * DAY_SECONDS },
      { trait_type: "Awakened", display_type: "bool", value: random.chance(0.5) },
      // A value unique to this token, which its next revision removes.
      { trait_type: "Serial", value: `${id}-${revision}` },
    ],
  });
}

/** One request in twenty is answered late or badly; most of these succeed when retried. */
function failingNowAndThen(seed: number, answer: Behaviour): Behaviour {
  let asked = 0;
  return (path, nth) => {
    const random = createRandom(seed, asked++);
    const good = answer(path, nth);
    const kind = random.next();
    if (kind < 0.01) return { status: 500, body: "Internal Server Error" } satisfies Answer;
    if (kind < 0.015) return { status: 429, headers: { "retry-after": "2" } } satisfies Answer;
    if (kind < 0.02) return { ...good, fault: "half" };
    if (kind < 0.021) return { fault: "never" };
    return kind < 0.05 ? { ...good, delayMs: random.whole(200, 3_000) } : good;
  };
}
