/** The original answer of every token, before any change. */
import type { Answer, Kind } from "./answer.ts";
import { FAULTS } from "./faults.ts";
import { heroDocument, IPFS_HERO } from "./heroes.ts";
import { itemDocument } from "./items.ts";

// Tokens minted after the start have a document too; above the limit the host has none, like real ones.
const ID_MAX = 100_000n;

/** A well-formed folder CID; the content is whatever the host serves, since nothing here verifies it. */
export const IPFS_CID = "bafybeickzadagkihtly6xjpziqhrhasbdeiejp4wkvff56g2s6zalk4qim";

/** The host's initial answer for a token; `base` is the base URL in documents. */
export const originalAnswer = (kind: Kind, id: bigint, base: string): Answer => {
  if (id > ID_MAX) return { status: 404, body: { error: "no such token" } };
  const number = Number(id);
  const document =
    kind === "heroes" ? heroDocument(number, heroBase(number, base)) : itemDocument(number, base);
  const fault = FAULTS.find((candidate) => candidate.kind === kind && candidate.id === number);
  return fault?.apply(document, base) ?? { body: document };
};

const heroBase = (id: number, base: string): string => (id === IPFS_HERO ? `ipfs://${IPFS_CID}` : base);
