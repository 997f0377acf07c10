/** API keys, apps, sessions, the operator, and rate limits. */

import type { ChainClients } from "../chain/rpc/clients.ts";
import type { Database } from "../db/database.ts";
import type { ApiName } from "../http/api-names.ts";
import type { DailyJob } from "../jobs/daily.ts";
import type { Logger } from "../logging/logger.ts";
import { type Apps, createApps } from "./apps/apps.ts";
import { createUsage, forgetOldUsage, type Usage } from "./apps/usage.ts";
import { type AuditRow, readAudit } from "./audit.ts";
import { createCipher, type Secrets } from "./keys/encryption.ts";
import { type AccessService, createAccess } from "./keys/service.ts";
import { createRateLimits, type RateLimitDeps, type RateLimits } from "./limits/rate-limits.ts";
import { forgetOldSessions } from "./sign-in/session-store.ts";
import { createSessions, type Sessions } from "./sign-in/sessions.ts";
import { createWalletProof, type WalletProof } from "./sign-in/wallet-proof.ts";

export {
  displayTypeSubject,
  hostSubject,
  parseDisplayTypeSubject,
  parseHostSubject,
} from "./apps/content-subjects.ts";
export { ALL_COLLECTIONS } from "./apps/permissions.ts";
export { ACCESS_CHANNEL } from "./keys/key-store.ts";
export { LIVE_KEYS_MAX } from "./keys/service.ts";
export { requireOperator } from "./operator.ts";
export { recordRequests } from "./requests/record-requests.ts";
export { LOGGED_DAYS, LOGGED_MAX } from "./requests/request-log.ts";
export { evidenceOf, whyUnproven } from "./sign-in/contract-authority.ts";

export interface AccessModuleDeps extends Pick<RateLimitDeps, "trustedProxies" | "onFault" | "limits"> {
  readonly database: Database;
  readonly clients: ChainClients;
  readonly secrets: Secrets;
  readonly operatorAddresses: ReadonlySet<string>;
  /** APIs that apps get without an operator's approval. */
  readonly autoApprove: ReadonlySet<ApiName>;
  readonly baseUrl: string;
  readonly logger: Logger;
}

export interface AccessModule {
  readonly access: AccessService;
  readonly apps: Apps;
  readonly rateLimits: RateLimits;
  readonly proof: WalletProof;
  /** Newest first; `before` is the id of the previous page's last row. */
  readonly readAudit: (limit: number, before?: string) => Promise<AuditRow[]>;
  readonly sessions: Sessions;
  /** Counts until it is stopped. */
  readonly usage: Usage;
}

export const accessJobs: readonly DailyJob[] = [forgetOldUsage, forgetOldSessions];

/** Re-encrypts keys of another secret with the current one, in the background, and logs the outcome. */
export function reencryptKeys(access: AccessService, logger: Logger): void {
  access.reencrypt().then(
    (secrets) => {
      logger.info({ msg: "API keys are encrypted with VITRINE_SECRET", ...secrets });
      if (secrets.unreadable === 0) return;
      const msg = "Some API keys can't be shown again: they are encrypted with another secret";
      logger.warn({ msg, keys: secrets.unreadable, cure: "set VITRINE_SECRET_PREVIOUS to that secret" });
    },
    (error: Error) => logger.warn({ msg: "Could not re-encrypt API keys", reason: error.message }),
  );
}

export function createAccessModule(deps: AccessModuleDeps): AccessModule {
  const { database, secrets, operatorAddresses, logger } = deps;
  const access = createAccess(database, createCipher(secrets, "api-key"));
  const usage = createUsage(database, logger);
  return {
    access,
    apps: createApps({ database, access, autoApprove: deps.autoApprove }),
    rateLimits: createRateLimits({
      ...deps,
      countUsage: usage.count,
      onFirstRefusal: (client) =>
        access.audit(database, "nobody", "operator.refused", client, {
          reason: "too many wrong tokens or sign-ins",
        }),
    }),
    proof: createWalletProof(deps),
    readAudit: (limit, before) => readAudit(database, limit, before),
    sessions: createSessions(database, operatorAddresses),
    usage,
  };
}
