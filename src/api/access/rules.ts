/** The pure rules of access that other modules share. Importing them starts and opens nothing. */

export { createCipher, deriveKey } from "./keys/encryption.ts";
