/** PONDER_RPC_URL_<chainId>, for commands that need no collections file; by the rule of `loadIndexConfig`. */

type Environment = Readonly<Record<string, string | undefined>>;

const RPC_VARIABLE = /^PONDER_RPC_URL_([1-9][0-9]*)$/;

/** The chains with an RPC endpoint. */
export const configuredChains = (environment: Environment): number[] =>
  Object.entries(environment).flatMap(([variable, value]) => {
    const id = RPC_VARIABLE.exec(variable)?.[1];
    return id && value ? [Number(id)] : [];
  });

/** In order of preference; undefined if the variable is not set. Throws a sentence for one that is not a list of URLs. */
export function rpcUrlsOf(chainId: number, environment: Environment): string[] | undefined {
  const variable = `PONDER_RPC_URL_${chainId}`;
  const value = environment[variable];
  if (!value) return undefined;
  const rpcUrls = value
    .split(",")
    .map((url) => url.trim())
    .filter(Boolean);
  const bad = rpcUrls.findIndex((url) => !isHttpUrl(url));
  if (rpcUrls.length > 0 && bad < 0) return rpcUrls;
  // An endpoint's URL often contains a provider key, so it is named by its place.
  const found = bad < 0 ? "it lists none" : `entry ${bad + 1} is not one`;
  throw new Error(`${variable} must be http(s) URLs separated by commas; ${found}.`);
}

// A space would pass as part of the path.
const isHttpUrl = (url: string): boolean =>
  URL.canParse(url) && !/\s/.test(url) && /^https?:$/.test(new URL(url).protocol);
