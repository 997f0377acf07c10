import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { DEFAULT_SCHEMA } from "../../bin/ponder-process.ts";
import { makeFolder } from "../support/folder.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

interface Service {
  readonly image?: string;
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly depends_on?: readonly string[] | Readonly<Record<string, unknown>>;
}
const compose = parse(read("deploy/compose.yaml"), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, null>>;
};
const services = Object.entries(compose.services);

/** What the Dockerfile copies into the image from this repository. */
const copied = [...read("Dockerfile").matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = ""]) =>
  names.split(" ").map((name) => name.replace(/^\.\//, "")),
);

it("copies into the image only what is there, and what .dockerignore lets through", () => {
  const allowed =
    read(".dockerignore")
      .match(/^!.+$/gm)
      ?.map((line) => line.slice(1)) ?? [];
  expect(copied.length).toBeGreaterThan(10);
  expect(copied.filter((name) => !existsSync(join(ROOT, name)))).toEqual([]);
  expect(new Set(copied)).toEqual(new Set(allowed));
});

it("has everything in the image that the service reads outside of src", () => {
  expect(copied).toEqual(
    expect.arrayContaining(["vendor", "abis", "bin", "src", "ponder.config.ts", "patches"]),
  );
});

it("sets variables that exist, and mounts volumes and files that exist", () => {
  const readme = read("README.md");
  const vitrine = services.filter(([, { image }]) => image === "vitrine");
  expect(vitrine.map(([name]) => name)).toEqual(["indexer", "replica-1", "replica-2"]);
  const unknown = vitrine.flatMap(([, { environment = {} }]) =>
    Object.keys(environment).filter((name) => !readme.includes(`\`${name}\``)),
  );
  expect(unknown).toEqual([]);

  const sources = services.flatMap(([, { volumes = [] }]) => volumes.map((each) => each.split(":")[0] ?? ""));
  const files = sources.filter((name) => name.startsWith("./") && name !== "./collections.json");
  expect(files.filter((name) => !existsSync(join(ROOT, "deploy", name)))).toEqual([]);
  const named = sources.filter((name) => !name.startsWith("./"));
  expect(new Set(named)).toEqual(new Set(Object.keys(compose.volumes)));
  const needed = services.flatMap(([, { depends_on = [] }]) =>
    Array.isArray(depends_on) ? depends_on : Object.keys(depends_on),
  );
  expect(needed.filter((name) => !(name in compose.services))).toEqual([]);
});

it("has the indexer and its replicas use one schema, which deploy/.env may name", () => {
  const vitrine = services.filter(([, { image }]) => image === "vitrine");
  expect(vitrine.map(([, { environment }]) => environment?.DATABASE_SCHEMA)).toEqual(
    vitrine.map(() => `\${DATABASE_SCHEMA:-${DEFAULT_SCHEMA}}`),
  );
  // It would come before the variable.
  expect(vitrine.flatMap(([, { entrypoint = [] }]) => entrypoint)).not.toContain("--schema");
});

it("logs JSON, as docs/operations.md says", () => {
  const vitrine = services.filter(([, { image }]) => image === "vitrine");
  expect(vitrine.map(([, { command }]) => command)).toEqual(vitrine.map(() => ["--log-format", "json"]));
});

it("has the command in the image as `vitrine`, from any folder and by any account", () => {
  const [, target = "", link = ""] = /^RUN ln -s \/app\/(\S+) (\S+)$/m.exec(read("Dockerfile")) ?? [];
  const folder = makeFolder();
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync(join(ROOT, target), join(folder, "vitrine"));

  // As a shell starts it, by the file's mode and first line.
  const { status, stderr } = spawnSync(join(folder, "vitrine"), ["--help"], {
    cwd: folder,
    encoding: "utf8",
  });

  expect(link).toBe("/usr/local/bin/vitrine");
  expect(stderr).toContain("Operates a running Vitrine service");
  expect(status).toBe(0);
});

it("scrapes the services of the composition", () => {
  const targets = [...read("deploy/prometheus/prometheus.yml").matchAll(/"([\w-]+):42069"/g)].map(
    ([, host]) => host,
  );
  expect(targets).toEqual(["indexer", "replica-1", "replica-2"]);
});

it("gives the service's account the folders in which volumes are mounted, as a new volume has the owner of its folder", () => {
  const [, made = "", owned = ""] =
    /^RUN mkdir -p (.+) && chown node:node (.+)$/m.exec(read("Dockerfile")) ?? [];
  const mounted = services
    .filter(([, { image }]) => image === "vitrine")
    .flatMap(([, { volumes = [] }]) => volumes.map((each) => each.split(":")))
    .filter(([source = ""]) => source in compose.volumes)
    .map(([, target]) => target);

  expect(new Set(mounted)).toEqual(new Set(["/media"]));
  for (const folders of [made, owned]) expect(folders.split(" ")).toEqual(expect.arrayContaining(mounted));
});

it("shows the dashboard in Grafana, with the data of Prometheus", () => {
  const provisioned = (path: string): unknown => parse(read(`deploy/grafana/provisioning/${path}`));
  const mounted = new Map(
    services.flatMap(([, { volumes = [] }]) =>
      volumes.map((each) => each.split(":").slice(0, 2) as [string, string]),
    ),
  );

  expect(mounted.get("./grafana/provisioning")).toBe("/etc/grafana/provisioning");
  expect(mounted.get("./grafana/vitrine.json")).toBe("/etc/grafana/dashboards/vitrine.json");
  expect(provisioned("dashboards/vitrine.yml")).toMatchObject({
    providers: [{ type: "file", options: { path: "/etc/grafana/dashboards" } }],
  });
  expect(provisioned("datasources/prometheus.yml")).toMatchObject({
    datasources: [{ type: "prometheus", url: "http://prometheus:9090", isDefault: true }],
  });
  expect(compose.services.prometheus).toBeDefined();
});
