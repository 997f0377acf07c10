import { randomBytes } from "node:crypto";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { startChain } from "../../../demo/chain.ts";
import { createWalletProof } from "../../../src/api/access/sign-in/wallet-proof.ts";
import { createChainClients } from "../../../src/api/chain/rpc/clients.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { BASE_URL, createTestApp, FAR_CHAIN_ID, SECRET } from "../../support/processes/app.ts";
import { CHAIN_ID } from "../../support/refresh/refresh.ts";
import { createVisitor } from "./visitor.ts";

const test = await createTestDatabase();
const { database } = test;
const chain = await startChain();
afterAll(() => chain.close());
const proofAt = (url: string) =>
  createWalletProof({
    baseUrl: BASE_URL,
    clients: createChainClients([{ id: CHAIN_ID, rpcUrls: [url] }]),
  });
const api = createTestApp(test, { proof: proofAt(chain.rpcUrl) });
/** The same service, while its node is away. */
const cutOff = createTestApp(test, { proof: proofAt("http://127.0.0.1:1") });
const wallet = privateKeyToAccount(generatePrivateKey());

beforeEach(() =>
  database.query(
    "truncate vitrine.rate_limit, vitrine.session, vitrine.sign_in_nonce, vitrine.login_link, vitrine.audit",
  ),
);

/** The text that the service issues for a wallet. */
async function messageFor(visitor: ReturnType<typeof createVisitor>): Promise<string> {
  const { text } = await visitor.json("/console/sign-in/message", { address: wallet.address, chainId: 1 });
  return (JSON.parse(text) as { message: string }).message;
}

describe("a wallet", () => {
  it("signs in with its signature, and is seen by its address", async () => {
    const visitor = createVisitor(api);

    expect((await visitor.signIn(wallet)).status).toBe(200);

    const { status, text } = await visitor.get("/console");
    expect(status).toBe(200);
    expect(text).toContain(`title="${wallet.address.toLowerCase()}"`);
    expect(text).not.toContain("/console/operator");
  });

  it("is an operator when OPERATOR_ADDRESSES names it", async () => {
    const operators = new Set([wallet.address.toLowerCase()]);
    const visitor = createVisitor(createTestApp(test, { config: { operatorAddresses: operators } }));
    await visitor.signIn(wallet);

    expect((await visitor.get("/console/operator")).status).toBe(200);
    await visitor.createApp("Ours");
    expect(await database.query("select owner, tier from vitrine.app")).toEqual([
      { owner: wallet.address.toLowerCase(), tier: "advanced" },
    ]);
  });

  it.each([
    [
      "another wallet's signature",
      async (message: string) => privateKeyToAccount(generatePrivateKey()).signMessage({ message }),
    ],
    ["the signature of another text", () => wallet.signMessage({ message: "something else" })],
    ["text that is no signature", async () => "0xnonsense"],
    ["an empty signature", async () => "0x"],
  ])("is not signed in by %s", async (_what, sign) => {
    const visitor = createVisitor(api);
    const message = await messageFor(visitor);

    const { status } = await visitor.json("/console/sign-in", { message, signature: await sign(message) });

    expect(status).toBe(401);
    expect(visitor.cookie).toBe("");
  });

  it.each([
    ["made for another site", (message: string) => message.replace(/^localhost:42069/, "evil.example")],
    [
      "that names another address on this site",
      (message: string) => message.replace("/console\n", "/elsewhere\n"),
    ],
    ["with another statement", (message: string) => message.replace("Sign in to", "Hand over")],
    ["with a nonce of its own", (message: string) => message.replace(/Nonce: .*/, "Nonce: 0123456789abcdef")],
    [
      "that has ended",
      (message: string) =>
        message.replace(/Expiration Time: .*/, "Expiration Time: 2020-01-01T00:00:00.000Z"),
    ],
    [
      "whose end was put off by a hundred years",
      (message: string) => message.replace(/(Expiration Time: )\d{4}/, "$12126"),
    ],
    ["that names another chain", (message: string) => message.replace("Chain ID: 1\n", "Chain ID: 5\n")],
    [
      "that names a resource",
      (message: string) => `${message}\nResources:\n- https://evil.example/everything`,
    ],
    ["that never ends", (message: string) => message.replace(/\nExpiration Time: .*/, "")],
    ["that is none", () => "hello"],
  ])("is not signed in by a message %s, though it has signed it", async (_what, change) => {
    const visitor = createVisitor(api);
    const message = change(await messageFor(visitor));

    const { status } = await visitor.json("/console/sign-in", {
      message,
      signature: await wallet.signMessage({ message }),
    });

    expect(status).toBe(401);
    expect(visitor.cookie).toBe("");
  });

  it("stays signed in while VITRINE_SECRET changes, for as long as the one before is known", async () => {
    const before = createVisitor(api);
    await before.signIn(wallet);
    const next = randomBytes(32).toString("hex");
    const statusUnder = async (secrets: { current: string; previous: string | undefined }) => {
      const visitor = createVisitor(createTestApp(test, { config: { secrets } }));
      visitor.cookie = before.cookie;
      return (await visitor.get("/console")).status;
    };

    expect(await statusUnder({ current: next, previous: SECRET })).toBe(200);
    expect(await statusUnder({ current: next, previous: undefined })).toBe(303);
  });

  it("is not signed in twice by one message", async () => {
    const visitor = createVisitor(api);
    const message = await messageFor(visitor);
    const proof = { message, signature: await wallet.signMessage({ message }) };

    const statuses = [
      await visitor.json("/console/sign-in", proof),
      await visitor.json("/console/sign-in", proof),
    ];

    expect(statuses.map(({ status }) => status)).toEqual([200, 401]);
  });
});

