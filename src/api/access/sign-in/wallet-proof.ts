/** Messages for wallets to sign (ERC-4361), and checks of signatures by a key or by a contract (ERC-1271). */

import {
  type Address,
  createPublicClient,
  custom,
  getAddress,
  type Hex,
  isHex,
  verifyMessage,
  zeroAddress,
} from "viem";
import { createSiweMessage, parseSiweMessage, validateSiweMessage } from "viem/siwe";
import type { ContractRef } from "../../../domain/token-ref.ts";
import { withTimeout } from "../../async/timeout.ts";
import { type Unavailable, unavailableBecause } from "../../chain/contract/contract-call.ts";
import type { ChainClient, ChainClients } from "../../chain/rpc/clients.ts";
import { ApiError } from "../../http/errors.ts";
import { type Authority, readAuthority } from "./contract-authority.ts";

const MESSAGE_SECONDS = 600;
// Enough for a contract wallet's signature, which combines several keys' signatures.
const SIGNATURE_CHARACTERS_MAX = 16_384;
const CHAIN_MS = 5_000;
const PROBE_MS = 1_000;
// viem takes none of the hosts that a network of one's own may have, such as a name without a dot. So it writes and reads
// this one, and ours is put in its place.
const VIEM_DOMAIN = "localhost";

export interface Proof {
  readonly message: string;
  readonly signature: string;
}

export type Verdict =
  | { readonly kind: "proved"; readonly address: string; readonly nonce: string }
  | { readonly kind: "refused"; readonly reason: string };

export interface WalletProofDeps {
  /** The public URL of the service, which wallets show as the requester. */
  readonly baseUrl: string;
  readonly clients: ChainClients;
  readonly now?: () => number;
}

const unavailable = (path = "", message = "the chain's node did not answer"): ApiError =>
  new ApiError("UNAVAILABLE", [{ path, message }]);

interface Signed {
  readonly address: Address;
  readonly message: string;
  readonly signature: Hex;
}

/** Whether the wallet's contract accepts the signature. Throws UNAVAILABLE if the node is away. */
async function isAcceptedByContract(client: ChainClient, signed: Signed): Promise<boolean> {
  let because: Unavailable | undefined;
  const request = async (call: Parameters<typeof client.request>[0]): Promise<unknown> => {
    try {
      return await client.request(call);
    } catch (error) {
      because = unavailableBecause(error);
      throw error;
    }
  };
  // viem says false whether the contract refuses the signature or the node fails, so its requests are watched.
  const watched = createPublicClient({ transport: custom({ request }, { retryCount: 0 }), ccipRead: false });
  const isAccepted = await withTimeout(
    CHAIN_MS,
    watched.verifyMessage(signed).catch(() => false),
  );
  if (isAccepted) return true;
  if (isAccepted === undefined) because = "silence";
  if (because === "node" || (because !== undefined && !(await isAnswering(client))))
    throw unavailable("signature", "the signature can't be checked now: the chain's node did not answer");
  return false;
}

/** A node that answers this has only rejected a wallet's call, or taken too long for it: that may be the wallet's doing. */
async function isAnswering(client: ChainClient): Promise<boolean> {
  return (await withTimeout(PROBE_MS, client.request({ method: "eth_chainId" }))) !== undefined;
}

/** The same whatever is at the address: it must not reveal what the chain that is asked has there. */
function whyUnsigned(chainId: number, contractChainId: number | undefined): string {
  return contractChainId === undefined || chainId === contractChainId
    ? "the signature is not that of the wallet that the message names"
    : `the signature is not by the key of the wallet that the message names; contract wallets are checked on chain ${contractChainId} only, and the message names chain ${chainId}`;
}

export function createWalletProof({ baseUrl, clients, now = Date.now }: WalletProofDeps) {
  const { host: domain } = new URL(baseUrl);
  const uri = `${baseUrl}/console`;

  async function isSigned(
    address: Address,
    chainId: number | undefined,
    { message, signature }: Proof,
    beforeChain: () => Promise<void>,
  ): Promise<boolean> {
    // Nobody's: the chain recovers it as the signer of any signature from which no key can be recovered.
    if (address === zeroAddress) return false;
    if (!isHex(signature) || signature.length > SIGNATURE_CHARACTERS_MAX) return false;
    const signed = { address, message, signature: signature as Hex };
    const byKey = await verifyMessage(signed).catch(() => false);
    if (byKey) return true;
    const client = chainId === undefined ? undefined : clients.get(chainId);
    if (client === undefined) return false;
    await beforeChain();
    return isAcceptedByContract(client, signed);
  }

  return {
    /** The text for the wallet to sign. `address` may be in any case. */
    message({
      address,
      chainId,
      nonce,
      statement,
    }: {
      readonly address: string;
      readonly chainId: number;
      readonly nonce: string;
      readonly statement: string;
    }): string {
      const issuedAt = new Date(now());
      const text = createSiweMessage({
        address: getAddress(address),
        chainId,
        domain: VIEM_DOMAIN,
        expirationTime: new Date(issuedAt.getTime() + MESSAGE_SECONDS * 1000),
        issuedAt,
        nonce,
        statement,
        uri,
        version: "1",
      });
      return domain + text.slice(VIEM_DOMAIN.length);
    },

    /**
     * Finds who signed a message of ours with that statement. The caller must still consume the nonce. Contract wallets
     * are checked on `contractChainId`, whatever chain the message names: the same address on another chain may belong
     * to somebody else. `beforeChain` runs before such a check, which costs the node a call. Throws UNAVAILABLE if the
     * node is away: it may be the signature of a contract wallet.
     */
    async verify(
      proof: Proof,
      statement: string,
      contractChainId: number | undefined,
      beforeChain: () => Promise<void> = async () => undefined,
    ): Promise<Verdict> {
      const refused = (reason: string): Verdict => ({ kind: "refused", reason });
      const isOfDomain = proof.message.startsWith(`${domain} `);
      const message = parseSiweMessage(
        isOfDomain ? VIEM_DOMAIN + proof.message.slice(domain.length) : proof.message,
      );
      const { address, nonce, chainId, expirationTime } = message;
      if (!address || !nonce || chainId === undefined || !expirationTime)
        return refused("the message is not one of this service");
      const time = new Date(now());
      if (!isOfDomain || !validateSiweMessage({ address, message, domain: VIEM_DOMAIN, time }))
        return refused("the message has ended, or another site has asked for it");
      if (message.uri !== uri || message.statement !== statement)
        return refused("the message was made for something else");
      if (!(await isSigned(address, contractChainId, proof, beforeChain)))
        return refused(whyUnsigned(chainId, contractChainId));
      return { kind: "proved", address: address.toLowerCase(), nonce };
    },

    /** Whether the wallet, in lower case, speaks for the contract. Throws UNAVAILABLE if the node gives no answer. */
    async authorityOver({ chainId, address }: ContractRef, wallet: string): Promise<Authority> {
      const client = clients.get(chainId);
      if (!client) return { kind: "none", owner: undefined };
      const authority = await withTimeout(CHAIN_MS, readAuthority(client, address, wallet));
      if (!authority) throw unavailable();
      return authority;
    },
  };
}

export type WalletProof = ReturnType<typeof createWalletProof>;
