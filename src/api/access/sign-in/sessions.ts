/** Who is signed in to the console: a wallet, or an operator with a one-time link. */

import { hash, randomBytes } from "node:crypto";
import { generateSiweNonce } from "viem/siwe";
import type { Database } from "../../db/database.ts";
import { addAudit } from "../audit.ts";
import {
  addLink,
  addNonce,
  addSession,
  endSession,
  endSessions,
  findSession,
  takeLink,
  takeNonce,
} from "./session-store.ts";

const NONCE_SECONDS = 600;
const LINK_SECONDS = 600;
const SESSION_SECONDS = 12 * 3_600;

export interface Session {
  /** The wallet, in lower case; null for an operator who signed in by link. */
  readonly address: string | null;
  readonly isOperator: boolean;
  /** The actor's name in the audit log. */
  readonly actor: string;
  readonly expiresAt: Date;
}

// The prefixes let logs be redacted and secret scanners warn.
const makeToken = (prefix: "vs" | "vl"): string => `${prefix}_${randomBytes(32).toString("hex")}`;
const digest = (token: string): Buffer => hash("sha256", token, "buffer");

/** Binds a nonce to its purpose and exact text: another chain, expiry or resource doesn't match, whoever signed it. */
const boundTo = (purpose: string, message: string): string => `${purpose} ${hash("sha256", message)}`;

export function createSessions(database: Database, operatorAddresses: ReadonlySet<string>) {
  async function start(address: string | null, how: string): Promise<string> {
    const token = makeToken("vs");
    const actor = address ?? "operator";
    await database.transaction(async (tx) => {
      await addSession(tx, digest(token), address, SESSION_SECONDS);
      await addAudit(tx, actor, "sessions.start", actor, { how });
    });
    return token;
  }

  return {
    seconds: SESSION_SECONDS,

    /** A text for a wallet to sign, bound to a nonce: valid once within ten minutes, for one purpose, verbatim. */
    async issueMessage(purpose: string, messageFor: (nonce: string) => string): Promise<string> {
      const nonce = generateSiweNonce();
      const message = messageFor(nonce);
      await addNonce(database, nonce, boundTo(purpose, message), NONCE_SECONDS);
      return message;
    },

    /** True once per text that was issued for the purpose under that nonce; false for any other text. */
    spendMessage: (message: string, nonce: string, purpose: string): Promise<boolean> =>
      takeNonce(database, nonce, boundTo(purpose, message)),

    /** Signs in a wallet that has proved its identity; returns the token for its cookie. */
    startForWallet: (address: string): Promise<string> => start(address, "wallet"),

    /** Signs in the holder of a link; undefined if the link was used, has expired or never existed. */
    async startByLink(link: string): Promise<string | undefined> {
      return (await takeLink(database, digest(link))) ? start(null, "link") : undefined;
    },

    /** The token of a one-time link for the operator, valid for ten minutes. */
    async makeLink(actor: string): Promise<{ readonly token: string; readonly expiresAt: Date }> {
      const token = makeToken("vl");
      const expiresAt = await database.transaction(async (tx) => {
        await addAudit(tx, actor, "login_links.create", actor, {});
        return addLink(tx, digest(token), LINK_SECONDS);
      });
      return { token, expiresAt };
    },

    /** A token's session; undefined if it has expired or never existed. Throws when the database can't answer. */
    async find(token: string): Promise<Session | undefined> {
      const found = await findSession(database, digest(token));
      if (!found) return undefined;
      const { address, expiresAt } = found;
      const isOperator = address === null || operatorAddresses.has(address);
      return { address, isOperator, actor: address ?? "operator", expiresAt };
    },

    end: (token: string): Promise<void> => endSession(database, digest(token)),

    /** Ends every session of the same holder, including this one. */
    endAll: ({ address, actor }: Session): Promise<void> =>
      database.transaction(async (tx) => {
        const sessions = await endSessions(tx, address);
        await addAudit(tx, actor, "sessions.end", actor, { sessions });
      }),
  };
}

export type Sessions = ReturnType<typeof createSessions>;
