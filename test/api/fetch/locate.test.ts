/** Maps every spelling of a token URI to the URLs to fetch, in order. */

import { describe, expect, it } from "vitest";
import {
  contentOf,
  gatewayOf,
  hasLocatableForm,
  IPFS_HOST,
  isContentAddressed,
  locate,
  servingHost,
  substituteId,
} from "../../../src/api/fetch/locate.ts";
import { hostOf } from "../../support/long-host.ts";

const GATEWAYS = ["https://first.example", "https://second.example"];
const V0 = "QmXoypizjW3WknFiJnKLwHCnL72vedxjQkDDP1mXWo6uco";
const V1 = "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3hlgtif73fqpyae";

const through = (path: string) => GATEWAYS.map((gateway) => `${gateway}/ipfs/${path}`);
const urlsOf = (uri: string) => {
  const located = locate(uri, GATEWAYS);
  if (located.kind === "located") return located.urls;
  return located.kind === "refused" ? located.reason : located.kind;
};

describe("a host", () => {
  it.each([
    { uri: `https://${hostOf(253)}/1` },
    { uri: `https://${hostOf(253)}:65535/1` },
    { uri: `https://${hostOf(253)}./1` },
    { uri: `https://[${"0000:".repeat(7)}0001]:8080/1` },
    { uri: `https://${hostOf(253)}/ipfs/${V0}` },
  ])("of 253 characters is asked: $uri", ({ uri }) => {
    expect(urlsOf(uri)[0]).toBe(new URL(uri).href);
  });

  it.each([
    { uri: `https://${hostOf(254)}/1` },
    { uri: `http://${hostOf(6_000)}:8080/1` },
    { uri: `https://${"\u00fc.".repeat(100)}example/1` },
    { uri: `https://${hostOf(254)}/ipfs/${V0}` },
    { uri: `https://${V1}.ipfs.${hostOf(254)}/` },
    { uri: `https://${hostOf(254)}/ipns/name` },
  ])("of more is refused, even at a gateway", ({ uri }) => {
    expect(urlsOf(uri)).toBe("invalid_uri");
  });

  it("of more says by how much", () => {
    expect(locate(`https://${hostOf(254)}/1`, GATEWAYS)).toMatchObject({
      message: "the URI's host has 254 characters; the limit is 253",
    });
  });

  it("of any length leaves what a document is stored with as it is", () => {
    expect(hasLocatableForm(`https://${hostOf(6_000)}/1`)).toBe(true);
  });
});

