/** Decoder processes die, hang and are replaced; only the file at fault is affected. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { createDecoder, type Decoder, type DecoderOptions } from "../../../src/api/media/decoder/decoder.ts";
import { eventually } from "../../support/eventually.ts";
import { gif, noise, png } from "./pictures.ts";

let decoder: Decoder | undefined;
afterEach(() => decoder?.close());

function start(options: Partial<DecoderOptions> = {}) {
  const losses: string[] = [];
  decoder = createDecoder({ processes: 1, onLoss: (cause) => losses.push(cause), ...options });
  return { decoder, losses };
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
/** Takes a second to decode. */
const slow = (): Buffer => gif(150, 480);

async function kill(of: Decoder): Promise<void> {
  const [pid] = await eventually(of.pids, (pids) => pids.length > 0);
  if (pid !== undefined) process.kill(pid, "SIGKILL");
}

/** Waits until a process is ready: one that is still starting has no file to lose. */
async function atWork(of: Decoder): Promise<void> {
  await of.decode("image", await png(480, 480));
}

it("decodes from its sources where nothing has bundled it", async () => {
  vi.stubEnv("VITRINE_SERVING_BUNDLE", undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { decoder, losses } = start();

  expect(await decoder.decode("image", await png(480, 480))).toMatchObject({ kind: "image" });
  expect(losses).toEqual([]);
});

describe("a decoder that is killed under a file", () => {
  it("costs one retry, and nothing else", async () => {
    const { decoder, losses } = start();
    await atWork(decoder);
    const first = decoder.decode("image", slow());
    const others = [decoder.decode("image", await png(480, 480)), decoder.decode("image", await png(10, 10))];

    await kill(decoder);

    expect(await first).toMatchObject({ kind: "image", frames: 150 });
    expect(await Promise.all(others)).toMatchObject([{ kind: "image" }, { reason: "image_too_small" }]);
    expect(losses).toEqual(["SIGKILL"]);
  });

  it("twice refuses the file, and goes on with the next one", async () => {
    const { decoder, losses } = start();
    await atWork(decoder);
    const poisoned = decoder.decode("image", slow());
    const next = decoder.decode("image", await png(480, 480));
    const [before] = decoder.pids();
    await kill(decoder);
    await eventually(decoder.pids, ([pid]) => pid !== undefined && pid !== before);
    await kill(decoder);

    expect(await poisoned).toEqual({
      reason: "image_undecodable",
      message: "decoding ended the decoder 2 times",
      isOpen: true,
    });
    expect(await next).toMatchObject({ kind: "image" });
    expect(losses).toEqual(["SIGKILL", "SIGKILL"]);
  });

  it("while it rests costs nothing", async () => {
    const { decoder, losses } = start();
    await atWork(decoder);

    await kill(decoder);

    expect(await decoder.decode("image", await png(480, 480))).toMatchObject({ kind: "image" });
    expect(losses.length).toBeLessThanOrEqual(1);
  });
});

describe("a file that takes too long", () => {
  it("is refused with the limit, at once and not twice, and its process is gone", async () => {
    // A hundred times what the small picture below takes.
    const { decoder, losses } = start({ timeLimitMs: 1_000 });
    await atWork(decoder);
    const [pid = 0] = decoder.pids();

    const late = await decoder.decode("image", gif(400, 480));

    expect(late).toEqual({
      reason: "image_undecodable",
      message: "decoding took over 1000 ms",
      isOpen: true,
    });
    expect(losses).toEqual(["time limit"]);
    expect(isAlive(pid)).toBe(false);
    expect(await decoder.decode("image", await png(480, 480))).toMatchObject({ kind: "image" });
  });
});

describe("the decoder", () => {
  it("is used again, and by no more processes than it may", async () => {
    const { decoder } = start({ processes: 2 });
    const body = await noise().png().toBuffer();

    await Promise.all(Array.from({ length: 20 }, () => decoder.decode("image", body)));
    const pids = decoder.pids();
    await Promise.all(Array.from({ length: 20 }, () => decoder.decode("image", body)));

    expect(pids).toHaveLength(2);
    expect(decoder.pids()).toEqual(pids);
  });

  it("takes no more than so many files at once", async () => {
    const { decoder } = start();
    const body = await png(480, 480);

    const answers = await Promise.allSettled(Array.from({ length: 70 }, () => decoder.decode("image", body)));

    const refused = answers.filter(({ status }) => status === "rejected");
    expect(refused).toHaveLength(6);
    expect(refused[0]).toMatchObject({ reason: { message: "64 files wait already" } });
  });

  it("ends its processes after a rest, and starts anew", async () => {
    const { decoder, losses } = start({ idleMs: 50 });
    await atWork(decoder);

    await eventually(decoder.pids, (pids) => pids.length === 0);

    expect(await decoder.decode("image", await png(480, 480))).toMatchObject({ kind: "image" });
    expect(losses).toEqual([]);
  });

  it("leaves no process behind when it is closed in the middle, and answers the callers that wait", async () => {
    const { decoder } = start();
    await atWork(decoder);
    const [pid = 0] = decoder.pids();
    const answers = Promise.allSettled([decoder.decode("image", slow()), decoder.decode("image", slow())]);

    await decoder.close();

    expect((await answers).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(isAlive(pid)).toBe(false);
    await expect(decoder.decode("image", slow())).rejects.toThrow("the decoder is closed");
  });

  it("ends with its parent, though that had no time to say so", async () => {
    const script = fileURLToPath(new URL("./decoder-parent.ts", import.meta.url));
    const parent = spawn(process.execPath, ["--import", "tsx", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = await once(parent.stdout, "data");
    const pid = Number(String(line));
    expect(isAlive(pid)).toBe(true);

    parent.kill("SIGKILL");

    await eventually(
      () => isAlive(pid),
      (alive) => !alive,
    );
  });

  it("is stopped by no Ctrl-C, which its parent may survive", async () => {
    const { decoder, losses } = start();
    await atWork(decoder);
    const answer = decoder.decode("image", slow());

    for (const signal of ["SIGINT", "SIGTERM"] as const) process.kill(decoder.pids()[0] ?? 0, signal);

    expect(await answer).toMatchObject({ kind: "image" });
    expect(losses).toEqual([]);
  });
});
