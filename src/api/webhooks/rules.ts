/** The pure rules of webhooks that other modules share. Importing them starts and opens nothing. */

export { createWebhookCheck } from "./check-body.ts";
export { rotationOf } from "./rotation.ts";
export { newWebhookBody } from "./schemas.ts";