describe("http and https", () => {
  it.each([
    { uri: "http://host.example/1", url: "http://host.example/1" },
    { uri: "HTTPS://Host.EXAMPLE/A?b=C#d", url: "https://host.example/A?b=C#d" },
    { uri: "  https://host.example/1\n", url: "https://host.example/1" },
    { uri: "https://host.example", url: "https://host.example/" },
    { uri: "https://host.example/a b.json", url: "https://host.example/a%20b.json" },
    { uri: "https://host.example/ipfs/1.json", url: "https://host.example/ipfs/1.json" },
  ])("asks $uri as it is", ({ uri, url }) => {
    expect(urlsOf(uri)).toEqual([url]);
  });

  it.each([
    { uri: `https://cdn.example/ipfs/${V0}/1.json?x=1`, path: `${V0}/1.json?x=1` },
    { uri: `https://cdn.example/ipfs/ipfs/${V0}/1.json`, path: `${V0}/1.json` },
    { uri: `https://cdn.example/nft/ipfs/${V0}/1.json`, path: `${V0}/1.json` },
    { uri: `https://${V1}.ipfs.cdn.example/1.json`, path: `${V1}/1.json` },
  ])("asks a gateway's URL $uri first, and our gateways for its content next", ({ uri, path }) => {
    expect(urlsOf(uri)).toEqual([uri, ...through(path)]);
  });

  it.each([
    { rest: `/ipfs/ipfs://${V0}/1`, asked: `/ipfs/${V0}/1`, path: `${V0}/1` },
    { rest: `/ipfs/ipfs://ipfs/${V0}/1?x=1`, asked: `/ipfs/${V0}/1?x=1`, path: `${V0}/1?x=1` },
    { rest: `/ipfs/ipfs:/${V0}`, asked: `/ipfs/${V0}`, path: V0 },
    { rest: `/ipfs://${V0}/1`, asked: `/ipfs/${V0}/1`, path: `${V0}/1` },
    { rest: `//nft/ipfs/ipfs://${V0}/1`, asked: `//nft/ipfs/${V0}/1`, path: `${V0}/1` },
    { rest: `/ipfs/https://gateway.example/ipfs/${V0}/1`, asked: `/ipfs/${V0}/1`, path: `${V0}/1` },
    { rest: `/ipfs/${V0}/Cat #7.json`, asked: `/ipfs/${V0}/Cat%20%237.json`, path: `${V0}/Cat%20%237.json` },
    { rest: `/ipfs/${V0}/page.html#a`, asked: `/ipfs/${V0}/page.html#a`, path: `${V0}/page.html#a` },
    { rest: `/ipfs/${V0}/100%.json`, asked: `/ipfs/${V0}/100%25.json`, path: `${V0}/100%25.json` },
    { rest: `/ipfs/${V0}/a/ipfs://x`, asked: `/ipfs/${V0}/a/ipfs://x`, path: `${V0}/a/ipfs://x` },
  ])("asks a gateway for the content of $rest, and our gateways next", ({ rest, asked, path }) => {
    expect(urlsOf(`https://cdn.example${rest}`)).toEqual([`https://cdn.example${asked}`, ...through(path)]);
  });

  it("asks the gateway of a content's own name for a name with a #", () => {
    expect(urlsOf(`https://${V1}.ipfs.cdn.example/Cat #7.json`)).toEqual([
      `https://${V1}.ipfs.cdn.example/Cat%20%237.json`,
      ...through(`${V1}/Cat%20%237.json`),
    ]);
  });

  it.each([
    "https://host.example/Cat #7.json",
    "https://host.example/100%.json",
    "https://ipfs/ipfs:/x",
    "https://host.example/ipfs/ipfs://x",
  ])("asks %s, which names no content, as it is", (uri) => {
    expect(urlsOf(uri)).toEqual([new URL(uri).href]);
  });

  it("asks no gateway twice", () => {
    expect(urlsOf(`https://second.example/ipfs/${V0}/1`)).toEqual([...through(`${V0}/1`)].reverse());
    expect(urlsOf(`https://second.example/ipfs/ipfs://${V0}/1#x`)).toEqual(
      [...through(`${V0}/1#x`)].reverse(),
    );
  });
});

