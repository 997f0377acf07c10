/** The control routes: change one document over HTTP, so that anyone at the demo can play the metadata owner. */
import type { IncomingMessage } from "node:http";
import type { MetadataHost } from "../metadata-host.ts";
import { type Answer, documentOf, isDocument, type Kind, parseJson } from "./answer.ts";

const BODY_BYTES_MAX = 1024 * 1024;
const METHODS = "GET, HEAD, PUT, PATCH, DELETE";

/** Applies PUT, PATCH or DELETE to one token's answer and reports the result. */
export const applyChange = async (
  host: MetadataHost,
  request: IncomingMessage,
  { kind, id }: { kind: Kind; id: bigint },
): Promise<Answer> => {
  if (request.method === "DELETE") {
    host.reset(kind, id);
    return { status: 204 };
  }
  if (request.method !== "PUT" && request.method !== "PATCH")
    return { status: 405, headers: { allow: METHODS } };

  const body = await readBody(request);
  if (body === undefined) return refuse(413, `the body is over ${BODY_BYTES_MAX} bytes`);
  const parsed = parseJson(body.toString());
  if (request.method === "PUT") {
    // Content that is not JSON keeps its own type, so that a wrong answer can be staged with a true content type.
    const contentType =
      parsed === undefined ? (request.headers["content-type"] ?? "text/plain") : "application/json";
    host.set(kind, id, { body, headers: { "content-type": contentType } });
    return { status: 204 };
  }

  if (!isDocument(parsed)) return refuse(400, "PATCH takes a JSON object of the fields to change");
  if (documentOf(host.get(kind, id)) === undefined)
    return refuse(409, "there is no document here to change; PUT one first");
  return { body: host.patch(kind, id, parsed) };
};

const refuse = (status: number, error: string): Answer => ({ status, body: { error } });

const readBody = async (request: IncomingMessage): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    // Read to the end all the same: closing early would reset the connection before the answer arrives.
    if (size <= BODY_BYTES_MAX) chunks.push(chunk as Buffer);
  }
  return size > BODY_BYTES_MAX ? undefined : Buffer.concat(chunks);
};
