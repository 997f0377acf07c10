/** Keys of a running service, from its admin API. */

/** Of every service that tests start. */
export const OPERATOR_TOKEN = "operator-token-of-the-tests";

/** A key with the permissions of partners and readers. */
export async function createKey({ baseUrl }: { readonly baseUrl: string }, app = "tests"): Promise<string> {
  const response = await fetch(`${baseUrl}/admin/keys`, {
    method: "POST",
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify({ app, apis: ["market-partner", "market"] }),
  });
  return ((await response.json()) as { key: string }).key;
}
