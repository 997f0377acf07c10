/** Speaks a decoder's protocol, and does what each file asks for. */

import { spawn } from "node:child_process";
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { type DecoderEvent, EVENTS_FD, type Job } from "../../../src/api/media/decoder/decoder-messages.ts";
import { readImage } from "../../../src/api/media/decoder/scratch-file.ts";

const send = (event: DecoderEvent): void => {
  writeSync(EVENTS_FD, `${JSON.stringify(event)}\n`);
};

const answer = (id: number): void =>
  send({ event: "answer", id, answer: { reason: "image_too_small", message: "honest" } });

const picture = (id: number, bytes = 8_388_608): void =>
  send({
    event: "picture",
    id,
    bytes,
    image: {
      kind: "image",
      extension: "png",
      format: "PNG",
      width: 480,
      height: 480,
      frames: 1,
      placeholder: null,
    },
  });

const tricks: Readonly<Record<string, (id: number) => void>> = {
  "is honest": answer,
  "says that it is ready again and again": () => setInterval(() => send({ event: "ready" }), 10),
  "answers for what it was not handed": (id) => setInterval(() => answer(id + 100), 10),
  "answers twice": (id) => {
    answer(id);
    answer(id);
  },
  "sends pictures without an end": (id) => setInterval(() => picture(id), 1),
  "sends variants without a picture": (id) => send({ event: "variants", id, variants: [] }),
  // The file itself is still in the place of the picture.
  "sends a picture and no more": (id) => picture(id, "sends a picture and no more".length),
  "says after its picture that its time is spent": (id) => {
    picture(id, "says after its picture that its time is spent".length);
    send({ event: "spent", id });
  },
  "ends after its picture": (id) => {
    picture(id, "ends after its picture".length);
    process.exit(1);
  },
  "leaves a process behind that holds its pipes": () => {
    const stdio = ["ignore", "ignore", "ignore", EVENTS_FD] as const;
    spawn(process.execPath, ["-e", "setTimeout(() => {}, 20_000)"], { stdio: [...stdio], detached: true });
    setTimeout(() => process.exit(1), 200);
  },
};

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const { id, place, bytes } = JSON.parse(line) as Job;
    const file = Buffer.alloc(bytes);
    readImage(place, file);
    tricks[file.toString()]?.(id);
  })
  .on("close", () => process.exit(0));
send({ event: "ready" });
