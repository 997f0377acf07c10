/** What `npx vitrine index beside` says of a port; ../../e2e/index-beside.test.ts builds an index. */

import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { buildBeside } from "../../../bin/index/beside.ts";

it("names the option for a port that is taken, and for the one after the last", async () => {
  const other = createServer().listen(0);
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const beside = (port: number) => buildBeside({ port, onLine: () => undefined, onReady: () => undefined });
  try {
    await expect(beside(port)).rejects.toThrow(`port ${port} is in use; pass a free one with --port`);
  } finally {
    other.close();
  }
  await expect(beside(65_536)).rejects.toThrow(
    "port 65536 can't be listened on (ERR_SOCKET_BAD_PORT); pass another one with --port",
  );
});

it("names PORT where no port comes after it", async () => {
  vi.stubEnv("PORT", "65535");
  // Else the configuration would create both.
  vi.stubEnv("VITRINE_OPERATOR_TOKEN", "of-the-service-of-a-test");
  vi.stubEnv("VITRINE_SECRET", "-".repeat(32));
  vi.stubEnv("BASE_URL", "http://localhost:42069");
  onTestFinished(() => void vi.unstubAllEnvs());

  await expect(buildBeside({ onLine: () => undefined, onReady: () => undefined })).rejects.toThrow(
    new Error("PORT is 65535, and no port comes after it; pass another one with --port"),
  );
});
