#!/usr/bin/env node
// npm links only JavaScript as a command; this loads the TypeScript beside it.
import { register } from "tsx/esm/api";

register();
const { useOwnNode } = await import("./own-node.ts");
await useOwnNode();
await import("./vitrine.ts");
