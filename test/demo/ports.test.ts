/** Each port goes to one service, however many processes of a machine ask. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { afterEach, expect, it, onTestFinished } from "vitest";
import { choosePort, freePort, takePort } from "../../demo/ports.ts";

const RIVAL_PORTS = 30;

const processes: ChildProcess[] = [];
afterEach(() => {
  for (const each of processes.splice(0)) each.kill("SIGKILL");
});

/** Another process that requests the same ports in order, reports which it got, and keeps running. */
async function startRival(ports: readonly number[]): Promise<{ given: number[]; process: ChildProcess }> {
  const script = `
    import { takePort } from ${JSON.stringify(new URL("../../demo/ports.ts", import.meta.url).href)};
    const given = [];
    for (const port of ${JSON.stringify(ports)}) if (await takePort(port)) given.push(port);
    console.log(JSON.stringify(given));
    process.stdin.resume();`;
  const rival = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", script], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  processes.push(rival);
  const [line] = await once(rival.stdout, "data");
  return { given: JSON.parse(String(line)), process: rival };
}

const listen = async (port: number): Promise<number> => {
  const server = createServer().listen(port);
  onTestFinished(() => {
    server.close();
  });
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
};

it("a port is given to one of two processes that ask at once, until that one is gone", async () => {
  // Distinct from those of a concurrent run of this test.
  const first = 10_000 + ((process.pid * RIVAL_PORTS) % 9_000);
  const ports = Array.from({ length: RIVAL_PORTS }, (_, index) => first + index);

  const [one, other] = await Promise.all([startRival(ports), startRival(ports)]);

  expect([...one.given, ...other.given].toSorted()).toEqual(ports);
  const [port] = one.given.length > 0 ? one.given : other.given;
  expect(await takePort(port as number)).toBe(false);
  for (const rival of [one, other]) {
    rival.process.kill("SIGKILL");
    await once(rival.process, "exit");
  }
  expect(await takePort(port as number)).toBe(true);
});

it("a port is given once in a process, and can be listened on by the service that it is for", async () => {
  const ports = await Promise.all(Array.from({ length: 20 }, freePort));

  expect(new Set(ports).size).toBe(20);
  expect(await listen(ports[0] as number)).toBe(ports[0]);
});

it("a port that somebody listens on, who never asked for it, is not given", async () => {
  expect(await takePort(await listen(0))).toBe(false);
});

it("a port that a connection has just left is not given, since the service could not listen there", async () => {
  const socket = connect(await listen(0), "127.0.0.1");
  await once(socket, "connect");
  const { localPort } = socket;
  socket.destroy();
  await once(socket, "close");

  expect(await takePort(localPort as number)).toBe(false);
});

it.runIf(existsSync("/proc/sys/net/ipv4/ip_local_port_range"))(
  "a free port is none that the system gives to a connection or a listener by itself",
  async () => {
    const range = readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "utf8")
      .trim()
      .split(/\s+/)
      .map(Number);

    expect(await freePort()).toBeLessThan(range[0] as number);
  },
);

it("a port that is asked for by number is taken, or refused in a sentence where another service has it", async () => {
  const server = createServer().listen(0);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  await expect(choosePort(String(port))).rejects.toThrow(
    `port ${port} (PORT) is in use, or may not be listened on; choose another`,
  );
  server.close();
  await once(server, "close");
  expect(await choosePort(String(port))).toBe(port);
});

it("PORT may be as high as ports are", async () => {
  expect(await choosePort("65535")).toBe(65_535);
});

it.each(["abc", "0", "65536", "1.5", "-1"])("PORT=%s is refused with its range", async (given) => {
  await expect(choosePort(given)).rejects.toThrow(
    `PORT must be a whole number from 1 to 65535; it is "${given}"`,
  );
});
