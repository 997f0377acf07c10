/** An address of a contract or a wallet by its first and last characters. */
export const shortAddress = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`;
