/** The serving environment, parsed once at boot. */

import { availableParallelism } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { BootError } from "../boot-error.ts";
import { parseAddress } from "../domain/token-ref.ts";
import { explainInvalid, shown } from "../invalid-value.ts";
import { type ApiName, apiNames } from "./http/api-names.ts";
import { isAddressRange } from "./http/client-address.ts";
import { webhookPausesMs } from "./jobs/retry-policies.ts";
import {
  defaultSecret,
  isLocal,
  localOperatorToken,
  OPERATOR_TOKEN_LENGTH_MIN,
  SECRET_LENGTH_MIN,
  trimOperatorToken,
} from "./local-secrets.ts";
import { parseStoreAddress, type StoreAddress, showStore } from "./store-address.ts";
import { isPlainUrl, parseUrl } from "./text/parse-url.ts";
import { withoutTrailing } from "./text/without-trailing.ts";
import { usableMemory } from "./usable-memory.ts";

/** Document schemes that the operator may allow besides http, https and ipfs. */
const extraSchemes = ["data", "ar"] as const;
export type ExtraScheme = (typeof extraSchemes)[number];

const unverifiedChoices = ["allow", "refuse"] as const;

/** How documents are fetched, by the service and by tools that run without it. */
export interface FetchConfig {
  /** The public URL, without a trailing slash. */
  readonly baseUrl: string;
  readonly operatorContact: string | undefined;
  /** In order of preference; `ipfs://` documents come from the first that answers. */
  readonly ipfsGateways: readonly string[];
  /** Whether IPFS content is used that no gateway gives in blocks, so that it can't be verified by its CID. */
  readonly ipfsUnverified: (typeof unverifiedChoices)[number];
  readonly extraSchemes: ReadonlySet<ExtraScheme>;
  /** `host:port` entries exempt from the ban on private addresses. */
  readonly allowedPrivateHosts: ReadonlySet<string>;
}

export interface ServingConfig extends FetchConfig {
  readonly port: number;
  readonly dataFolder: string;
  /** Where images are stored. */
  readonly mediaStore: StoreAddress;
  /** Where images are served, without a trailing slash: `baseUrl`, or a CDN. */
  readonly mediaBaseUrl: string;
  readonly operatorToken: string | undefined;
  /** Source of encryption and signing keys; the previous secret decrypts and verifies during a rotation. */
  readonly secrets: { readonly current: string; readonly previous: string | undefined };
  /** Wallets, in lower case, that become operators when they sign in. */
  readonly operatorAddresses: ReadonlySet<string>;
  /** The APIs that new apps may use without an operator's approval. */
  readonly autoApprove: ReadonlySet<ApiName>;
  /** Whether the console offers the development accounts of the node of collections.json's first chain as a wallet. */
  readonly demoWallet: boolean;
  /** IP addresses and CIDR ranges whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  readonly refreshConcurrency: number;
  readonly tradeMaxAgeSeconds: number;
  /** Hours between rounds of samples of a collection; 0 turns sampling off. */
  readonly resampleHours: number;
  /** Threads that hold search indexes and answer from them. */
  readonly searchThreads: number;
  /** The memory of all search indexes together, in MB of a million bytes. */
  readonly searchMemoryMb: number;
  /** The registry to query for wallets' delegations, without a trailing slash; our own when unset. */
  readonly delegationUrl: string | undefined;
  readonly delegationApiKey: string | undefined;
  /** The pauses after each failed attempt of a webhook delivery, in milliseconds; after the last, its webhook is paused. */
  readonly webhookPausesMs: readonly number[];
  /** How long requests are still answered after the signal to stop. */
  readonly drainSeconds: number;
}

const DEFAULT_PORT = 42069;
// From a few seconds, below which rounds would overlap, to a year.
const RESAMPLE_HOURS_MIN = 0.001;
const RESAMPLE_HOURS_MAX = 8_760;
const DEFAULT_GATEWAYS = "https://ipfs.io,https://dweb.link,https://w3s.link";

const list = z.string().transform((text) =>
  text
    .split(",")
    .map((entry) => entry.trim())
    .filter(Boolean),
);

// A login in a URL, or a private key: in the wrong place, but a secret all the same.
const MAY_BE_SECRET = /@|:\/\/|[0-9a-f]{64}/i;

