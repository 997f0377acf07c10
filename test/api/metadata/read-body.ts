/** Reads a body as a document, for hostile JSON. */

import { readDocument } from "../../../src/api/metadata/uri/resolve.ts";

export const ID = "314592";
export const HEX_ID = "000000000000000000000000000000000000000000000000000000000004cce0";
/** The two required fields, for use in an object. */
export const SOUND = '"name": "n", "image": "https://i.example"';
export const bytes = (text: string, encoding: BufferEncoding = "utf8") => Buffer.from(text, encoding);

/** What is stored of a document; with a token id, of an ERC-1155 token. */
export function read(body: Buffer, tokenId = "") {
  const answer = readDocument(body, tokenId);
  if (answer.kind === "failed") return { failure: answer.reason, message: answer.message };
  const { metadata, issues } = answer.document;
  return { metadata, codes: issues.map(({ code }) => code) };
}
/** Under each of the two standards. */
export const both = (body: Buffer) => [read(body), read(body, ID)];
