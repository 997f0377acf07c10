/**
 * The owner of each table, sequence and function of schema `vitrine`, and the SQL that may name another module's. A module is a
 * folder of src/api; only it reads and writes what it owns. test/tables.test.ts checks all SQL against this file.
 */

export const owned: Readonly<Record<string, readonly string[]>> = {
  access: [
    "access_request",
    "api_key",
    "app",
    "app_status",
    "app_usage",
    "audit",
    "login_link",
    "request_log",
    "session",
    "sign_in_nonce",
  ],
  catalog: ["collection_information", "contract_metadata", "reread_contract"],
  chain: ["chain_head", "delivered_block", "index_build"],
  db: ["migration"],
  events: [
    "event",
    "event_counter",
    "event_due",
    "event_feed",
    "publish_images",
    "publish_sweeps",
    "tell_of_seen",
    "tell_of_versions",
  ],
  http: ["rate_limit"],
  jobs: ["daily_job", "host"],
  media: ["allowed_host", "media", "media_file", "media_variant"],
  metadata: [
    "close_version",
    "count_forgotten_values",
    "document",
    "forgotten_token",
    "held_type",
    "next_trait_type_id",
    "next_trait_value_id",
    "renormalise",
    "token",
    "trait_type",
    "trait_type_ids",
    "trait_value",
    "trait_value_ids",
    "version",
  ],
  refresh: [
    "cause",
    "cause_cursor",
    "image_outcome",
    "receipt",
    "receipt_outcome",
    "receipt_token",
    "refresh",
    "sampling",
    "sweep",
  ],
  webhooks: ["webhook", "webhook_delivery", "webhook_position"],
};

export interface AllowedUse {
  /** The module whose SQL it is; the SQL of a function and of its triggers belongs to the function's owner. */
  readonly module: string;
  /** What it uses of another module. */
  readonly uses: string;
  readonly access: "read" | "write";
  readonly reason: string;
}

const EVENT_TRIGGERS = "triggers note what is to be published in the transaction that makes it known";
const QUEUE =
  "one statement leases rows of the queue, or chooses a host's probe, by what is known of their tokens";
const SEARCH_COPY =
  "the search index is a copy in memory, loaded from it and kept up to date by what changed";

const PAUSED_HOSTS =
  "one statement leases, counts or answers rows of a queue by whether their host is paused";

const HEALTH =
  "one statement counts a collection's tokens by what is wrong with their reads, documents and images";

const KEPT_TOKENS =
  "one statement reads tokens' locks, and whether what is kept of their metadata is current, so that no answer mixes two moments";

export const allowedUses: readonly AllowedUse[] = [
  { module: "catalog", uses: "forgotten_token", access: "read", reason: KEPT_TOKENS },
  { module: "catalog", uses: "media", access: "read", reason: HEALTH },
  {
    module: "catalog",
    uses: "sweep",
    access: "read",
    reason: "a trigger makes the contract of a collection due in the transaction that requests its refresh",
  },
  { module: "catalog", uses: "refresh", access: "read", reason: KEPT_TOKENS },
  { module: "catalog", uses: "token", access: "read", reason: HEALTH },
  { module: "catalog", uses: "trait_type", access: "read", reason: KEPT_TOKENS },
  { module: "catalog", uses: "version", access: "read", reason: HEALTH },
  { module: "events", uses: "media", access: "read", reason: EVENT_TRIGGERS },
  { module: "events", uses: "sweep", access: "read", reason: EVENT_TRIGGERS },
  { module: "events", uses: "token", access: "read", reason: EVENT_TRIGGERS },
  { module: "events", uses: "version", access: "read", reason: EVENT_TRIGGERS },
  { module: "media", uses: "host", access: "read", reason: PAUSED_HOSTS },
  {
    module: "pages",
    uses: "token",
    access: "read",
    reason: "a page links to the tokens beside its own, and sitemaps name all, without the search index",
  },
  { module: "refresh", uses: "host", access: "read", reason: PAUSED_HOSTS },
  {
    module: "refresh",
    uses: "host",
    access: "write",
    reason: "the token that probes a host is chosen from the queue and noted in one statement",
  },
  { module: "refresh", uses: "token", access: "read", reason: QUEUE },
  { module: "refresh", uses: "version", access: "read", reason: QUEUE },
  { module: "search", uses: "forgotten_token", access: "read", reason: SEARCH_COPY },
  { module: "search", uses: "token", access: "read", reason: SEARCH_COPY },
  { module: "search", uses: "trait_type", access: "read", reason: SEARCH_COPY },
  { module: "search", uses: "trait_type_ids", access: "read", reason: SEARCH_COPY },
  { module: "search", uses: "trait_value", access: "read", reason: SEARCH_COPY },
  { module: "search", uses: "trait_value_ids", access: "read", reason: SEARCH_COPY },
  { module: "search", uses: "version", access: "read", reason: SEARCH_COPY },
  {
    module: "trading",
    uses: "collection_information",
    access: "read",
    reason:
      "one statement reads a token's locks and whether trade has opened, so that no answer mixes two moments",
  },
  {
    module: "webhooks",
    uses: "app",
    access: "read",
    reason: "one statement leases deliveries by whether their app still has the permission",
  },
];

const owners = new Map(
  Object.entries(owned).flatMap(([module, names]) => names.map((name) => [name, module] as const)),
);

/** The module that owns a table, sequence or function of schema `vitrine`; undefined if it is not on the map. */
export const ownerOf = (name: string): string | undefined => owners.get(name);