/** Entries separated by commas. */
const listOf = (what: string, isEntry: (text: string) => boolean) =>
  list.transform((texts, context) => {
    const wrong = texts.findIndex((text) => !isEntry(text));
    const text = texts[wrong];
    if (text === undefined) return texts;
    const found = MAY_BE_SECRET.test(text) ? `entry ${wrong + 1} is not one` : `it lists ${shown(text)}`;
    context.addIssue({
      code: "custom",
      message: `must list ${what}, separated by commas; ${found}`,
    });
    return z.NEVER;
  });

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .refine((text) => /^[0-9]+$/.test(text) && Number(text) >= min && Number(text) <= max, {
      error: (issue) => `must be a whole number from ${min} to ${max}; it is "${String(issue.input)}"`,
    })
    .transform(Number);

// What another program takes may have a login before an @.
const httpUrl = z.string().refine(isHttpUrl, {
  error: ({ input }) =>
    `must be an http(s) URL${String(input).includes("@") ? "" : `; it is "${String(input)}"`}`,
});

const secret = z
  .string()
  .min(SECRET_LENGTH_MIN, { error: `must have at least ${SECRET_LENGTH_MIN} characters` })
  .optional();

const isResampleTime = (hours: number): boolean =>
  hours === 0 || (hours >= RESAMPLE_HOURS_MIN && hours <= RESAMPLE_HOURS_MAX);

// A second is not the least, so that a test need not wait; a pause of more than a week outlasts what is kept.
const isPause = (text: string): boolean =>
  /^[0-9]+(\.[0-9]+)?$/.test(text) && Number(text) > 0 && Number(text) <= 604_800;
const PAUSES_MAX = 20;
const isAddress = (text: string): boolean => parseAddress(text) !== undefined;
const isHostAndPort = (text: string): boolean => /^[^/\s]+:[0-9]+$/.test(text);
const isApiName = (text: string): text is ApiName => apiNames.some((api) => api === text);

const isExtraScheme = (text: string): text is ExtraScheme => extraSchemes.some((scheme) => scheme === text);

/** A URL without slashes at its end. */
const plainUrl = (why: string) =>
  httpUrl
    .refine(isPlainUrl, { error: `must not contain a user, password, query or fragment: ${why}` })
    .transform((url) => withoutTrailing(url, "/"));

const storeSettings = {
  S3_ENDPOINT: plainUrl("credentials go into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY").optional(),
  S3_REGION: z
    .string()
    .regex(/^[a-z0-9-]+$/i, { error: "must be the name of a region, such as us-east-1" })
    .optional(),
  AWS_REGION: z.string().optional(),
  AWS_DEFAULT_REGION: z.string().optional(),
  // The SDK reads these itself, so that no configuration of ours can log them.
  AWS_ACCESS_KEY_ID: z.string().optional(),
  AWS_SECRET_ACCESS_KEY: z.string().optional(),
  AWS_SESSION_TOKEN: z.string().optional(),
  AWS_PROFILE: z.string().optional(),
  S3_FORCE_PATH_STYLE: z
    .enum(["true", "false"])
    .transform((text) => text === "true")
    .optional(),
};
const storeSchema = z.object(storeSettings);

