/** Client of Vitrine. README.md has examples. */

export type { components, operations, paths } from "./api.ts";
export {
  type Collection,
  createVitrine,
  type Delegation,
  type SearchOptions,
  type Token,
  type TradeCheck,
  type TradeCheckOptions,
  type TraitValueOptions,
  type Vitrine,
} from "./client.ts";
export { type ErrorCode, type ErrorDetail, VitrineError, type VitrineErrorCode } from "./errors.ts";
export type { EventOptions, EventStream, EventType, StreamEvent } from "./events.ts";
export type { ExportedOwner, ExportedToken, OwnerExportOptions, TokenExportOptions } from "./exports.ts";
export type { InformationAnswer, InformationState, NewInformation, ReplaceOptions } from "./information.ts";
export type {
  Activity,
  ActivityOptions,
  ActivityType,
  CollectionOwner,
  OwnerOptions,
  TokenBatch,
  WalletToken,
  WalletTokenOptions,
} from "./lists.ts";
export type { Page, Paged } from "./pages.ts";
export type {
  CollectionRefreshReceipt,
  RefreshAccepted,
  RefreshOptions,
  RefreshReceipt,
  WaitOptions,
} from "./refresh.ts";
export type { CallOptions, ChainOption, VitrineOptions } from "./request.ts";
export type { TokenConditions, TraitConditions } from "./search.ts";
export type { TokenId } from "./token-id.ts";
export type {
  DeliveryOptions,
  Webhook,
  WebhookChange,
  WebhookDelivery,
  WebhookSettings,
  WebhookWithSecret,
} from "./webhooks.ts";