describe("an operator's link", () => {
  it("signs one browser in, once, and only when its button is pressed", async () => {
    const { token } = await api.sessions.makeLink("tests");
    const [first, second] = [createVisitor(api), createVisitor(api)];
    for (let times = 0; times < 3; times++)
      expect((await first.get(`/console/login/${token}`)).status).toBe(200);

    expect((await first.post(`/console/login/${token}`)).location).toBe("/console/operator");
    expect((await second.post(`/console/login/${token}`)).status).toBe(401);

    expect((await first.get("/console/operator")).status).toBe(200);
    expect(
      await database.query("select action, subject, detail from vitrine.audit order by id desc limit 1"),
    ).toEqual([{ action: "sessions.start", subject: "operator", detail: { how: "link" } }]);
  });

  it("is over after ten minutes", async () => {
    const { token } = await api.sessions.makeLink("tests");
    await database.query("update vitrine.login_link set expires_at = expires_at - interval '601 seconds'");

    expect((await createVisitor(api).post(`/console/login/${token}`)).status).toBe(401);
  });

  it("can't be guessed: ten wrong ones a minute, and the client's address gets 429", async () => {
    const visitor = createVisitor(api, "198.51.100.77");
    for (let attempt = 0; attempt < 10; attempt++)
      expect((await visitor.post(`/console/login/vl_${String(attempt).padStart(64, "0")}`)).status).toBe(401);
    const { token } = await api.sessions.makeLink("tests");

    expect((await visitor.post(`/console/login/vl_${"f".repeat(64)}`)).status).toBe(429);
    // The right one is accepted all the same: the wrong ones may be somebody else's behind the same address.
    expect((await visitor.post(`/console/login/${token}`)).status).toBe(303);
  });
});

describe("wrong proofs from a shared address", () => {
  it("don't keep a right signature out, and at once no more than ten are answered 401", async () => {
    const from = "198.51.100.78";
    const wrong = await Promise.all(
      Array.from({ length: 15 }, async () => {
        const visitor = createVisitor(api, from);
        const message = await messageFor(visitor);
        const signature = await wallet.signMessage({ message: "something else" });
        return visitor.json("/console/sign-in", { message, signature });
      }),
    );
    const statuses = wrong.map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(5);

    const right = await Promise.all(
      Array.from({ length: 15 }, () => createVisitor(api, from).signIn(wallet)),
    );
    expect(right.map(({ status }) => status)).toEqual(right.map(() => 200));
    expect(
      await database.query(
        "select from vitrine.audit where action not in ('sessions.start', 'login_links.create')",
      ),
    ).toHaveLength(1);
  });
});