const environmentSchema = z.object({
  PORT: wholeNumber(1, 65535).default(DEFAULT_PORT),
  BASE_URL: plainUrl("paths are added to it").optional(),
  VITRINE_DATA: z.string().default(".vitrine"),
  VITRINE_OPERATOR_TOKEN: z
    .string()
    .overwrite(trimOperatorToken)
    .min(OPERATOR_TOKEN_LENGTH_MIN, { error: `must have at least ${OPERATOR_TOKEN_LENGTH_MIN} characters` })
    .optional(),
  VITRINE_SECRET: secret,
  VITRINE_SECRET_PREVIOUS: secret,
  OPERATOR_ADDRESSES: listOf("addresses (0x and 40 hex digits)", isAddress).default([]),
  AUTO_APPROVE: listOf(apiNames.join(" or "), isApiName).default([]),
  DEMO_WALLET: z
    .enum(["true", "false"])
    .default("false")
    .transform((text) => text === "true"),
  TRUSTED_PROXIES: listOf("IP addresses or CIDR ranges", isAddressRange).default([]),
  OPERATOR_CONTACT: z.string().optional(),
  IPFS_GATEWAYS: list
    .default(DEFAULT_GATEWAYS.split(","))
    .refine((urls) => urls.length > 0 && urls.every(isHttpUrl), {
      error: "must be http(s) URLs separated by commas",
    })
    // Fetches carry no credentials, and what the log repeats must be no secret.
    .refine((urls) => urls.every(isPlainUrl), {
      error:
        "must be URLs without a user, password, query or fragment, separated by commas: the path of the content is added to each",
    }),
  IPFS_UNVERIFIED: z.enum(unverifiedChoices).default("allow"),
  ALLOW_PRIVATE_HOSTS: listOf("host:port entries", isHostAndPort).default([]),
  METADATA_EXTRA_SCHEMES: listOf(extraSchemes.join(" or "), isExtraScheme).default([]),
  REFRESH_CONCURRENCY: wholeNumber(0, 1000).default(32),
  TRADE_MAX_AGE: wholeNumber(1, 86_400).default(60),
  RESAMPLE_HOURS: z
    .string()
    .refine((text) => /^[0-9]+(\.[0-9]+)?$/.test(text) && isResampleTime(Number(text)), {
      error: (issue) =>
        `must be a number of hours from ${RESAMPLE_HOURS_MIN} to ${RESAMPLE_HOURS_MAX}, such as 6 or 0.5, or 0 for never; it is "${String(issue.input)}"`,
    })
    .transform(Number)
    .default(6),
  SEARCH_THREADS: wholeNumber(1, 256).default(() => Math.max(1, availableParallelism() - 1)),
  SEARCH_MEMORY_MB: wholeNumber(1, 10_000_000).default(() => Math.floor(usableMemory() / 4 / 1_000_000)),
  DRAIN_SECONDS: wholeNumber(0, 300).default(0),
  DELEGATION_URL: plainUrl("a key goes into DELEGATION_API_KEY").optional(),
  DELEGATION_API_KEY: z.string().optional(),
  WEBHOOK_RETRY_SECONDS: list
    .refine((texts) => texts.length > 0 && texts.length <= PAUSES_MAX && texts.every(isPause), {
      error: (issue) =>
        `must be 1 to ${PAUSES_MAX} pauses in seconds, each above 0 and at most 604800, separated by commas; it is "${String(issue.input)}"`,
    })
    .transform((texts) => texts.map((text) => Number(text) * 1_000))
    .optional(),
  MEDIA_STORE: z.string().optional(),
  ...storeSettings,
  MEDIA_BASE_URL: plainUrl("the address of an image is added to it").optional(),
});

const fetchSchema = environmentSchema.pick({
  PORT: true,
  BASE_URL: true,
  OPERATOR_CONTACT: true,
  IPFS_GATEWAYS: true,
  IPFS_UNVERIFIED: true,
  ALLOW_PRIVATE_HOSTS: true,
  METADATA_EXTRA_SCHEMES: true,
});

type Environment = Readonly<Record<string, string | undefined>>;

/** Every variable that Vitrine reads by one name. */
export const variableNames: readonly string[] = [
  ...Object.keys(environmentSchema.shape),
  "COLLECTIONS_FILE",
  "DATABASE_SCHEMA",
  "DATABASE_URL",
];

/** Throws one BootError that names every invalid variable. An empty variable counts as unset. */
export function loadServingConfig(environment: Environment): ServingConfig {
  const values = parse(environmentSchema, environment);
  const fetchConfig = toFetchConfig(values);
  if (values.DEMO_WALLET && !isLocal(fetchConfig.baseUrl)) {
    const message = `DEMO_WALLET must not be true where BASE_URL is public: everyone would share its accounts; BASE_URL is "${fetchConfig.baseUrl}"`;
    throw new BootError(`${message}. See README "Configuration".`);
  }
  return {
    ...fetchConfig,
    port: values.PORT,
    dataFolder: values.VITRINE_DATA,
    mediaStore: toStoreAddress(
      "MEDIA_STORE",
      values.MEDIA_STORE ?? `file:${join(values.VITRINE_DATA, "media")}`,
      values,
    ),
    mediaBaseUrl: values.MEDIA_BASE_URL ?? fetchConfig.baseUrl,
    operatorToken:
      values.VITRINE_OPERATOR_TOKEN ??
      (isLocal(fetchConfig.baseUrl) ? localOperatorToken(values.VITRINE_DATA) : undefined),
    secrets: {
      current: values.VITRINE_SECRET ?? defaultSecret(fetchConfig.baseUrl, values.VITRINE_DATA),
      previous: values.VITRINE_SECRET_PREVIOUS,
    },
    operatorAddresses: new Set(values.OPERATOR_ADDRESSES.map((address) => address.toLowerCase())),
    autoApprove: new Set(values.AUTO_APPROVE.filter(isApiName)),
    demoWallet: values.DEMO_WALLET,
    trustedProxies: values.TRUSTED_PROXIES,
    refreshConcurrency: values.REFRESH_CONCURRENCY,
    tradeMaxAgeSeconds: values.TRADE_MAX_AGE,
    resampleHours: values.RESAMPLE_HOURS,
    searchThreads: values.SEARCH_THREADS,
    searchMemoryMb: values.SEARCH_MEMORY_MB,
    delegationUrl: values.DELEGATION_URL,
    delegationApiKey: values.DELEGATION_API_KEY,
    webhookPausesMs: values.WEBHOOK_RETRY_SECONDS ?? webhookPausesMs,
    drainSeconds: values.DRAIN_SECONDS,
  };
}