describe("ipfs", () => {
  it.each([
    { uri: `ipfs://${V0}`, path: V0 },
    { uri: `ipfs://${V0}/`, path: `${V0}/` },
    { uri: `ipfs://${V0}/1.json`, path: `${V0}/1.json` },
    { uri: `ipfs://${V1}/a/b/1.json`, path: `${V1}/a/b/1.json` },
    { uri: `ipfs://${V1.toUpperCase()}`, path: V1.toUpperCase() },
    { uri: `ipfs://ipfs/${V0}/1`, path: `${V0}/1` },
    { uri: `IPFS://${V0}/1`, path: `${V0}/1` },
    { uri: `ipfs:/${V0}/1`, path: `${V0}/1` },
    { uri: `ipfs:${V0}/1`, path: `${V0}/1` },
    { uri: ` ipfs://${V0}/1 `, path: `${V0}/1` },
    { uri: `ipfs:///${V0}/1`, path: `${V0}/1` },
    { uri: `ipfs:///ipfs/${V0}/1`, path: `${V0}/1` },
    { uri: `ipfs://ipfs/ipfs/${V0}/1`, path: `${V0}/1` },
    { uri: `IPFS://IPFS//${V0}/1`, path: `${V0}/1` },
    { uri: `ipfs://${V0}?x=1`, path: `${V0}?x=1` },
    { uri: `ipfs://${V0}#x`, path: `${V0}#x` },
    { uri: `ipfs://${V0}/Cat #7.png`, path: `${V0}/Cat %237.png` },
    { uri: `${V0}/Mr. Cat%20#7.webp`, path: `${V0}/Mr. Cat%20%237.webp` },
    { uri: `ipfs://${V0}/Cat #7 of #9?x=#1`, path: `${V0}/Cat %237 of %239?x=#1` },
    { uri: `ipfs://${V0}/page.html#scene.glb`, path: `${V0}/page.html#scene.glb` },
    { uri: `ipfs://${V0}/page.html#a #b`, path: `${V0}/page.html#a #b` },
    { uri: `ipfs://${V0}/viewer/#scene.glb`, path: `${V0}/viewer/#scene.glb` },
    { uri: `ipfs://${V0}/viewer#scene.html`, path: `${V0}/viewer#scene.html` },
    { uri: `ipfs://${V0}/1?name=Cat #7.png`, path: `${V0}/1?name=Cat #7.png` },
    { uri: V0, path: V0 },
    { uri: `${V1}/1.json`, path: `${V1}/1.json` },
    { uri: `ipfs/${V0}`, path: V0 },
    { uri: `/ipfs/${V1}/1.json`, path: `${V1}/1.json` },
    { uri: `ipfs://ipfs://${V0}/1`, path: `${V0}/1` },
    { uri: `ipfs:/ipfs://ipfs/ipfs://${V0}/1`, path: `${V0}/1` },
    { uri: `ipfs://http://gateway.example/ipfs/${V0}/1`, path: `${V0}/1` },
    { uri: `ipfs://https://gateway.example/ipfs/ipfs://${V0}/1`, path: `${V0}/1` },
    { uri: `dweb:/ipfs/${V0}/1`, path: `${V0}/1` },
    { uri: `DWEB://ipfs/${V1}`, path: V1 },
    { uri: `ipfs://${V0}\0`, path: V0 },
    { uri: `\0\u001f ipfs://${V0}/1\u0001\0`, path: `${V0}/1` },
    { uri: `\uFEFF${V0}\0\n`, path: V0 },
    { uri: `ipfs://${V0}\n/1\t.json`, path: `${V0}/1.json` },
    { uri: `ipfs://${V0}/100%.json`, path: `${V0}/100%25.json` },
    { uri: `ipfs://${V0}/A 100%.json`, path: `${V0}/A 100%25.json` },
    { uri: `ipfs://${V0}/%41%4a%4%%zz?x=%`, path: `${V0}/%41%4a%254%25%25zz?x=%25` },
    { uri: `ipfs://${V0}/a/../1`, path: `${V0}/a/../1` },
    { uri: `ipfs://f01701220${"ab".repeat(32)}/1`, path: `f01701220${"ab".repeat(32)}/1` },
  ])("asks every gateway in order for $uri", ({ uri, path }) => {
    expect(urlsOf(uri)).toEqual(through(path));
  });

  it.each([
    "ipfs://",
    "ipfs:",
    "ipfs://ipfs/",
    "ipfs://invalid",
    `ipfs://${V0}x/1`,
    "ipfs://bafybeic",
    "ipfs://ipfs://",
    "ipfs://https://host.example/1.json",
    "dweb:/ipns/name.example",
    "ipfs://../x",
  ])("refuses %s, which names no content", (uri) => {
    expect(urlsOf(uri)).toBe("invalid_uri");
  });

  it.each([
    "/..",
    "/../../api/v0/id",
    "/%2e%2e/%2E%2E/admin",
    "/a/../../x",
    "/..\\..\\x",
    "/../ipfs/../x",
    "/.\t./.\n./admin",
    "/..%2f..%2Fadmin",
    "/%2e%2e%5C..%5cadmin",
    "/..%\n2f..%2\tfadmin",
  ])("refuses a path that climbs out of its content to other pages of the gateway: %j", (path) => {
    expect(urlsOf(`ipfs://${V0}${path}`)).toBe("invalid_uri");
  });
});