describe("a contract's wallet", () => {
  it("gets 503 while the node is away, however often it tries, and signs in with the same signature once it is back", async () => {
    const from = "198.51.100.79";
    const { address } = await chain.deploy("ContractWallet", [wallet.address]);
    const visitor = createVisitor(cutOff, from);
    const { text } = await visitor.json("/console/sign-in/message", { address, chainId: 1 });
    const { message } = JSON.parse(text) as { message: string };
    const proof = { message, signature: await wallet.signMessage({ message }) };

    for (let attempt = 0; attempt < 12; attempt++) {
      const answer = await visitor.json("/console/sign-in", proof);
      expect(answer.status).toBe(503);
      expect(answer.headers.get("retry-after")).toBe("5");
      expect(answer.text).toContain("can't be checked now");
    }
    // The node is back: the same message signs in, and none of the tries counts as wrong.
    const back = createVisitor(api, from);
    expect((await back.json("/console/sign-in", proof)).status).toBe(200);
    const wrong = { message, signature: await wallet.signMessage({ message: "something else" }) };
    for (let attempt = 0; attempt < 10; attempt++)
      expect((await back.json("/console/sign-in", wrong)).status).toBe(401);
    expect((await back.json("/console/sign-in", wrong)).status).toBe(429);
  });

  it("doesn't keep those with a key out while the node is away", async () => {
    expect((await createVisitor(cutOff).signIn(wallet)).status).toBe(200);
  });
});

describe("a signature that the address doesn't confirm", () => {
  const SAME_CHAIN = "the signature is not that of the wallet that the message names";
  // The node where contract wallets are checked has no contract at the wallet's address.
  const elsewhere = privateKeyToAccount(generatePrivateKey()).address;
  const refusalOf = async (app: typeof api, address: string, chainId: number, from: string) => {
    const visitor = createVisitor(app, from);
    const { text } = await visitor.json("/console/sign-in/message", { address, chainId });
    const { message } = JSON.parse(text) as { message: string };
    const signature = await wallet.signMessage({ message });
    const answer = await visitor.json("/console/sign-in", { message, signature });
    return { status: answer.status, details: JSON.parse(answer.text).details };
  };

  it("of a contract wallet of another chain is refused with the chain on which those are checked", async () => {
    const far = await startChain({ chainId: FAR_CHAIN_ID });
    onTestFinished(() => far.close());
    // At an address that has no contract on the chain that is asked.
    let address = "";
    do ({ address } = await far.deploy("ContractWallet", [wallet.address]));
    while ((await chain.publicClient.getCode({ address: address as `0x${string}` })) !== undefined);
    const proof = createWalletProof({
      baseUrl: BASE_URL,
      clients: createChainClients([
        { id: FAR_CHAIN_ID, rpcUrls: [far.rpcUrl] },
        { id: CHAIN_ID, rpcUrls: [chain.rpcUrl] },
      ]),
    });
    const both = createTestApp(test, { proof });

    expect(await refusalOf(both, address, FAR_CHAIN_ID, "198.51.100.80")).toEqual({
      status: 401,
      details: [
        {
          path: "",
          message: `the signature is not by the key of the wallet that the message names; contract wallets are checked on chain ${CHAIN_ID} only, and the message names chain ${FAR_CHAIN_ID}`,
        },
      ],
    });
  });

  it("says the same whether there is a contract or not, and what is false only of the chain that is asked", async () => {
    const { address } = await chain.deploy("ContractWallet", [
      privateKeyToAccount(generatePrivateKey()).address,
    ]);
    const from = "198.51.100.81";

    expect(await refusalOf(api, address, FAR_CHAIN_ID, from)).toEqual(
      await refusalOf(api, elsewhere, FAR_CHAIN_ID, from),
    );
    for (const wrong of [address, elsewhere])
      expect((await refusalOf(api, wrong, CHAIN_ID, from)).details).toEqual([
        { path: "", message: SAME_CHAIN },
      ]);
  });

  it("doesn't concern a key, which may sign for any chain", async () => {
    const visitor = createVisitor(api, "198.51.100.82");
    const { text } = await visitor.json("/console/sign-in/message", { address: wallet.address, chainId: 5 });
    const { message } = JSON.parse(text) as { message: string };

    const signature = await wallet.signMessage({ message });
    expect((await visitor.json("/console/sign-in", { message, signature })).status).toBe(200);
  });
});