/**
 * The store that a text names as MEDIA_STORE does, with the other variables of a bucket. Throws a BootError that calls
 * the text `name`.
 */
export const loadStoreAddress = (name: string, text: string, environment: Environment): StoreAddress =>
  toStoreAddress(name, text, parse(storeSchema, environment));

function toStoreAddress(name: string, text: string, values: z.output<typeof storeSchema>): StoreAddress {
  const store = parseStoreAddress(text, {
    region: values.S3_REGION ?? values.AWS_REGION ?? values.AWS_DEFAULT_REGION,
    endpoint: values.S3_ENDPOINT,
    forcePathStyle: values.S3_FORCE_PATH_STYLE,
  });
  if ("problem" in store) throw new BootError(`${name} ${store.problem}. See README "Configuration".`);
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: key } = values;
  if (store.kind === "bucket" && (id === undefined) !== (key === undefined)) {
    const [set, unset] = id === undefined ? [SECRET_NAME, ID_NAME] : [ID_NAME, SECRET_NAME];
    throw new BootError(
      `${set} is set and ${unset} is not; a bucket needs both. See README "Configuration".`,
    );
  }
  return store;
}

const ID_NAME = "AWS_ACCESS_KEY_ID";
const SECRET_NAME = "AWS_SECRET_ACCESS_KEY";

/** The same for fetches only. Creates no token and no folder. */
export const loadFetchConfig = (environment: Environment): FetchConfig =>
  toFetchConfig(parse(fetchSchema, environment));

function parse<Schema extends z.ZodType>(schema: Schema, environment: Environment): z.output<Schema> {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
  const parsed = schema.safeParse(present, { error: explainInvalid });
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `${String(issue.path[0])} ${issue.message}`);
  throw new BootError(`${problems.join("; ")}. See README "Configuration".`);
}

const toFetchConfig = (values: z.output<typeof fetchSchema>): FetchConfig => ({
  baseUrl: values.BASE_URL ?? `http://localhost:${values.PORT}`,
  operatorContact: values.OPERATOR_CONTACT,
  // Gateways are written with and without /ipfs, which every path on them starts with.
  ipfsGateways: values.IPFS_GATEWAYS.map((url) => withoutTrailing(url, "/").replace(/\/ipfs$/, "")),
  ipfsUnverified: values.IPFS_UNVERIFIED,
  extraSchemes: new Set(values.METADATA_EXTRA_SCHEMES.filter(isExtraScheme)),
  allowedPrivateHosts: new Set(values.ALLOW_PRIVATE_HOSTS.map((host) => host.toLowerCase())),
});

/** What may be logged: no token and no secret. Flat, since the log prints an object as `[object Object]`. */
export function redacted({ secrets, ...config }: ServingConfig): Record<string, unknown> {
  return {
    ...config,
    mediaStore: showStore(config.mediaStore),
    operatorToken: config.operatorToken ? "set" : "unset",
    delegationApiKey: config.delegationApiKey ? "set" : "unset",
    secret: "set",
    previousSecret: secrets.previous ? "set" : "unset",
    operatorAddresses: [...config.operatorAddresses],
    autoApprove: [...config.autoApprove],
    extraSchemes: [...config.extraSchemes],
    allowedPrivateHosts: [...config.allowedPrivateHosts],
  };
}

function isHttpUrl(text: string): boolean {
  // A space would pass as part of the path, but means a list written without commas.
  return !/\s/.test(text) && /^https?:$/.test(parseUrl(text)?.protocol ?? "");
}
