/** A decoder's messages and the disk between it and the service may be corrupt; neither is blamed on a file. */

import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  MEDIA_BYTES_MAX,
  PICTURE_BYTES_MAX,
  VARIANTS_BYTES_MAX,
} from "../../../src/api/media/checks/limits.ts";
import { createDecoder, type Decoder } from "../../../src/api/media/decoder/decoder.ts";
import { type DecoderEvent, readEvents } from "../../../src/api/media/decoder/decoder-messages.ts";
import { eventually } from "../../support/eventually.ts";
import { png } from "./pictures.ts";

let decoder: Decoder | undefined;
afterEach(async () => {
  vi.unstubAllEnvs();
  await decoder?.close();
});

function read() {
  const pipe = new PassThrough();
  const events: DecoderEvent[] = [];
  const faults: unknown[] = [];
  readEvents(
    pipe,
    (event) => events.push(event),
    () => faults.push("fault"),
  );
  return { pipe, events, faults };
}

const image = {
  kind: "image",
  extension: "png",
  format: "PNG",
  width: 500,
  height: 500,
  frames: 1,
  placeholder: null,
};

describe("the events of a decoder", () => {
  it("are read whole, however the pipe cuts them", async () => {
    const { pipe, events, faults } = read();
    const refusal = { reason: "image_too_small", message: "479x480 \u{1F5BC}, at least 480x480" };
    const sent = [
      { event: "ready" },
      { event: "spent", id: 1 },
      {
        event: "picture",
        id: 1,
        bytes: 10,
        image: { ...image, placeholder: "1QcSHQRnh493V4dIh4eXh1h4kJUI" },
      },
      { event: "variants", id: 1, variants: [{ side: 480, bytes: 8 }] },
      { event: "variants", id: 1, variants: null },
      { event: "answer", id: 2, answer: refusal },
      { event: "answer", id: 3, answer: { kind: "video", format: "MP4", width: 480, height: 480 } },
      { event: "failure", id: 4, message: "the disk is full" },
    ];

    for (const byte of Buffer.from(sent.map((each) => `${JSON.stringify(each)}\n`).join("")))
      pipe.write(Buffer.of(byte));

    await vi.waitFor(() => expect(events).toEqual(sent));
    expect(faults).toEqual([]);
  });

  it.each([
    ["no JSON", "{"],
    ["an unknown event", '{"event":"done"}'],
    ["an unknown reason", '{"event":"answer","id":1,"answer":{"reason":"no","message":""}}'],
    ["a picture without bytes", JSON.stringify({ event: "picture", id: 1, bytes: 0, image })],
    [
      "a picture over the limit",
      JSON.stringify({ event: "picture", id: 1, bytes: PICTURE_BYTES_MAX + 1, image }),
    ],
    [
      "a picture of another kind",
      JSON.stringify({ event: "picture", id: 1, bytes: 1, image: { ...image, extension: "svg" } }),
    ],
    [
      "variants over the limit together",
      JSON.stringify({
        event: "variants",
        id: 1,
        variants: [480, 240].map((side) => ({ side, bytes: VARIANTS_BYTES_MAX / 2 + 1 })),
      }),
    ],
    [
      "a placeholder that is no base64",
      JSON.stringify({ event: "picture", id: 1, bytes: 1, image: { ...image, placeholder: "<script>" } }),
    ],
  ])("end with %s", async (_, line) => {
    const { pipe, events, faults } = read();

    pipe.write(`${line}\n{"event":"ready"}\n`);

    await vi.waitFor(() => expect(faults).toEqual(["fault"]));
    expect(events).toEqual([]);
    expect(pipe.destroyed).toBe(true);
  });

  it("end with a line that has no end", async () => {
    const { pipe, faults } = read();

    pipe.write("x".repeat(20_000));

    await vi.waitFor(() => expect(faults).toEqual(["fault"]));
  });
});