it.each([
  { uri: `ipfs://${V0}/1`, is: true },
  { uri: `ipfs://ipfs/${V1}`, is: true },
  { uri: V0, is: true },
  { uri: `${V0}\0`, is: true },
  { uri: `dweb:/ipfs/${V0}`, is: true },
  { uri: `https://anybodys.example/ipfs/ipfs://${V0}/1`, is: true },
  { uri: `https://anybodys.example/ipfs/${V0}/1`, is: true },
  { uri: `https://${V1}.ipfs.anybodys.example/1`, is: true },
  { uri: "data:application/json,{}", is: true },
  { uri: `ar://${"x".repeat(43)}`, is: true },
  { uri: "https://a.example/1", is: false },
  { uri: `https://a.example/?at=/ipfs/${V0}`, is: false },
  { uri: "ipfs://name.example/1", is: false },
  { uri: `https://a.example/ipns/${V1}`, is: false },
  { uri: "", is: false },
])("$uri names its content: $is", ({ uri, is }) => {
  expect(isContentAddressed(uri)).toBe(is);
});

it.each([
  { url: `https://g.example/ipfs/${V0}`, path: [] },
  { url: `https://g.example/ipfs/${V0}/A 100%.json`, path: ["A 100%.json"] },
  { url: `https://g.example/ipfs/${V0}/A%20100%25.json`, path: ["A 100%.json"] },
  { url: `https://g.example/ipfs/${V0}/a/Cat #7.json`, path: ["a", "Cat #7.json"] },
])("$url asks for $path", ({ url, path }) => {
  expect(contentOf(url)).toEqual({ cid: V0, path });
});

describe("the gateway of a URL", () => {
  it.each([
    { url: `https://second.example/ipfs/${V0}/1`, gateway: "https://second.example" },
    { url: `https://second.example/ipfs/${V0}?x=1`, gateway: "https://second.example" },
    { url: "https://second.example/ipfs/other", gateway: undefined },
    { url: `https://second.example/ipfs/${V0}/..%2f..%2fadmin`, gateway: undefined },
    { url: `https://second.example/api/${V0}`, gateway: undefined },
    { url: `https://second.example.evil/ipfs/${V0}`, gateway: undefined },
  ])("$url is $gateway", ({ url, gateway }) => {
    expect(gatewayOf(url, GATEWAYS)).toBe(gateway);
  });
});

it("reads a text of 2 MiB, whatever it is made of, in one pass", () => {
  const prefixes = ["/", "ipfs/", "ipfs:", "http://h/ipfs/", "http:", "\0", "\n"];
  const parts = [...prefixes, "%", " #", "a", "Qm", ".", "%2f", "../"];

  for (const part of parts) {
    const filling = part.repeat((2 * 1024 * 1024) / part.length);
    for (const uri of [
      filling,
      `ipfs:${filling}\n!`,
      `ipfs://${V0}/${filling}`,
      `https://h.example/${filling}`,
      `https://h.example/ipfs/${V0}/${filling}`,
    ])
      expect(["located", "refused"]).toContain(locate(uri, GATEWAYS).kind);
  }
});

describe("what is refused", () => {
  it.each([
    { uri: "", reason: "empty_uri" },
    { uri: " \n\t", reason: "empty_uri" },
    { uri: "\0", reason: "empty_uri" },
    { uri: `${V0}x`, reason: "invalid_uri" },
    { uri: `/ipns/${V0}`, reason: "invalid_uri" },
    { uri: `/${"ipfs/".repeat(1_000)}`, reason: "invalid_uri" },
    { uri: "host.example/1.json", reason: "invalid_uri" },
    { uri: "//host.example/1.json", reason: "invalid_uri" },
    { uri: '{"name": "inline"}', reason: "invalid_uri" },
    { uri: "http://", reason: "invalid_uri" },
    { uri: "https://host.example:99999/", reason: "invalid_uri" },
    { uri: "data:application/json;base64,e30=", reason: "unsupported_scheme" },
    { uri: "DATA:,{}", reason: "unsupported_scheme" },
    { uri: "ar://tx/1.json", reason: "unsupported_scheme" },
    { uri: "javascript:alert(1)", reason: "unsupported_scheme" },
    { uri: "ftp://host.example/1", reason: "unsupported_scheme" },
    { uri: "file:///etc/passwd", reason: "unsupported_scheme" },
    { uri: "ipns://host.example/1", reason: "unsupported_scheme" },
    { uri: "blob:https://host.example/1", reason: "unsupported_scheme" },
  ])("$uri is $reason", ({ uri, reason }) => {
    expect(urlsOf(uri)).toBe(reason);
  });
});

