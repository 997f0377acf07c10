/**
 * A metadata host for the benches, in its own process: a document with ten traits for any path. POST /still and /new choose
 * whether a document stays as it was answered last or differs each time, which it does at first.
 */

import { createServer } from "node:http";

let answers = 0;
const latest = new Map<number, number>();
let isStill = false;

process.on("disconnect", () => process.exit());
const server = createServer(({ method, url }, response) => {
  if (method === "POST") {
    isStill = url === "/still";
    response.end();
    return;
  }
  const id = Number(url?.slice(1));
  if (!isStill) latest.set(id, ++answers);
  const attributes = Array.from({ length: 10 }, (_, trait) =>
    trait < 7
      ? { trait_type: `Trait ${trait}`, value: `Value ${(id * (trait + 3)) % 20}` }
      : { trait_type: `Trait ${trait}`, display_type: "number", value: (id * trait) % 100 },
  );
  const description = "A token among many, with as much to say about itself as tokens have.";
  response.setHeader("content-type", "application/json");
  response.end(
    JSON.stringify({
      name: `Token ${id}`,
      answers: latest.get(id),
      description,
      image: `https://img.example/${id}.png`,
      attributes,
    }),
  );
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address !== null && typeof address === "object") process.stdout.write(`${address.port}\n`);
});
