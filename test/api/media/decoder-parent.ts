/** A process with a decoder that prints its id and waits to be killed. */

import { createDecoder } from "../../../src/api/media/decoder/decoder.ts";
import { png } from "./pictures.ts";

const decoder = createDecoder({ processes: 1 });
await decoder.decode("image", await png(480, 480));
process.stdout.write(`${decoder.pids()[0]}\n`);
setInterval(() => {}, 60_000);