describe("a scheme that the operator allows", () => {
  const TX = "-G92LjB-wFj-FCGx040NgniW_Ypy_Cbh3Jq1HUD6l7A";
  const located = (uri: string) => locate(uri, GATEWAYS, new Set(["data", "ar"]));

  it.each([
    { uri: `ar://${TX}`, url: `https://arweave.net/${TX}` },
    { uri: ` AR://${TX}/ `, url: `https://arweave.net/${TX}/` },
    { uri: `ar://${TX}/a b/1.json?x=1`, url: `https://arweave.net/${TX}/a%20b/1.json?x=1` },
  ])("asks arweave.net for $uri", ({ uri, url }) => {
    expect(located(uri)).toEqual({ kind: "located", urls: [url] });
  });

  it.each([
    "ar:",
    "ar://",
    `ar:${TX}`,
    `ar://${TX}A`,
    `ar://${TX.slice(1)}`,
    `ar://${TX.slice(1)}+`,
    `ar://arweave.net/${TX}`,
    `ar://${TX}/../tx`,
    `ar://${TX}/%2e%2e/tx`,
  ])("refuses %s, which names no transaction", (uri) => {
    expect(located(uri)).toMatchObject({ kind: "refused", reason: "invalid_uri" });
  });

  it("is data:, which holds the document itself", () => {
    expect(located(" DATA:,{}")).toEqual({ kind: "inline" });
  });

  it("is named where another one is refused, and those that are not allowed are not", () => {
    const said = (uri: string, schemes: readonly ("data" | "ar")[]) =>
      locate(uri, GATEWAYS, new Set(schemes));

    expect(said("ftp://x", [])).toMatchObject({ message: "the URI is ftp:; it must be http, https or ipfs" });
    expect(said("data:,", ["ar"])).toMatchObject({
      reason: "unsupported_scheme",
      message: "the URI is data:; it must be http, https, ipfs or ar",
    });
    expect(said(`ar://${TX}`, ["data"])).toMatchObject({ reason: "unsupported_scheme" });
  });
});

describe("{id}", () => {
  const padded = "000000000000000000000000000000000000000000000000000000000004cce0";

  it.each([
    { text: "https://host.example/{id}.json", id: "314592", becomes: `https://host.example/${padded}.json` },
    { text: "{id}", id: "0", becomes: "0".repeat(64) },
    { text: "{id}", id: String(2n ** 256n - 1n), becomes: "f".repeat(64) },
    { text: "{id}/{id}-{id}", id: "314592", becomes: `${padded}/${padded}-${padded}` },
    { text: "https://host.example/1.json", id: "314592", becomes: "https://host.example/1.json" },
    { text: "{ID} {id } %7Bid%7D id", id: "314592", becomes: "{ID} {id } %7Bid%7D id" },
    { text: "", id: "1", becomes: "" },
  ])("$text of $id", ({ text, id, becomes }) => {
    expect(substituteId(text, id)).toBe(becomes);
  });
});

describe("the host that serves a URL", () => {
  it.each([
    [`${GATEWAYS[0]}/ipfs/QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG/1.json`, IPFS_HOST],
    ["https://host.example/1.json", "host.example"],
    ["http://host.example:8080/1.json", "host.example:8080"],
    // A gateway where each content has a name of its own is one host.
    [`https://${V1}.ipfs.cdn.example/1.json`, "cdn.example"],
    [`https://${V1}.ipfs.cdn.example:8443/1.json`, "cdn.example:8443"],
    ["https://art.ipfs.cdn.example/1.json", "art.ipfs.cdn.example"],
    // A name that anybody may write; its failures are no failures of the gateways.
    ["http://ipfs/1.json", "ipfs:80"],
    ["https://ipfs/1.json", "ipfs:443"],
    ["http://IPFS:81/1.json", "ipfs:81"],
  ])("%s: %s", (url, host) => {
    expect(servingHost(url, GATEWAYS)).toBe(host);
  });
});
