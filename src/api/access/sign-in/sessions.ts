/** Who is signed in to the console: a wallet, or an operator who came by a one-time link. */

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
  /** The wallet, in lower case; null for who came by an operator's link. */
  readonly address: string | null;
  readonly isOperator: boolean;
  /** As the audit log names it. */
  readonly actor: string;
  readonly expiresAt: Date;
}

// The prefixes let logs be masked and secret scanners warn.
const makeToken = (prefix: "vs" | "vl"): string => `${prefix}_${randomBytes(32).toString("hex")}`;
const digest = (token: string): Buffer => hash("sha256", token, "buffer");

/** What a nonce is kept for. A text with another chain, expiry or resource is another one, whoever has signed it. */
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

    /** A text for a wallet to sign, made for a nonce: it counts once within ten minutes, for one purpose, to the letter. */
    async issueMessage(purpose: string, messageFor: (nonce: string) => string): Promise<string> {
      const nonce = generateSiweNonce();
      const message = messageFor(nonce);
      await addNonce(database, nonce, boundTo(purpose, message), NONCE_SECONDS);
      return message;
    },

    /** True once per text that was issued for the purpose under that nonce; false for any other text. */
    spendMessage: (message: string, nonce: string, purpose: string): Promise<boolean> =>
      takeNonce(database, nonce, boundTo(purpose, message)),

    /** Signs a wallet in that has proved itself; answers the token for its cookie. */
    startForWallet: (address: string): Promise<string> => start(address, "wallet"),

    /** Signs the holder of a link in; undefined for one that was used, has ended or never was. */
    async startByLink(link: string): Promise<string | undefined> {
      return (await takeLink(database, digest(link))) ? start(null, "link") : undefined;
    },

    /** A link's token for the operator, good once within ten minutes. */
    async makeLink(actor: string): Promise<{ readonly token: string; readonly expiresAt: Date }> {
      const token = makeToken("vl");
      const expiresAt = await database.transaction(async (tx) => {
        await addAudit(tx, actor, "login_links.create", actor, {});
        return addLink(tx, digest(token), LINK_SECONDS);
      });
      return { token, expiresAt };
    },

    /** The session of a token; undefined for one that has ended or never was. Throws when it can't be known. */
    async find(token: string): Promise<Session | undefined> {
      const found = await findSession(database, digest(token));
      if (!found) return undefined;
      const { address, expiresAt } = found;
      const isOperator = address === null || operatorAddresses.has(address);
      return { address, isOperator, actor: address ?? "operator", expiresAt };
    },

    end: (token: string): Promise<void> => endSession(database, digest(token)),

    /** Ends every session of the same holder, this one too; answers how many there were. */
    endAll: ({ address }: Session): Promise<number> => endSessions(database, address),
  };
}

export type Sessions = ReturnType<typeof createSessions>;