describe("a session", () => {
  it("is a signed cookie that scripts can't read, and its token is stored nowhere", async () => {
    const visitor = createVisitor(api);
    const { headers } = await visitor.signIn(wallet);

    expect(headers.get("set-cookie")).toMatch(
      /^vitrine_session=vs_[0-9a-f]{64}\.[^;]+; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    const secret = /vs_([0-9a-f]{64})/.exec(visitor.cookie)?.[1] ?? "none";
    const rows = await database.query<{ text: string }>("select s::text as text from vitrine.session s");
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(secret);
  });

  it("is bound to this host where the service is public", async () => {
    const baseUrl = "https://vitrine.example";
    const open = createTestApp(test, { baseUrl });
    const { headers } = await createVisitor(open, "198.51.100.1", baseUrl).signIn(wallet);

    expect(headers.get("set-cookie")).toMatch(/^__Host-vitrine_session=.*; HttpOnly; Secure; SameSite=Lax$/);
    expect(headers.get("strict-transport-security")).not.toBeNull();
  });

  it("opens nothing with a token or a signature of somebody's own", async () => {
    const visitor = createVisitor(api);
    await visitor.signIn(wallet);
    const good = visitor.cookie;
    for (const forged of [
      good.replace(/vs_./, "vs_x"),
      good.slice(0, -4),
      good.split(".")[0] ?? "",
      `vitrine_session=vs_${"0".repeat(64)}`,
    ]) {
      visitor.cookie = forged;
      expect((await visitor.get("/console")).location).toBe("/console/sign-in");
    }
  });

  it("ends when its holder signs out, when its time is over, and everywhere when its holder says so", async () => {
    const [one, two, three] = [createVisitor(api), createVisitor(api), createVisitor(api)];
    for (const visitor of [one, two, three]) await visitor.signIn(wallet);
    const isIn = async (visitor: ReturnType<typeof createVisitor>, cookie: string) => {
      visitor.cookie = cookie;
      return (await visitor.get("/console")).status === 200;
    };
    const cookies = [one.cookie, two.cookie, three.cookie] as const;

    await one.post("/console/sign-out");
    expect([await isIn(one, cookies[0]), await isIn(two, cookies[1])]).toEqual([false, true]);
    await two.post("/console/sign-out/everywhere");
    expect([await isIn(two, cookies[1]), await isIn(three, cookies[2])]).toEqual([false, false]);
    const holder = wallet.address.toLowerCase();
    expect(
      await database.query("select actor, subject, detail from vitrine.audit where action = 'sessions.end'"),
    ).toEqual([{ actor: holder, subject: holder, detail: { sessions: 2 } }]);

    await one.signIn(wallet);
    await database.query("update vitrine.session set expires_at = now()");
    expect(await isIn(one, one.cookie)).toBe(false);
  });

  it("opens nothing while the database is away: it fails closed", async () => {
    const broken = createTestApp(test);
    const visitor = createVisitor(broken);
    await visitor.signIn(wallet);
    broken.sessions.find = () => Promise.reject(Object.assign(new Error("away"), { code: "ECONNREFUSED" }));

    expect((await visitor.get("/console")).status).not.toBe(200);
  });
});

describe("other sites", () => {
  it.each([undefined, "https://evil.example", "null", "http://localhost:1"])(
    "with the origin %s change nothing, whoever is signed in",
    async (origin) => {
      const visitor = createVisitor(api);
      await visitor.signIn(wallet);
      await database.query("truncate vitrine.app cascade");

      const answer = await api.call("/console/apps", {
        method: "POST",
        body: "name=Evil",
        headers: {
          accept: "text/html",
          cookie: visitor.cookie,
          "content-type": "application/x-www-form-urlencoded",
          ...(origin && { origin }),
        },
      });

      expect(answer.status).toBe(403);
      expect(await database.query("select from vitrine.app")).toEqual([]);
    },
  );

  it("may not read the console: no CORS header, no frame, nothing kept", async () => {
    const { headers } = await createVisitor(api).get("/console/sign-in");

    expect(headers.get("access-control-allow-origin")).toBeNull();
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
  });
});
