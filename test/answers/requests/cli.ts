/** `npx vitrine`: help and bad input, which need no service, and every command on a running one. */

import { type Command, command, type Request } from "../request.ts";

const say = (args: string, more: Omit<Command, "args"> = {}): Command =>
  command(args, { when: "offline", ...more });
const beside = (args: string, more: Omit<Command, "args"> = {}): Command =>
  command(args, { when: "beside", ...more });

const helps = [
  "",
  "keys",
  "keys create",
  "keys list",
  "keys rotate",
  "keys revoke",
  "login-link",
  "allowlist",
  "allowlist add",
  "allowlist remove",
  "allowlist list",
  "locks",
  "locks reconcile",
  "check",
  "traits",
  "traits pending",
  "traits approve",
  "refresh",
  "metadata",
  "metadata renormalise",
  "index",
  "index check",
  "index beside",
];

const document = JSON.stringify({
  name: "One",
  image: "ipfs://x/1.png",
  attributes: [{ trait_type: "A", value: 1 }],
});

export const cliOffline: Request[] = [
  ...helps.map((name) => say(`${name} --help`)),
  say("nothing"),
  say("keys create"),
  say("keys create --app x --api everything"),
  say("keys rotate x --grace never"),
  say("keys list"),
  say("keys list", {
    note: "no token",
    env: { VITRINE_OPERATOR_TOKEN: "", BASE_URL: "https://vitrine.example" },
  }),
  say("locks reconcile --page-size 501"),
  say("refresh"),
  say("refresh x --chain one"),
  say("refresh 1:0x1 --chain 2"),
  say("index beside --port 99999"),
  say("check"),
  say("check nowhere"),
  say("check -", { stdin: document }),
  say("--json check -", { stdin: document }),
  say("check -", { note: "no JSON", stdin: "{" }),
  say("check - --token-id 1", { stdin: document }),
  say("check http://10.0.0.1/1"),
  say("check http://x --token-id one"),
  say("check 31337:0x1:1"),
  say("check 31337:0x5fbdb2315678afecb367f032d93f642f64180aa3:1", { note: "no endpoint" }),
  say("check http://x --allow-host a/b"),
];

export const cli: Request[] = [
  command("keys create --app Terminal --api market", { save: { terminal_key: /(vk_\S+)/ } }),
  command(
    "--json keys create --app Terminal --api market,market-partner --collections {{chain}}:{{heroes}}",
    {
      save: { terminal_id: /"id":"([^"]+)"/ },
    },
  ),
  beside("keys create --app Terminal --api market --collections 1:0x1"),
  command("keys list"),
  command("keys rotate {{terminal_id}} --grace 1"),
  beside("keys rotate {{id}}"),
  command("keys revoke {{terminal_id}}"),
  beside("keys revoke x"),
  beside("keys list", {
    note: "a wrong token",
    env: { VITRINE_OPERATOR_TOKEN: "wrong-token-of-the-tests" },
  }),
  command("login-link"),
  command("allowlist add cli.example"),
  beside("allowlist add cli.example/x"),
  command("allowlist remove cli.example --collection {{chain}}:{{heroes}}"),
  command("allowlist list"),
  command("allowlist remove cli.example"),
  command("locks reconcile"),
  command("--json locks reconcile --collection {{heroes}} --page-size 20"),
  beside("locks reconcile --collection {{stranger}}"),
  command("traits pending"),
  beside("traits pending --collection {{items}}"),
  command("traits approve {{heroes}} Level number"),
  command("traits approve {{heroes}} Nothing bool"),
  command("refresh {{heroes}} 2 38 999"),
  command("--json refresh {{chain}}:{{heroes}} 3 --accept"),
  command("refresh {{heroes}} 2 --detach"),
  beside("refresh {{stranger}}"),
  beside("refresh {{heroes}} x"),
  command("metadata renormalise"),
  beside("check {{host}}/heroes/1"),
  beside("--json check {{host}}/heroes/37"),
  beside("check {{chain}}:{{heroes}}:38"),
  beside("check {{host}}/items/{id}.json --token-id 4", { note: "an ERC-1155" }),
  beside("check {{host}}/heroes/4 --allow-host 127.0.0.1"),
  beside("index check"),
];
