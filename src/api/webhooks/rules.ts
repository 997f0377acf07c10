/** The pure rules of webhooks that other modules share. Importing them starts and opens nothing. */

export { newWebhookBody } from "./schemas.ts";
