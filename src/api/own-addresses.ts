/** The addresses of this machine's network interfaces. */

import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";

/** Read at each call; empty where the system keeps them from its processes, as some sandboxes do. */
export function ownAddresses(): readonly NetworkInterfaceInfo[] {
  try {
    return Object.values(networkInterfaces()).flatMap((each = []) => each);
  } catch {
    return [];
  }
}
