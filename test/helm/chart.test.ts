import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv } from "ajv";
import { expect, inject, it, onTestFinished } from "vitest";
import { parse } from "yaml";

const ROOT = join(import.meta.dirname, "../..");
const CHART = join(ROOT, "deploy/helm/vitrine");
const MODULES = join(import.meta.dirname, "node_modules");

interface Document {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  // biome-ignore lint/suspicious/noExplicitAny: of any kind
  readonly spec: any;
}

const required = {
  existingSecret: "vitrine",
  baseUrl: "https://vitrine.example",
  mediaStore: "s3://pictures/vitrine",
  collections: { chains: [] },
};
const everything = {
  ...required,
  mediaStore: "file:/media",
  mediaClaim: "pictures",
  databaseCa: "rds",
  trustedProxies: "10.0.0.0/8",
  env: { SEARCH_MEMORY_MB: 500, AUTO_APPROVE: "market" },
  imagePullSecrets: [{ name: "registry" }],
  ingress: { enabled: true, className: "nginx", host: "vitrine.example", tlsSecret: "certificate" },
  serviceMonitor: { enabled: true, labels: { release: "prometheus" } },
  nodeSelector: { "kubernetes.io/os": "linux" },
  tolerations: [{ key: "nft", operator: "Exists" }],
  podAnnotations: { team: "market" },
};

function render(values: object): { documents: Document[]; error: string } {
  const { stdout, stderr } = spawnSync(inject("renderer"), [CHART, "shop", JSON.stringify(values)], {
    encoding: "utf8",
  });
  return { documents: stdout === "" ? [] : JSON.parse(stdout), error: stderr.trim() };
}

const ofKind = (documents: readonly Document[], kind: string): Document[] =>
  documents.filter((document) => document.kind === kind);

/** What is wrong with the documents by Kubernetes' own types, unknown fields included. */
function faults(documents: readonly Document[]): string {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-chart-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync(MODULES, join(folder, "node_modules"));
  const lines = documents.map((document, nth) => {
    const { apiVersion, kind } = document;
    const from = apiVersion.startsWith("monitoring.coreos.com")
      ? `@kubernetes-models/prometheus-operator/${apiVersion}`
      : `kubernetes-models/${apiVersion}`;
    return `import type { I${kind} as K${nth} } from "${from}";
export const d${nth}: K${nth} = ${JSON.stringify(document, null, 1)};`;
  });
  writeFileSync(join(folder, "documents.ts"), lines.join("\n"));
  const tsc = join(ROOT, "node_modules/.bin/tsc");
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2022"];
  return spawnSync(tsc, [...options, "documents.ts"], { cwd: folder, encoding: "utf8" }).stdout;
}

it("renders what Kubernetes knows, with the least and with all values", () => {
  for (const values of [required, everything]) {
    const { documents, error } = render(values);
    expect(error).toBe("");
    expect(documents.length).toBeGreaterThan(5);
    expect(faults(documents)).toBe("");
  }
});

it("would find a field that Kubernetes does not know", () => {
  const [document] = ofKind(render(required).documents, "PodDisruptionBudget");
  expect(faults([{ ...(document as Document), spec: { ...document?.spec, minAvailible: 1 } }])).toContain(
    "minAvailible",
  );
});

it("has one indexer that stops before the next one starts, and replicas that are never fewer", () => {
  const { documents } = render({ ...required, replicas: { count: 5, minAvailable: 4 } });
  const [indexer, replica] = ofKind(documents, "Deployment");
  expect(indexer?.spec).toMatchObject({ replicas: 1, strategy: { type: "Recreate" } });
  expect(replica?.spec).toMatchObject({
    replicas: 5,
    strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0 } },
  });
  const [budget] = ofKind(documents, "PodDisruptionBudget");
  expect(budget?.spec.minAvailable).toBe(4);
  expect(budget?.spec.selector).toEqual(replica?.spec.selector);
  expect(ofKind(render({ ...required, replicas: { count: 0 } }).documents, "Deployment")).toHaveLength(1);
});

it("runs every container without privileges, on a root file system that can't be written", () => {
  for (const { spec } of [
    ...ofKind(render(everything).documents, "Deployment"),
    ...ofKind(render(everything).documents, "Job"),
  ]) {
    const pod = spec.template.spec;
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
    });
    for (const container of pod.containers)
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
  }
});

it("asks the probes that the service has, and sends nobody to a pod whose chain is not indexed", () => {
  for (const { spec } of ofKind(render(required).documents, "Deployment")) {
    const [container] = spec.template.spec.containers;
    expect(container.livenessProbe.httpGet.path).toBe("/livez");
    expect(container.startupProbe.httpGet.path).toBe("/livez");
    expect(container.readinessProbe.httpGet.path).toBe("/ready");
  }
});

it("migrates before an installation and an upgrade, with a command that exists", () => {
  const [job] = ofKind(render(required).documents, "Job");
  expect(job?.metadata.annotations?.["helm.sh/hook"]).toBe("pre-install,pre-upgrade");
  const command: string[] = job?.spec.template.spec.containers[0].command;
  const help = spawnSync(process.execPath, [...command.slice(1), "--help"], { cwd: ROOT, encoding: "utf8" });
  expect(help.stderr).toContain("apply missing migrations");
});

