import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { originalAnswer } from "../../demo/metadata/documents.ts";
import { populate } from "../../demo/populate.ts";
import { outputOf } from "../support/processes/command.ts";
import { childrenOf, watchesOf } from "../support/processes/process-state.ts";
import {
  createPartner,
  createWorld,
  eventually,
  WITHOUT_PICTURES,
  type World,
} from "../support/processes/world.ts";
import { createKey } from "../support/service-key.ts";

let world: World;
let partner: ReturnType<typeof createPartner>;
beforeAll(async () => {
  world = await createWorld({
    host: WITHOUT_PICTURES,
    populate(chain, host) {
      // The pictures that this file asks for.
      for (const id of [16n, host.ipfsHero.id])
        host.set("heroes", id, originalAnswer("heroes", id, host.url));
      return populate(chain, host);
    },
  });
  partner = createPartner(world.service.baseUrl, await createKey(world.service));
});
afterAll(() => world.close());

const servedName = async (address: string, id: number): Promise<string | null> =>
  (await partner.token(address, id)).name;
const write = (name: string, ...args: unknown[]) => world.chain.write(world.population.erc721, name, args);

describe("a metadata change on the host becomes visible", () => {
  it("through MetadataUpdate", async () => {
    await eventually(
      () => servedName(world.heroes, 1),
      (name) => name !== null,
    );
    world.host.patch("heroes", 1, { name: "Announced by an event" });

    await write("emitMetadataUpdate", 1n);

    await eventually(
      () => servedName(world.heroes, 1),
      (name) => name === "Announced by an event",
    );
  });

  it("through BatchMetadataUpdate of a range, for every token in it and none outside", async () => {
    await eventually(
      () => servedName(world.heroes, 4),
      (name) => name !== null,
    );
    for (const id of [2, 3, 4]) world.host.patch("heroes", id, { name: `Ranged ${id}` });

    await write("emitBatchMetadataUpdate", 2n, 3n);

    await eventually(
      () => servedName(world.heroes, 3),
      (name) => name === "Ranged 3",
    );
    await eventually(
      () => servedName(world.heroes, 2),
      (name) => name === "Ranged 2",
    );
    expect(await servedName(world.heroes, 4)).not.toBe("Ranged 4");
  });

  it("through BatchMetadataUpdate of the whole collection, up to 2^256-1", async () => {
    for (const id of [4, 32]) world.host.patch("heroes", id, { name: `Whole ${id}` });

    await write("emitBatchMetadataUpdate", 0n, 2n ** 256n - 1n);

    await eventually(
      () => servedName(world.heroes, 4),
      (name) => name === "Whole 4",
    );
    await eventually(
      () => servedName(world.heroes, 32),
      (name) => name === "Whole 32",
    );
  });

  it("through the ERC-1155 URI event", async () => {
    await eventually(
      () => servedName(world.items, 3),
      (name) => name !== null,
    );

    const uri = `${world.host.url}${world.host.path("items", 5)}`;
    await world.chain.write(world.population.erc1155, "setTokenURI", [3n, uri]);

    const other = await servedName(world.items, 5);
    await eventually(
      () => servedName(world.items, 3),
      (name) => name === other,
    );
  });

  it("through GraphQL refreshMetadata, without a key", async () => {
    await eventually(
      () => servedName(world.heroes, 10),
      (name) => name !== null,
    );
    world.host.patch("heroes", 10, { name: "Requested by GraphQL" });

    const response = await fetch(`${world.service.baseUrl}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        operationName: "RefreshMetadata",
        variables: { tokenAddress: world.heroes, tokenId: "10" },
        query: `mutation RefreshMetadata($tokenAddress: String!, $tokenId: String!) {
          refreshMetadata(tokenAddress: $tokenAddress, tokenId: $tokenId)
        }`,
      }),
    });

    expect(await response.json()).toEqual({ data: { refreshMetadata: true } });
    await eventually(
      () => servedName(world.heroes, 10),
      (name) => name === "Requested by GraphQL",
    );
  });

  it("through the keyed REST endpoint, which says what happened to each token", async () => {
    await eventually(
      () => servedName(world.heroes, 12),
      (name) => name !== null,
    );
    world.host.patch("heroes", 11, { name: "Requested by REST" });

    const { status, body } = await partner.refresh(world.heroes, ["11", "12", "999", "38"], "?wait=10");

    expect(status).toBe(200);
    expect(body).toMatchObject({
      message: "Metadata refresh initiated",
      tokens: [
        { token_id: "11", status: "updated", reason: null },
        { token_id: "12", status: "unchanged", reason: null },
        { token_id: "999", status: "not_found" },
        { token_id: "38", status: "failed", reason: "http_status: the host answered 404" },
      ],
    });
    expect(await servedName(world.heroes, 11)).toBe("Requested by REST");
    const receipt = await partner.call(`/market-partner/refreshes/${body.refresh_id}`);
    // What became of the images may have changed since.
    const tokens = body.tokens as Record<string, unknown>[];
    const outcomes = tokens.map(({ image, image_reason, ...outcome }) => outcome);
    expect(receipt.body).toMatchObject({ done: true, tokens: outcomes });
  });

  it("for a token that was minted a moment ago and that the index has not seen", async () => {
    await world.chain.write(world.population.erc721, "mint", [world.population.owner.address, 5_000n]);

    const { status } = await partner.refresh(world.heroes, ["5000"], "?wait=10");

    expect(status).toBe(200);
    await eventually(
      () => servedName(world.heroes, 5_000),
      (name) => name !== null,
    );
  });
});

describe("a failing host", () => {
  it("never blanks good metadata", async () => {
    const before = await eventually(
      () => partner.token(world.heroes, 13),
      (token) => token.metadata.status === "current",
    );
    world.host.set("heroes", 13, { status: 404, body: "gone" });

    const { body } = await partner.refresh(world.heroes, ["13"], "?wait=10");

    expect(body.tokens).toMatchObject([{ status: "failed" }]);
    const after = await partner.token(world.heroes, 13);
    expect(after).toMatchObject({ name: before.name, metadata: { status: "failed", version: 1 } });
    // Not their percentages: a token that was just minted may be listed meanwhile.
    const valuesOf = ({ traits }: typeof after) =>
      traits.map(({ trait_type, value }: { trait_type: string; value: unknown }) => [trait_type, value]);
    expect(valuesOf(after)).toEqual(valuesOf(before));
  });

  it("can't replace a complete document by one without a name", async () => {
    const before = await eventually(
      () => partner.token(world.heroes, 15),
      (token) => token.metadata.status === "current",
    );
    world.host.patch("heroes", 15, { name: null, description: "worse" });

    const { body } = await partner.refresh(world.heroes, ["15"], "?wait=10");

    expect(body.tokens).toMatchObject([
      { status: "failed", reason: expect.stringContaining("incomplete_document") },
    ]);
    expect(await partner.token(world.heroes, 15)).toMatchObject({
      name: before.name,
      description: before.description,
    });
  });
});

describe("locks", () => {
  const lockOf = async (id: number) => {
    const { lock, tradable } = await partner.token(world.heroes, id);
    return { ...lock, tradable };
  };

  it("keep a token from being traded until the last of two lockers lets go", async () => {
    const [game, market] = world.population.lockers;
    const addresses = [game, market].map(({ address }) => address.toLowerCase());
    expect(await lockOf(7)).toMatchObject({ locked: true, lock_count: 2, tradable: false });
    expect((await lockOf(7)).approved_contracts.toSorted()).toEqual(addresses.toSorted());

    await world.chain.write(world.population.erc721, "unlockId", [7n], game);
    const once = await eventually(
      () => lockOf(7),
      ({ lock_count }) => lock_count === 1,
    );
    expect(once).toMatchObject({ locked: true, tradable: false, approved_contracts: [addresses[1]] });

    await world.chain.write(world.population.erc721, "unlockId", [7n], market);
    const free = await eventually(
      () => lockOf(7),
      ({ tradable }) => tradable,
    );
    expect(free).toMatchObject({ locked: false, lock_count: 0, approved_contracts: [], since_block: null });
  });

  it("read alike in our schema and in Ponder's, in one GraphQL request", async () => {
    const { data, errors } = await partner.graphql(
      `query ($address: String!, $id: BigInt!, $chain: Float!) {
        ours: token(tokenAddress: $address, tokenId: "8") { lock { locked lockCount } tradable }
        index: tokenState(chainId: $chain, collectionAddress: $address, tokenId: $id) { lockCount owner }
        sdk: erc721Token(tokenAddress: $address, tokenId: "8") { isLocked name }
      }`,
      { address: world.heroes, id: "8", chain: 31337 },
    );

    expect(errors).toBeUndefined();
    expect(data).toMatchObject({
      ours: { lock: { locked: true, lockCount: 1 }, tradable: false },
      index: { lockCount: 1 },
      sdk: { isLocked: true },
    });
  });

  it("keep a burned token from being traded", async () => {
    expect(await partner.token(world.heroes, Number(world.population.burnedHero))).toMatchObject({
      burned: true,
      owner: null,
      tradable: false,
    });
  });
});

describe("display", () => {
  it("shows the image on both pages, and what was skipped for want of an allowed host", async () => {
    const token = await eventually(
      () => partner.token(world.heroes, 16),
      ({ name }) => name !== null,
    );

    expect(token.display).toMatchObject({
      collection_page: { kind: "image" },
      token_page: { kind: "image", skipped: [{ kind: "animation", reason: "host_not_allowed" }] },
    });
  });

  it("shows the animation once the operator allows its host", async () => {
    await fetch(`${world.service.baseUrl}/admin/allowlist`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${world.env.VITRINE_OPERATOR_TOKEN}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ pattern: new URL(world.host.url).host }),
    });

    const token = await partner.token(world.heroes, 16);

    expect(token.display.token_page).toMatchObject({ kind: "animation", skipped: [] });
  });

  it("reads an ipfs:// token through the configured gateway", async () => {
    const id = Number(world.host.ipfsHero.id);

    const token = await eventually(
      () => partner.token(world.heroes, id),
      ({ image }) => image.status === "cached",
    );

    expect(token.name).not.toBeNull();
    expect(token.image.url).toContain("/media/images/");
  });
});

describe("the operator", () => {
  it("reads how fresh the index is, and that it goes on", async () => {
    const { body } = await eventually(
      () => partner.call("/freshness"),
      // A block is mined every second and Ponder polls every second: on a busy machine no poll may find it level.
      (answer) => ((answer.body as { chains: { lag_seconds: number }[] }).chains[0]?.lag_seconds ?? 99) <= 2,
    );

    expect(body).toMatchObject({ chains: [{ chain_id: 31337, head: expect.any(Number), ready: true }] });
    expect(await partner.call("/livez")).toEqual({ status: 200, body: { live: true, stalled_chains: [] } });
  });

  it("refreshes tokens from the command line and waits for them, and sees the queue on /metrics", async () => {
    const stdout = await outputOf(["--json", "refresh", world.heroes, "1", "2"], { env: world.env });
    const { tokens } = JSON.parse(stdout);
    expect(tokens.updated + tokens.unchanged).toBe(2);

    const metrics = await (await fetch(`${world.service.baseUrl}/metrics`)).text();
    expect(metrics).toMatch(/^vitrine_refresh_queue_tokens\{priority="request"\} \d+$/m);
    expect(metrics).toMatch(/^ponder_/m);
  });

  it.runIf(process.platform === "linux")(
    "may keep any number of files in the folder: none is watched",
    () => {
      const children = childrenOf(world.service.process.pid ?? 0);
      expect(children).not.toEqual([]);
      expect(children.map(watchesOf)).toEqual(children.map(() => 0));
    },
  );
});

describe("new rules", () => {
  it("read what older ones left in the database again, while the service runs and asks no host", async () => {
    const before = await eventually(
      () => partner.token(world.heroes, 20),
      ({ metadata }) => metadata.status === "current",
    );
    // The collection's event has a pending recheck, which would read the document too.
    await world.query("delete from vitrine.refresh where token_id = 20 and lease is null");
    const path = world.host.path("heroes", 20);
    const requests = world.host.requests.get(path);
    const servedOf20 = `(select served_version from vitrine.token where collection = '${world.heroes}' and token_id = 20)`;
    await world.query(
      `update vitrine.version set normaliser = 1, metadata = (metadata::jsonb || '{"name":"As old rules read it"}')::text
        where id = ${servedOf20}`,
    );

    const stdout = await outputOf(["--json", "metadata", "renormalise"], { env: world.env });

    // The service also finds such versions by itself periodically, and may have been first.
    expect(JSON.parse(stdout)).toMatchObject({ failed: 0, running: false, finished_at: expect.any(String) });
    const after = await partner.token(world.heroes, 20);
    expect(after).toMatchObject({ name: before.name, traits: before.traits });
    const { version, content_hash } = before.metadata;
    expect(after.metadata).toMatchObject({ version: (version ?? 0) + 1, content_hash });
    expect(world.host.requests.get(path)).toBe(requests);
  });
});

describe("requests that are wrong", () => {
  it("get the contract's answers", async () => {
    const stranger = createPartner(world.service.baseUrl, "");
    const forger = createPartner(world.service.baseUrl, "vk_forged");
    const ids = Array.from({ length: 101 }, (_, index) => String(index));

    const answers = await Promise.all([
      stranger.refresh(world.heroes, ["1"]),
      forger.refresh(world.heroes, ["1"]),
      partner.refresh(world.heroes, ids),
      partner.call(`/market-partner/collections/${world.heroes}/refresh_metadata`, "{"),
      partner.refresh("0x0000000000000000000000000000000000000001", ["1"]),
      partner.refresh(world.heroes, ["777777"]),
      partner.call("/nowhere"),
    ]);

    expect(answers.map(({ status, body }) => [status, body.message])).toEqual([
      [401, "No API key found in request"],
      [401, "Invalid authentication credentials"],
      [400, "Too many token ids, max number of token ids allowed is 100"],
      [400, "Invalid request"],
      [404, "Collection not found"],
      [400, "Token not found"],
      [404, "Not found"],
    ]);
  });

  it("refuse a negative limit, which Ponder would answer with every row", async () => {
    const { errors } = await partner.graphql("{ tokenStates(limit: -5) { items { tokenId } } }");

    expect(errors?.[0]?.message).toContain("limit is -5");
  });

  it("say Token not found for a token that does not exist", async () => {
    const { data, errors } = await partner.graphql(
      `mutation { refreshMetadata(tokenAddress: "${world.heroes}", tokenId: "777777") }`,
    );

    expect(data ?? null).toBeNull();
    expect(errors).toMatchObject([{ message: "Token not found" }]);
  });
});
