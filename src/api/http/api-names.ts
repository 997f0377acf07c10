/** The gateway APIs: the name after {base_url} in a path, which is also the name of an app's permission. */
export const apiNames = ["market-partner", "market"] as const;
export type ApiName = (typeof apiNames)[number];
