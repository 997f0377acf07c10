import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";

const root = new URL("../../../", import.meta.url);
const CLIENT = fileURLToPath(new URL("clients/typescript/src/index.ts", root));
// Beside the client, whose compiler options and types it needs.
const PROBE = fileURLToPath(new URL("clients/typescript/samples-of-the-reference.ts", root));

interface Operation {
  readonly operationId?: string;
  readonly security?: readonly object[];
  readonly "x-codeSamples"?: readonly { readonly label: string; readonly source: string }[];
}

const document = JSON.parse(readFileSync(new URL("openapi.json", root), "utf8")) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};
const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
const keyed = operations.filter(({ security }) => security?.some((scheme) => "ApiKeyAuth" in scheme));

it("stands at every operation that takes a key, and compiles against the client", () => {
  const samples = keyed.map((operation) => operation["x-codeSamples"]?.[0]?.source ?? "");
  expect(keyed.length).toBeGreaterThan(30);
  expect(samples.filter((source) => !source.includes("createVitrine"))).toEqual([]);

  const text = samples
    .map((source, index) =>
      source
        .replace(/^import .*$/m, "")
        .replace(/^/, `async function sample${index}() {\n`)
        .concat("}\nvoid ", `sample${index};\n`),
    )
    .join("\n");
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.dom.asynciterable.d.ts"],
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (path) => path === PROBE || fileExists(path);
  host.getSourceFile = (path, language) =>
    path === PROBE
      ? ts.createSourceFile(path, `import { createVitrine } from "./src/index.ts";\n${text}`, language)
      : getSourceFile(path, language);
  const program = ts.createProgram([CLIENT, PROBE], options, host);
  const problems = ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));

  expect(problems).toEqual([]);
});