describe("a decoder that was taken over by a file", () => {
  const program = fileURLToPath(new URL("./rogue-decoder.ts", import.meta.url));

  it.each([
    "says that it is ready again and again",
    "answers for what it was not handed",
    "answers twice",
    "sends pictures without an end",
    "sends variants without a picture",
    "leaves a process behind that holds its pipes",
  ])("is ended, and holds up neither the next file nor the end of the service: %s", async (file) => {
    const losses: string[] = [];
    decoder = createDecoder({ processes: 1, program, onLoss: (cause) => losses.push(cause) });
    await decoder.decode("image", Buffer.from("is honest"));

    // Whatever it is: a decoder may answer anything for its own file.
    const answer = decoder.decode("image", Buffer.from(file));
    const next = decoder.decode("image", Buffer.from("is honest"));

    await answer;
    expect(await next).toMatchObject({ reason: "image_too_small", message: "honest" });
    expect(await eventually(() => losses[0], Boolean)).toMatch(/^it spoke out of turn$|^exit code 1$/);
    await decoder.close();
  });
});

describe("a file whose variants explode", () => {
  const program = fileURLToPath(new URL("./rogue-decoder.ts", import.meta.url));

  it.each<[string, string, number, null | []]>([
    // Not worth another attempt: the same bytes take as long again.
    ["takes its processor time", "says after its picture that its time is spent", 60_000, []],
    ["takes until the time limit", "sends a picture and no more", 300, null],
    ["ends the decoder", "ends after its picture", 60_000, null],
  ])("keeps its picture: it %s", async (_name, file, timeLimitMs, variants) => {
    const losses: string[] = [];
    decoder = createDecoder({ processes: 1, program, timeLimitMs, onLoss: (cause) => losses.push(cause) });

    const decoded = await decoder.decode("image", Buffer.from(file));

    expect(decoded).toMatchObject({ kind: "image", format: "PNG", width: 480, variants });
    expect("bytes" in decoded && decoded.bytes.length).toBe(file.length);
    expect(losses).toHaveLength(1);
    expect(await decoder.decode("image", Buffer.from("is honest"))).toMatchObject({ message: "honest" });
  });
});

describe("the decoder", () => {
  it("rejects when there is no room for files to be handed over, and works again when there is", async () => {
    decoder = createDecoder({ processes: 1 });
    const body = await png(480, 480);
    vi.stubEnv("TMPDIR", "/nowhere");

    await expect(decoder.decode("image", body)).rejects.toThrow("the decoder can't be started (ENOENT");

    vi.unstubAllEnvs();
    expect(await decoder.decode("image", body)).toMatchObject({ kind: "image" });
  });

  it("leaves everything to the process that it has when another one can't be started", async () => {
    const losses: string[] = [];
    decoder = createDecoder({ processes: 2, onLoss: (cause) => losses.push(cause) });
    const body = await png(480, 480);
    await decoder.decode("image", body);
    vi.stubEnv("TMPDIR", "/nowhere");

    const answers = await Promise.all(Array.from({ length: 8 }, () => decoder?.decode("image", body)));

    expect(answers).toMatchObject(answers.map(() => ({ kind: "image" })));
    expect(decoder.pids()).toHaveLength(1);
    // Not repeated for each file.
    expect(losses).toEqual([expect.stringContaining("it can't be started (ENOENT")]);
  });

  it("starts another process at once when its only one ends, though one couldn't be started just before", async () => {
    const losses: string[] = [];
    decoder = createDecoder({ processes: 2, onLoss: (cause) => losses.push(cause) });
    const body = await png(480, 480);
    await decoder.decode("image", body);
    const [pid = 0] = decoder.pids();
    process.kill(pid, "SIGSTOP");
    vi.stubEnv("TMPDIR", "/nowhere");
    const answers = Promise.all(Array.from({ length: 2 }, () => decoder?.decode("image", body)));
    expect(losses).toEqual([expect.stringContaining("it can't be started (ENOENT")]);

    vi.unstubAllEnvs();
    process.kill(pid, "SIGKILL");

    expect(await answers).toMatchObject([{ kind: "image" }, { kind: "image" }]);
  });

  it("takes no file over the limit, which it would have to cut", async () => {
    decoder = createDecoder({ processes: 1 });

    await expect(decoder.decode("image", Buffer.alloc(MEDIA_BYTES_MAX + 1))).rejects.toThrow(
      "1048577 bytes are more than fit",
    );
  });
});
