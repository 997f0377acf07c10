/** The pure rules of access that other modules share. Importing them starts and opens nothing. */

export { APP_NAME_MAX } from "./apps/app-name.ts";
export { createCipher, deriveKey } from "./keys/encryption.ts";
