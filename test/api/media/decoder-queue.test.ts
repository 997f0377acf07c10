/** A process has its next file queued, and that file does not suffer from the one before it. */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { createDecoder, type Decoder, type DecoderOptions } from "../../../src/api/media/decoder/decoder.ts";
import { eventually } from "../../support/eventually.ts";
import { gif, noise, png } from "./pictures.ts";

let decoder: Decoder | undefined;
afterEach(() => decoder?.close());

/** Ready, idle processes, and how long the slower of them took for a picture. */
async function start(options: Partial<DecoderOptions> = {}) {
  const losses: string[] = [];
  const processes = options.processes ?? 1;
  const made = createDecoder({ processes, onLoss: (cause) => losses.push(cause), ...options });
  decoder = made;
  const body = await picture();
  await Promise.all(Array.from({ length: processes }, () => made.decode("image", body)));
  await eventually(made.pids, (pids) => pids.length === processes);
  return { decoder: made, losses };
}

const picture = (): Promise<Buffer> => noise().jpeg({ quality: 50 }).toBuffer();
/** Takes seconds to decode. */
const slow = (): Buffer => gif(400, 480);

/** Blocks this process until the other has worked so long; none of its messages are read meanwhile. */
function standStillUntilWorked(pid: number, ms: number): void {
  const before = workedMs(pid);
  for (let slices = 0; slices < 600 && workedMs(pid) - before < ms; slices++) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  }
}

/** Processor time from `ps`, [[days-]hours:]minutes:seconds, or more precisely from Linux. */
function workedMs(pid: number): number {
  if (process.platform === "linux") {
    const [user = 0, system = 0] = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ")
      .slice(11, 13)
      .map(Number);
    return (user + system) * 10;
  }
  const time = execFileSync("ps", ["-o", "time=", "-p", String(pid)], { encoding: "utf8" });
  return time.split(/[-:]/).reduce((sum, part) => sum * 60 + Number(part), 0) * 1_000;
}

it("a file whose answer is still on its way is not to blame for what the next one did", async () => {
  const { decoder, losses } = await start();
  const body = await picture();
  const [pid = 0] = decoder.pids();
  process.kill(pid, "SIGSTOP");
  const first = decoder.decode("image", body);
  const poisoned = decoder.decode("image", slow());
  for (let round = 0; round < 2; round++) {
    const [pid = 0] = await eventually(decoder.pids, (pids) => pids.length > 0 && losses.length === round);
    process.kill(pid, "SIGSTOP");
    // Both files have been written and sent, on a busy machine too.
    await sleep(1_000);
    process.kill(pid, "SIGCONT");
    // The first is decoded, and the second started.
    standStillUntilWorked(pid, 1_000);
    process.kill(pid, "SIGKILL");
    await eventually(
      () => losses.length,
      (count) => count > round,
    );
  }

  expect(await first).toMatchObject({ kind: "image" });
  expect(await poisoned).toMatchObject({ message: "decoding ended the decoder 2 times" });
});

it("a file at hand is not to blame for the one that is decoded", async () => {
  const { decoder, losses } = await start();
  // The first takes a second, and is no animation; both exist before it starts, as making one takes as long.
  const [large, body] = [await png(7_000, 7_000), await picture()];
  const poisoned = decoder.decode("image", large);
  const next = decoder.decode("image", body);
  for (const round of [0, 1]) {
    const [pid = 0] = await eventually(decoder.pids, (pids) => pids.length > 0 && losses.length === round);
    process.kill(pid, "SIGKILL");
    await eventually(
      () => losses.length,
      (count) => count > round,
    );
  }

  expect(await poisoned).toMatchObject({ message: "decoding ended the decoder 2 times" });
  expect(await next).toMatchObject({ kind: "image" });
});

it("the time limit of a file begins when the one before it is done", async () => {
  // Mostly spent stopped; a decoder may wait long for a busy processor.
  const timeLimitMs = 12_000;
  const { decoder, losses } = await start({ timeLimitMs });
  const [pid = 0] = decoder.pids();
  const body = await picture();
  const first = decoder.decode("image", body);
  const second = decoder.decode("image", gif(30, 480));

  for (const each of [first, second]) {
    process.kill(pid, "SIGSTOP");
    await sleep(timeLimitMs * 0.55);
    process.kill(pid, "SIGCONT");
    expect(await each).toMatchObject({ kind: "image" });
  }

  expect(losses).toEqual([]);
});

it("no file is made to wait behind an animation while another process could take it", async () => {
  const { decoder } = await start({ processes: 2 });
  const body = await picture();
  const ends: string[] = [];
  const decode = async (name: string, bytes: Buffer): Promise<void> => {
    await decoder.decode("image", bytes);
    ends.push(name);
  };

  await Promise.all([decode("animation", slow()), ...["a", "b", "c", "d"].map((name) => decode(name, body))]);

  expect(ends.at(-1)).toBe("animation");
});

describe("a file that takes too much of the processor", () => {
  it("is refused with the limit, at once and not twice, and the next one is decoded", async () => {
    const { decoder, losses } = await start({ processorLimitMs: 500 });

    const late = decoder.decode("image", slow());
    const next = decoder.decode("image", await picture());

    const message = "decoding took over 500 ms of processor time";
    expect(await late).toEqual({ reason: "image_undecodable", message, isOpen: false });
    expect(await next).toMatchObject({ kind: "image" });
    expect(losses).toEqual(["time limit"]);
  });

  it("is not one that waits for the processor", async () => {
    const { decoder, losses } = await start({ processorLimitMs: 1_500 });
    const [pid = 0] = decoder.pids();
    const answer = decoder.decode("image", gif(60, 480));

    // It has started.
    await sleep(150);
    process.kill(pid, "SIGSTOP");
    await sleep(2_000);
    process.kill(pid, "SIGCONT");

    expect(await answer).toMatchObject({ kind: "image" });
    expect(losses).toEqual([]);
  });
});
