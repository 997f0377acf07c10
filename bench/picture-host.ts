/** A host of pictures for the benches, in its own process: another picture for each number in the path. */

import { createServer } from "node:http";
import { pictures } from "./pictures.ts";

const picture = await pictures();
process.on("disconnect", () => process.exit());
const server = createServer(({ url }, response) => {
  response.setHeader("content-type", "image/png");
  response.end(picture(Number(url?.slice(1))));
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address !== null && typeof address === "object") process.stdout.write(`${address.port}\n`);
});
