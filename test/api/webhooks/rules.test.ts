import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { webhookPausesMs } from "../../../src/api/jobs/retry-policies.ts";
import { signedHeaders } from "../../../src/api/webhooks/sender.ts";
import { problemOfUrl } from "../../../src/api/webhooks/url.ts";
import { retryMsOf } from "../../../src/api/webhooks/worker.ts";

const SECOND = 1_000;
const HOUR = 3_600_000;

describe("the schedule", () => {
  it.each([
    [1, 5 * SECOND],
    [2, 300 * SECOND],
    [3, 0.5 * HOUR],
    [4, 2 * HOUR],
    [5, 5 * HOUR],
    [6, 10 * HOUR],
    [7, 14 * HOUR],
    [8, 20 * HOUR],
    [9, 24 * HOUR],
  ])("waits after failure %i for at most %i ms and at least nine tenths of it", (failures, ms) => {
    for (let nth = 0; nth < 50; nth++) {
      const pause = retryMsOf(webhookPausesMs, failures) ?? Number.NaN;
      expect(pause).toBeLessThanOrEqual(ms);
      expect(pause).toBeGreaterThanOrEqual(ms * 0.9);
    }
  });

  it("gives up after the tenth attempt, about three days after the first", () => {
    expect(retryMsOf(webhookPausesMs, 10)).toBeUndefined();
    const days = webhookPausesMs.reduce((sum, ms) => sum + ms, 0) / (24 * HOUR);
    expect(days).toBeGreaterThan(3);
    expect(days * 0.9).toBeLessThan(3);
  });

  it("honours a longer Retry-After", () => {
    expect(retryMsOf(webhookPausesMs, 1, HOUR)).toBe(HOUR);
  });
});

describe("signatures", () => {
  const secrets = ["whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"];
  const body = '{"type":"lock","timestamp":"2026-01-01T00:00:00.000Z","data":{}}';

  it("is that of the specification's example", () => {
    const at = new Date(1_614_265_330_000);
    const headers = signedHeaders("msg_p5jXN8AQM9LWM0D4loKWxJek", at, '{"test": 2432232314}', [
      secrets[1] ?? "",
    ]);
    expect(headers).toEqual({
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    });
  });

  it("verifies with either secret, and with no changed byte", () => {
    const headers = signedHeaders("msg_1", new Date(), body, secrets);
    for (const secret of secrets) expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
    for (const changed of [
      () => new Webhook(secrets[0] ?? "").verify(body.replace("lock", "luck"), headers),
      () => new Webhook(secrets[0] ?? "").verify(body, { ...headers, "webhook-id": "msg_2" }),
      () => new Webhook("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA").verify(body, headers),
    ])
      expect(changed).toThrow();
  });
});

describe("a URL", () => {
  const allowed = new Set(["127.0.0.1:9000", "localhost:9000", "hooks.internal:443"]);

  it.each([
    ["https://partner.example/hooks?x=1"],
    ["https://partner.example:8443/"],
    ["https://8.8.8.8/"],
    ["http://127.0.0.1:9000/hook"],
    ["https://127.0.0.1:9000/hook"],
    ["https://hooks.internal/"],
    ["http://localhost:9000/hook"],
    ["https://localhost.partner.example/"],
  ])("%s may be registered", (url) => {
    expect(problemOfUrl(url, allowed)).toBeUndefined();
  });

  it.each([
    ["", 'must be an https URL; "" can\'t be parsed'],
    ["partner.example", 'must be an https URL; "partner.example" can\'t be parsed'],
    ["http://partner.example/", 'must be an https URL; it is "http://partner.example/"'],
    ["ftp://127.0.0.1:9000/", 'must be an https URL; it is "ftp://127.0.0.1:9000/"'],
    ["http://127.0.0.1:9001/", 'must be an https URL; it is "http://127.0.0.1:9001/"'],
    ["https://127.0.0.1/", "must be public; 127.0.0.1 is a private address"],
    ["https://0x7f.1/", "must be public; 127.0.0.1 is a private address"],
    ["https://[::1]/", "must be public; ::1 is a private address"],
    ["https://[::ffff:10.0.0.1]/", "must be public; ::ffff:a00:1 is a private address"],
    ["https://169.254.169.254/latest", "must be public; 169.254.169.254 is a private address"],
    ["https://localhost:3000/hooks", "must be public; localhost is this machine"],
    ["https://Hooks.LOCALHOST./", "must be public; hooks.localhost. is this machine"],
    ["https://user:pass@partner.example/", "can't be used: the URL carries credentials"],
    ["https://partner.example:25/", "can't be used: the URL's port is blocked"],
    [
      `https://${"partner-".repeat(31)}.example/`,
      "can't be used: the URL's host has 256 characters; the limit is 253",
    ],
    [`https://partner.example/${"x".repeat(2_030)}`, "has 2054 characters; the limit is 2048"],
  ])("%s is refused", (url, problem) => {
    expect(problemOfUrl(url, allowed)).toBe(problem);
  });
});
