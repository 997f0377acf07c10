/** The pure rules of access that other modules share. Loading it starts and opens nothing. */

export { deriveKey } from "./keys/encryption.ts";
