#!/usr/bin/env node
// npm links only JavaScript as a command; this loads the TypeScript beside it.
import { register } from "tsx/esm/api";

register();
const { switchToOwnNode } = await import("./own-node.ts");
await switchToOwnNode();
await import("./vitrine.ts");