it("takes secrets from a Secret that exists, and writes none", () => {
  const { documents } = render(everything);
  expect(ofKind(documents, "Secret")).toEqual([]);
  for (const { spec } of [...ofKind(documents, "Deployment"), ...ofKind(documents, "Job")])
    expect(spec.template.spec.containers[0].envFrom).toEqual([{ secretRef: { name: "vitrine" } }]);
});

it("sets variables that the README has, and mounts only volumes that the pod has", () => {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  for (const { spec } of ofKind(render(everything).documents, "Deployment")) {
    const pod = spec.template.spec;
    const names = pod.containers[0].env.map(({ name }: { name: string }) => name);
    expect(names.filter((name: string) => !readme.includes(`\`${name}\``))).toEqual([]);
    const volumes = pod.volumes.map(({ name }: { name: string }) => name);
    const mounts = pod.containers[0].volumeMounts.map(({ name }: { name: string }) => name);
    expect(mounts.toSorted()).toEqual(volumes.toSorted());
  }
});

it("gives each pod that asks the database the certificate of its authority, where DATABASE_URL expects it", () => {
  const { documents } = render({ ...required, databaseCa: "rds" });
  const docs = readFileSync(join(ROOT, "docs/deploy.md"), "utf8");
  const pods = [...ofKind(documents, "Deployment"), ...ofKind(documents, "Job")];

  expect(pods).toHaveLength(3);
  for (const { spec } of pods) {
    const { containers, volumes } = spec.template.spec;
    const { name } = volumes.find(
      ({ configMap }: { configMap?: { name: string } }) => configMap?.name === "rds",
    );
    const mount = containers[0].volumeMounts.find((each: { name: string }) => each.name === name);
    expect(mount).toMatchObject({ readOnly: true });
    expect(docs).toContain(`sslrootcert=${mount.mountPath}/ca.crt`);
  }
});

it("has all pods use one schema, which no argument overrides", () => {
  const { documents } = render({ ...required, databaseSchema: "vitrine_chain_2" });
  for (const { spec } of ofKind(documents, "Deployment")) {
    const [{ command = [], args = [], env }] = spec.template.spec.containers;
    expect(env).toContainEqual({ name: "DATABASE_SCHEMA", value: "vitrine_chain_2" });
    expect([...command, ...args]).not.toContain("--schema");
  }
});

it("starts pods anew when the collections change", () => {
  const sums = [{ chains: [] }, { chains: [1] }].map((collections) =>
    ofKind(render({ ...required, collections }).documents, "Deployment").map(
      ({ spec }) => spec.template.metadata.annotations["checksum/collections"],
    ),
  );
  expect(new Set(sums.flat()).size).toBe(2);
});

it("finds every pod with the service, and each by name with the headless one, which is scraped", () => {
  const { documents } = render(everything);
  const services = ofKind(documents, "Service");
  expect(services.map(({ spec }) => spec.clusterIP)).toEqual([undefined, "None"]);
  for (const { spec } of ofKind(documents, "Deployment"))
    for (const service of services)
      expect(spec.template.metadata.labels).toMatchObject(service.spec.selector);
  const [monitor] = ofKind(documents, "ServiceMonitor");
  expect(monitor?.spec.endpoints).toEqual([{ port: "http", path: "/metrics", interval: "15s" }]);
});

it("is scraped as the job that the alerts name", () => {
  const { documents } = render(everything);
  const [monitor] = ofKind(documents, "ServiceMonitor");
  const selected = Object.entries(monitor?.spec.selector.matchLabels);
  const scraped = ofKind(documents, "Service").filter(({ metadata: { labels = {} } }) =>
    selected.every(([name, value]) => labels[name] === value),
  );
  const rules = readFileSync(join(ROOT, "deploy/prometheus/vitrine.rules.yml"), "utf8");
  const jobs = new Set([...rules.matchAll(/\bjob="([^"]*)"/g)].map(([, job]) => job));

  expect(scraped).toHaveLength(1);
  expect(new Set(scraped.map(({ metadata }) => metadata.labels?.[monitor?.spec.jobLabel]))).toEqual(jobs);
});

it("logs JSON, by the image's own command for the indexer", () => {
  for (const { spec } of ofKind(render(required).documents, "Deployment")) {
    const [{ command = [], args = [] }] = spec.template.spec.containers;
    expect([...command, ...args].slice(-2)).toEqual(["--log-format", "json"]);
  }
  const [indexer] = ofKind(render(required).documents, "Deployment");
  expect(indexer?.spec.template.spec.containers[0].command).toBeUndefined();
});

it("refuses values that it does not have, and asks for those it needs", () => {
  const schema = JSON.parse(readFileSync(join(CHART, "values.schema.json"), "utf8"));
  const validate = new Ajv({ allowUnionTypes: true }).compile(schema);
  const defaults = parse(readFileSync(join(CHART, "values.yaml"), "utf8"));
  expect(validate({ ...defaults, ...everything }), JSON.stringify(validate.errors)).toBe(true);
  for (const wrong of [
    defaults,
    { ...defaults, ...required, replicas: { cuont: 3 } },
    { ...defaults, ...required, replica: {} },
    { ...defaults, ...required, baseUrl: "vitrine.example" },
    { ...defaults, ...required, mediaStore: "/media" },
    { ...defaults, ...required, databaseSchema: "Vitrine Chain" },
  ])
    expect(validate(wrong)).toBe(false);
  expect(new Set(Object.keys(schema.properties))).toEqual(new Set(Object.keys(defaults)));
  expect(render({ ...required, existingSecret: "" }).error).toContain(
    "existingSecret: a Secret with DATABASE_URL",
  );
});
