/** Generated from openapi.json by `npm run generate`. Don't edit. */

export interface paths {
    readonly "/market-partner/collections/{collection_address}/refresh_metadata": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Refresh the metadata of the listed tokens
         * @description Refresh the metadata of the listed tokens.
         *
         *     Needs the key of an app with the permission `market-partner`; its tier limits the requests.
         */
        readonly post: operations["refreshMetadata"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/market-partner/refreshes/{refresh_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The state of a refresh request; visible only to the app that made it
         * @description The state of a refresh request; visible only to the app that made it.
         *
         *     Needs the key of an app with the permission `market-partner`; its tier limits the requests.
         */
        readonly get: operations["getRefresh"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Cancel a refresh of a whole collection; what is fetched already stays recorded
         * @description Cancel a refresh of a whole collection; what is fetched already stays recorded.
         *
         *     Needs the key of an app with the permission `market-partner`; its tier limits the requests.
         */
        readonly delete: operations["cancelRefresh"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/market-partner/collections/{collection_address}/refresh_collection": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Refresh every token of a collection, one such refresh at a time
         * @description The app needs the permission for the collection. Tokens are read at the lowest priority, at the pace of a sweep; the receipt counts them.
         *
         *     Needs the key of an app with the permission `market-partner`; its tier limits the requests.
         */
        readonly post: operations["refreshCollection"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/market-partner/collections/{collection_address}/refreshes/{refresh_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * Cancel a refresh of this collection; what is fetched already stays recorded
         * @description Cancel a refresh of this collection; what is fetched already stays recorded.
         *
         *     Needs the key of an app with the permission `market-partner`; its tier limits the requests.
         */
        readonly delete: operations["cancelCollectionRefresh"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/market-partner/collections/{collection_address}/tokens/{token_id}/report": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * A token's issues, what each page shows, and the outcomes of its fetches
         * @description A token's issues, what each page shows, and the outcomes of its fetches.
         *
         *     Needs the key of an app with the permission `market-partner`; its tier limits the requests.
         */
        readonly get: operations["getTokenReport"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/market-partner/metadata/validate": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Check a document or a URI, with its media: issues, traits and what each page would show
         * @description Send exactly one of `document` and `uri`. The media that the document names are fetched and checked too. A URI that can't be fetched is part of the report, with status 200. Nothing is stored. An app has 60 requests per 60 seconds, 4 at once in each process; the headers `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset` show what is left.
         *
         *     Needs the key of an app with the permission `market-partner`; its tier limits the requests.
         */
        readonly post: operations["validateMetadata"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/market-partner/collections/{collection_address}/information": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * A collection's information from its creators, including trait groups
         * @description A collection's information from its creators, including trait groups.
         *
         *     Needs the key of an app with the permission `market-partner`; its tier limits the requests.
         */
        readonly get: operations["getInformation"];
        /**
         * Replace a collection's whole information
         * @description The app needs the permission for the collection. Fields that the body leaves out are removed. With `If-Match`, nothing is written unless it names the state that GET would answer now.
         *
         *     Needs the key of an app with the permission `market-partner`; its tier limits the requests.
         */
        readonly put: operations["replaceInformation"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/market-partner/webhooks": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The app's webhooks, oldest first
         * @description The app's webhooks, oldest first.
         *
         *     Needs the key of an app with the permission `market-partner`; its tier limits the requests.
         */
        readonly get: operations["listWebhooks"];
        readonly put?: never;
        /**
         * Register a URL for events
         * @description Sends every event from now on that fits `event_types` and `collections`, by the Standard Webhooks specification. A delivery that fails is retried for about three days; then the webhook is paused. The secret is shown only here.
         *
         *     Needs the key of an app with the permission `market-partner`; its tier limits the requests.
         */
        readonly post: operations["createWebhook"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/market-partner/webhooks/{webhook_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * A webhook
         * @description A webhook.
         *
         *     Needs the key of an app with the permission `market-partner`; its tier limits the requests.
         */
        readonly get: operations["getWebhook"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete a webhook with its deliveries
         * @description Delete a webhook with its deliveries.
         *
         *     Needs the key of an app with the permission `market-partner`; its tier limits the requests.
         */
        readonly delete: operations["deleteWebhook"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Change, pause or resume a webhook
         * @description Fields that the body leaves out stay as they are.
         *
         *     Needs the key of an app with the permission `market-partner`; its tier limits the requests.
         */
        readonly patch: operations["changeWebhook"];
        readonly trace?: never;
    };
    readonly "/market-partner/webhooks/{webhook_id}/test": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Send a test message
         * @description A message of type `test` is sent once, also to a paused webhook. The list of deliveries shows the outcome.
         *
         *     Needs the key of an app with the permission `market-partner`; its tier limits the requests.
         */
        readonly post: operations["testWebhook"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/market-partner/webhooks/{webhook_id}/rotate": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Replace a webhook's secret
         * @description For 24 hours, deliveries carry two signatures, by the new secret and by the one before.
         *
         *     Needs the key of an app with the permission `market-partner`; its tier limits the requests.
         */
        readonly post: operations["rotateWebhookSecret"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/market-partner/webhooks/{webhook_id}/deliveries": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * A webhook's deliveries of the last 7 days, newest first
         * @description A webhook's deliveries of the last 7 days, newest first.
         *
         *     Needs the key of an app with the permission `market-partner`; its tier limits the requests.
         */
        readonly get: operations["listWebhookDeliveries"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/market-partner/webhooks/{webhook_id}/deliveries/{delivery_id}/resend": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Send a delivery again
         * @description The same body under the same `webhook-id`. A pending delivery is due at once; any other one is sent once more.
         *
         *     Needs the key of an app with the permission `market-partner`; its tier limits the requests.
         */
        readonly post: operations["resendWebhookDelivery"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/market-partner/webhooks/{webhook_id}/deliveries/{delivery_id}/skip": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Give up a pending delivery
         * @description Later events of the same token wait for it no longer. An attempt under way may still arrive. A delivery that was skipped can be sent again, beside the order.
         *
         *     Needs the key of an app with the permission `market-partner`; its tier limits the requests.
         */
        readonly post: operations["skipWebhookDelivery"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/market-partner/collections/{collection_address}/health": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * How many tokens of a collection have which problem, and which tokens they are
         * @description The counts are up to ten seconds old. Problems of videos and animations are in the reports of tokens.
         *
         *     Needs the key of an app with the permission `market-partner`; its tier limits the requests.
         */
        readonly get: operations["getHealth"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/market/events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Events of collections as they happen, as server-sent events
         * @description Resumable with the header `Last-Event-ID` for 7 days. `data` is JSON. Every event has `id`, `type`, `chain_id`, `collection_address`, `token_id` and `at`, and further fields by its type:
         *     * `lock`, `unlock` (`lock_count`, `standard`, `locked`, `approved_contract`, `surplus`, `transaction_hash`, `block`, `block_time`): The lock count after the event, its standard, and its position on the chain. `surplus` marks an ERC-721x unlock without a preceding lock, which changes nothing. `approved_contract` is `null` if the event names none. `locked` is the token's state after the event, across all standards.
         *     * `default_lock` (`standard`, `locked`, `transaction_hash`, `block`, `block_time`): The collection's default is now `locked` or not (ERC-6982): reload what you store about its tokens. Sent once for all tokens, with `token_id` `null`.
         *     * `metadata` (`version`, `content_hash`): Another `version` with another `content_hash` is now served. For a token read before its mint was indexed, it is sent with the mint.
         *     * `media` (`status`, `url`, `reason`): The picture behind the URL of the token's image was read for the first time, replaced, or refused: `status`, `url` and `reason` are those of the token's `image`. A document that names another URL is a `metadata` event. Where more than a thousand tokens share an image, it is sent once for each collection, with `token_id` `null`.
         *     * `collection_refreshed` (`refresh_id`, `status`, `counts`, `issues`): A refresh of the whole collection has ended, which an app or the operator requested or an event of the contract started (ERC-4906 for all tokens; then no receipt of yours has the `refresh_id`): `status` is `done` or `cancelled`, `counts` says what became of its tokens, and `issues` how many tokens have which problem now, as in the collection's health (docs/refresh.md); null if they could not be counted in time. Sent once for all tokens, with `token_id` `null`.
         *     * `reverted` (`reverts`, `reverted_type`): A reorg reverted the event whose id is in `reverts`. Sent to clients that asked for `reverted_type`. Read the token again. If a reorg puts a lock event before one that stays, the one that stays is reverted, too, and sent again after the new one.
         *     * `reset` (`reason`, `last_event_id`, `latest`): Missed events are no longer available: the id was `too_old`, or is an `unknown_id` of another database. Reload what you store; the stream continues from `latest`.
         *
         *     Needs the key of an app with the permission `market`; its tier limits the requests.
         */
        readonly get: operations["streamEvents"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/market/collections/{collection_address}/export": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * A whole collection as a stream: its listed tokens, or its owners
         * @description Everything is of one moment, the block in `X-As-Of-Block`. Rows are ordered by token id, as a number, or by owner. A body that ends early is cut: its connection ends without the last chunk. docs/exports.md describes the columns.
         *
         *     Needs the key of an app with the permission `market`; its tier limits the requests.
         */
        readonly get: operations["exportCollection"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/market/collections": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The collections served here
         * @description The collections served here.
         *
         *     Needs the key of an app with the permission `market`; its tier limits the requests.
         */
        readonly get: operations["listCollections"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/market/collections/{collection_address}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * One collection, with its creators' information
         * @description One collection, with its creators' information.
         *
         *     Needs the key of an app with the permission `market`; its tier limits the requests.
         */
        readonly get: operations["getCollection"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/market/collections/{collection_address}/tokens/{token_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * A token: metadata, traits, lock state and what each page shows
         * @description A token: metadata, traits, lock state and what each page shows.
         *
         *     Needs the key of an app with the permission `market`; its tier limits the requests.
         */
        readonly get: operations["getToken"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/market/collections/{collection_address}/tokens": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Tokens by traits, text, owner and lock state, sorted and paginated
         * @description A page starts where the previous one ended, even if tokens were added or changed in between: no unchanged token is repeated or left out. Burned tokens are not listed.
         *
         *     Needs the key of an app with the permission `market`; its tier limits the requests.
         */
        readonly get: operations["searchTokens"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/market/collections/{collection_address}/traits": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The trait distribution of all tokens, or of those that match
         * @description The trait distribution of all tokens, or of those that match.
         *
         *     Needs the key of an app with the permission `market`; its tier limits the requests.
         */
        readonly get: operations["getTraits"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/market/collections/{collection_address}/traits/{trait}/values": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The values of a trait that begin with a text
         * @description To complete what someone types, also where a trait has more values than the distribution lists. Values of listed tokens, most frequent first. A trait that no token has has no values.
         *
         *     Needs the key of an app with the permission `market`; its tier limits the requests.
         */
        readonly get: operations["getTraitValues"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/market/search": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Collections and tokens by name, over all collections
         * @description First what has the id, the address or exactly the name or slug, then what begins with the text, then what contains it, ignoring case; each by name.
         *
         *     Needs the key of an app with the permission `market`; its tier limits the requests.
         */
        readonly get: operations["searchAll"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/market/collections/{collection_address}/tokens/batch": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Up to 100 tokens of a collection, in the order of their ids
         * @description Each item is the same as from the single-token route. Ids of tokens without an indexed transfer are listed in `missing`. An id that is repeated is answered once. Tokens whose documents have more than 8 MiB together are refused with the number that an answer has room for.
         *
         *     Needs the key of an app with the permission `market`; its tier limits the requests.
         */
        readonly post: operations["getTokens"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/market/collections/{collection_address}/tokens/{token_id}/activity": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Mints, transfers, burns, locks, unlocks and metadata changes of a token
         * @description Newest first. A page starts where the previous one ended, even if more has happened since. `metadata` is a new document of a token, kept for 90 days or while it is served. A collection's lock default is not among its tokens' locks.
         *
         *     Needs the key of an app with the permission `market`; its tier limits the requests.
         */
        readonly get: operations["getTokenActivity"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/market/collections/{collection_address}/activity": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Mints, transfers, burns, locks, unlocks and metadata changes in a collection
         * @description Newest first. A page starts where the previous one ended, even if more has happened since. `metadata` is a new document of a token, kept for 90 days or while it is served.
         *
         *     Needs the key of an app with the permission `market`; its tier limits the requests.
         */
        readonly get: operations["getCollectionActivity"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/market/wallets/{address}/activity": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Mints, transfers, burns, locks and unlocks of a wallet's tokens
         * @description What the wallet sent and received, and the locks and unlocks of ERC-721 tokens while it owned them, in all collections. Newest first. A page starts where the previous one ended, even if more has happened since.
         *
         *     Needs the key of an app with the permission `market`; its tier limits the requests.
         */
        readonly get: operations["getWalletActivity"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/market/collections/{collection_address}/owners": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The owners of a collection with quantities, now or at a block
         * @description Largest first, and by address where quantities are equal. `at_block` goes by the transfers from the first indexed block on. While tokens move, an owner whose quantity changes may be on two pages or on none; pages of an `at_block` are exact once the block is final.
         *
         *     Needs the key of an app with the permission `market`; its tier limits the requests.
         */
        readonly get: operations["getOwners"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/market/wallets/{address}/tokens": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * A wallet's tokens over all collections, with those that it may use by delegation
         * @description The wallet's own tokens come first, by chain, collection and token id. With `include_delegated=true` those follow that holders delegated to it without limits on rights, in the delegate registries that are indexed here; trade checks accept the wallet for the same tokens. A page may have fewer tokens than the limit: documents of more than 8 MiB together come on several pages.
         *
         *     Needs the key of an app with the permission `market`; its tier limits the requests.
         */
        readonly get: operations["getWalletTokens"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/market/trade_checks": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Whether up to 100 tokens may be listed, transferred or traded now
         * @description `allowed` is true only while the chain index is ready, fresh and not behind what was seen of it before; else the reason is `index_stale`. Without `verify` only events count: a paused contract, a name that has expired or a transfer policy is not seen. With `"verify": "chain"` the owner's transfer of each token is tried as well, and the answer takes up to 3 seconds; a transfer that reverts is `transfer_reverts`, and one that the node did not answer for in time is `not_verified`. An app may have 4 such requests at once in each process.
         *
         *     Needs the key of an app with the permission `market`; its tier limits the requests.
         */
        readonly post: operations["checkTrades"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/market/wallets/{address}/delegations": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Incoming and outgoing delegations of a wallet
         * @description Answers while the registry is down, too, and says so.
         *
         *     Needs the key of an app with the permission `market`; its tier limits the requests.
         */
        readonly get: operations["getWalletDelegations"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/registry/v2/check/all": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Delegations of any type from one wallet to another
         * @description Delegations of any type from one wallet to another.
         *
         *     Needs no key; without one, requests are limited by client address.
         */
        readonly get: operations["listDelegationsBetween"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/registry/v2/check/contract": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Whether `to` may act for `from` on a contract
         * @description Whether `to` may act for `from` on a contract.
         *
         *     Needs no key; without one, requests are limited by client address.
         */
        readonly get: operations["checkDelegateForContract"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/registry/v2/check/erc721": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Whether `to` may act for `from` on a token
         * @description Whether `to` may act for `from` on a token.
         *
         *     Needs no key; without one, requests are limited by client address.
         */
        readonly get: operations["checkDelegateForERC721"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/registry/v2/check/erc20": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * How much of a coin of `from` `to` may act on
         * @description How much of a coin of `from` `to` may act on.
         *
         *     Needs no key; without one, requests are limited by client address.
         */
        readonly get: operations["checkDelegateForERC20"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/registry/v2/check/erc1155": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * How much of a token of `from` `to` may act on
         * @description How much of a token of `from` `to` may act on.
         *
         *     Needs no key; without one, requests are limited by client address.
         */
        readonly get: operations["checkDelegateForERC1155"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/registry/v2/{address}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Delegations of a wallet
         * @description Delegations of a wallet.
         *
         *     Needs no key; without one, requests are limited by client address.
         */
        readonly get: operations["listDelegations"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/keys": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The keys of all apps, oldest first, with their first characters
         * @description The keys of all apps, oldest first, with their first characters.
         *
         *     For the operator. Wrong tokens are limited by client address.
         */
        readonly get: operations["listKeys"];
        readonly put?: never;
        /**
         * Create an API key for an app; only this answer shows it
         * @description An app has at most 1000 keys that work.
         *
         *     For the operator. Wrong tokens are limited by client address.
         */
        readonly post: operations["createKey"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/keys/{id}/rotate": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Create another key for the same app; the old one keeps working for a while
         * @description A key is rotated once. To end one that is rotated already, revoke it.
         *
         *     For the operator. Wrong tokens are limited by client address.
         */
        readonly post: operations["rotateKey"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/login_links": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Create a link that signs in one browser to the console as the operator, once, within ten minutes
         * @description Create a link that signs in one browser to the console as the operator, once, within ten minutes.
         *
         *     For the operator. Wrong tokens are limited by client address.
         */
        readonly post: operations["createLoginLink"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/keys/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * Revoke a key; replicas refuse it at once, or within 2 seconds if the notice is lost
         * @description Revoke a key; replicas refuse it at once, or within 2 seconds if the notice is lost.
         *
         *     For the operator. Wrong tokens are limited by client address.
         */
        readonly delete: operations["revokeKey"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/allowlist": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Hosts that video and animation_url may be shown from
         * @description Hosts that video and animation_url may be shown from.
         *
         *     For the operator. Wrong tokens are limited by client address.
         */
        readonly get: operations["listAllowedHosts"];
        readonly put?: never;
        /**
         * Allow a host, for one collection or for all
         * @description Allow a host, for one collection or for all.
         *
         *     For the operator. Wrong tokens are limited by client address.
         */
        readonly post: operations["allowHost"];
        /**
         * Remove a host from the list
         * @description Remove a host from the list.
         *
         *     For the operator. Wrong tokens are limited by client address.
         */
        readonly delete: operations["disallowHost"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/locks/reconcile": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Compare the chain index's locks with the contract's own, one page of tokens at a time; changes nothing
         * @description Compare the chain index's locks with the contract's own, one page of tokens at a time; changes nothing.
         *
         *     For the operator. Wrong tokens are limited by client address.
         */
        readonly post: operations["reconcileLocks"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/traits/pending": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Trait types with entries of another display type than the known one, oldest conflict first
         * @description Trait types with entries of another display type than the known one, oldest conflict first.
         *
         *     For the operator. Wrong tokens are limited by client address.
         */
        readonly get: operations["listPendingDisplayTypes"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/traits/approve": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Show the hidden entries of a display type, and hide those of the previous one
         * @description Show the hidden entries of a display type, and hide those of the previous one.
         *
         *     For the operator. Wrong tokens are limited by client address.
         */
        readonly post: operations["approveDisplayType"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/metadata/renormalise": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The progress of reading stored documents with new rules
         * @description The progress of reading stored documents with new rules.
         *
         *     For the operator. Wrong tokens are limited by client address.
         */
        readonly get: operations["getRenormaliseProgress"];
        readonly put?: never;
        /**
         * Read stored documents again with the current rules, in the background and without a fetch
         * @description A new release starts this automatically. Another request continues a run in progress, or starts over after a finished one.
         *
         *     For the operator. Wrong tokens are limited by client address.
         */
        readonly post: operations["requestRenormalise"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/refreshes": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The refresh queue: waiting tokens, hosts, and sweeps of collections
         * @description The refresh queue: waiting tokens, hosts, and sweeps of collections.
         *
         *     For the operator. Wrong tokens are limited by client address.
         */
        readonly get: operations["getRefreshQueue"];
        readonly put?: never;
        /**
         * Refresh up to 10000 tokens, or a whole collection at the lowest priority
         * @description Refresh up to 10000 tokens, or a whole collection at the lowest priority.
         *
         *     For the operator. Wrong tokens are limited by client address.
         */
        readonly post: operations["requestRefresh"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/refreshes/{refresh_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The progress of any caller's refresh
         * @description The progress of any caller's refresh.
         *
         *     For the operator. Wrong tokens are limited by client address.
         */
        readonly get: operations["getRefreshProgress"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/media/images/{name}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * A cached image, or a variant of it
         * @description The address contains the hash of the content, so it can be cached forever.
         *
         *     Needs no key; requests are limited by client address.
         */
        readonly get: operations["getImage"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/freshness": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Head lag and RPC endpoints per chain, the age of the refresh queue and the memory of search
         * @description Head lag and RPC endpoints per chain, the age of the refresh queue and the memory of search.
         *
         *     Needs no key; requests are limited by client address.
         */
        readonly get: operations["getFreshness"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/livez": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Whether this process is alive and, for the indexer, whether the chain index of every chain is advancing
         * @description Before the service stops, it answers 404 for `DRAIN_SECONDS`, so that load balancers send requests elsewhere.
         *
         *     Needs no key and is not limited.
         */
        readonly get: operations["getLiveness"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        readonly RefreshAccepted: {
            /** @enum {string} */
            readonly message: "Metadata refresh initiated";
            readonly refresh_id: string;
            readonly chain_id: number;
            readonly collection_address: string;
            readonly tokens: readonly {
                readonly token_id: string;
                /** @enum {string} */
                readonly status: "queued" | "fetching" | "updated" | "unchanged" | "failed" | "not_found";
                /**
                 * @description What became of the image. updated: another picture is shown. unchanged: the same as before. rejected: none is shown. pending: not decided yet. none: the document names no image. It is decided after the metadata, and does not count for `done`.
                 * @enum {string}
                 */
                readonly image?: "updated" | "unchanged" | "rejected" | "pending" | "none";
                readonly image_reason?: string | null;
                /** @description Why a token is not queued; for a burned one `burned: in block` and the block. */
                readonly reason?: string | null;
            }[];
        };
        readonly Error: {
            readonly message: string;
            /** @description The problem, for programs; codes may be added. */
            readonly code: string;
            /** @description As in the header X-Request-Id. */
            readonly request_id: string;
            readonly details?: readonly {
                readonly path: string;
                readonly message: string;
                /** @description The page where the missing permission, or a higher limit, is requested. */
                readonly url?: string;
            }[];
        };
        readonly RefreshRequest: {
            /**
             * @example [
             *       "1",
             *       "2"
             *     ]
             */
            readonly token_ids: readonly string[];
        };
        readonly RefreshReceipt: {
            readonly refresh_id: string;
            readonly chain_id: number;
            readonly collection_address: string;
            readonly created_at: string;
            readonly done: boolean;
            readonly tokens: readonly {
                readonly token_id: string;
                /** @enum {string} */
                readonly status: "queued" | "fetching" | "updated" | "unchanged" | "failed" | "not_found";
                readonly reason: string | null;
                /**
                 * @description What became of the image. updated: another picture is shown. unchanged: the same as before. rejected: none is shown. pending: not decided yet. none: the document names no image. It is decided after the metadata, and does not count for `done`.
                 * @enum {string}
                 */
                readonly image: "updated" | "unchanged" | "rejected" | "pending" | "none";
                /** @description Why the image is rejected, or has not been read yet. */
                readonly image_reason: string | null;
            }[];
        };
        readonly CollectionRefreshReceipt: {
            readonly refresh_id: string;
            readonly chain_id: number;
            readonly collection_address: string;
            readonly created_at: string;
            /**
             * @description cancelled: nothing more is fetched; what was fetched before is recorded.
             * @enum {string}
             */
            readonly status: "running" | "done" | "cancelled";
            /** @description Nothing of it is queued, being fetched or being counted any more. */
            readonly done: boolean;
            readonly counts: {
                /** @description Tokens to read. It grows while `counted` is false. */
                readonly total: number;
                readonly queued: number;
                readonly fetching: number;
                readonly updated: number;
                readonly unchanged: number;
                readonly failed: number;
                readonly not_found: number;
                /** @description Tokens that were not read because it was cancelled. */
                readonly cancelled: number;
            };
            /** @description False while the tokens are being counted, which goes on after a cancellation. */
            readonly counted: boolean;
            /** @description Failed tokens by the first word of their reason, most frequent first. */
            readonly failures: readonly {
                readonly code: string;
                readonly count: number;
                readonly example: {
                    readonly token_id: string;
                    readonly reason: string;
                };
            }[];
        };
        readonly CollectionRefreshRequested: {
            readonly refresh_id: string;
        };
        readonly CollectionRefreshCancelled: components["schemas"]["CollectionRefreshRequested"] & {
            /**
             * @description cancelled: nothing more is fetched; what was fetched before is recorded.
             * @enum {string}
             */
            readonly status: "running" | "done" | "cancelled";
        };
        readonly TokenReport: {
            readonly chain_id: number;
            readonly collection_address: string;
            readonly token_id: string;
            readonly metadata: {
                /** @enum {string} */
                readonly status: "none" | "pending" | "current" | "failed";
                readonly reason: string | null;
                readonly version: number | null;
                readonly content_hash: string | null;
                /**
                 * @description `cid` if the bytes of the served document have the hash that their IPFS URI names. null if they could not be verified: of a document at an http URL, or from a gateway that gives no blocks.
                 * @enum {string|null}
                 */
                readonly verified: "cid" | null;
                readonly fetched_at: string | null;
                /** @description The source of the served document. */
                readonly uri: string | null;
            };
            /** @description Of the served document and its media. */
            readonly issues: readonly components["schemas"]["Issue"][];
            /** @description What the last checks found. */
            readonly media: {
                readonly image: components["schemas"]["CheckedMedia"];
                readonly video: components["schemas"]["CheckedMedia"];
                readonly animation_url: components["schemas"]["CheckedMedia"];
            };
            readonly traits: readonly components["schemas"]["TokenTrait"][];
            readonly display: components["schemas"]["Display"];
            /** @description Newest first. */
            readonly versions: readonly components["schemas"]["MetadataVersion"][];
            readonly next_cursor: string | null;
        };
        readonly Issue: {
            /**
             * @description - `not_an_object` (error): The document is not a JSON object.
             *     - `missing_name` (error): `name` is required and is missing, blank or not a string.
             *     - `missing_image` (error): `image` is required and is missing, blank or not a string.
             *     - `unusable_image` (error): `image` can never be loaded: it has no scheme or an unknown one, or is malformed, such as `ipfs://` without a CID; it is kept, and no page can show it.
             *     - `wrong_type` (warning): An optional field is not a string; it is ignored.
             *     - `unusable_url` (warning): `video` or `animation_url` is not an http, https or ipfs URL, or `image` is a `data:` or `ar:` URI; it is kept, and no page can show it.
             *     - `attributes_and_properties` (warning): Both are present; `properties` is ignored.
             *     - `attributes_not_array` (warning): `attributes` is not an array; it is ignored.
             *     - `properties_not_object` (warning): `properties` is not an object; it is ignored.
             *     - `entry_not_object` (warning): An attribute entry is not an object; it is ignored.
             *     - `missing_trait_type` (warning): An attribute entry has no `trait_type` string; it is ignored.
             *     - `missing_value` (warning): An attribute entry has no `value`; it is ignored.
             *     - `unknown_display_type` (warning): `display_type` is not one of string, number, date, bool; the entry is ignored.
             *     - `value_mismatch` (warning): `value` does not match `display_type`; the entry is ignored.
             *     - `invalid_date` (warning): A `date` is not a whole number of Unix seconds; the entry is ignored.
             *     - `invalid_max_value` (warning): `max_value` is not a number or is below `value`; it is ignored.
             *     - `invalid_property` (warning): A property is neither a string nor a finite number; it is ignored.
             *     - `number_precision` (warning): A number is not kept as it is written but as the nearest IEEE 754 double, or a number attribute is beyond 2^53, where not every integer is one.
             *     - `too_many_traits` (warning): The document has more than 1,000 traits; those after the first 1,000 are ignored.
             *     - `display_type_conflict` (warning): The trait type is known with another `display_type`; the entry, which the message names by its trait type and value, is hidden until the operator approves it.
             *     - `host_not_allowed` (warning): The operator has not allowed the host of the animation or video.
             *
             *     The others are about media: an error for an `image` that is refused, and a warning for one that can't be reached, for `video` and for `animation_url`. docs/media.md lists them.
             * @enum {string}
             */
            readonly code: "not_an_object" | "missing_name" | "missing_image" | "unusable_image" | "wrong_type" | "unusable_url" | "attributes_and_properties" | "attributes_not_array" | "properties_not_object" | "entry_not_object" | "missing_trait_type" | "missing_value" | "unknown_display_type" | "value_mismatch" | "invalid_date" | "invalid_max_value" | "invalid_property" | "number_precision" | "too_many_traits" | "display_type_conflict" | "host_not_allowed" | "image_too_large" | "image_wrong_format" | "image_too_small" | "image_too_many_pixels" | "image_too_many_frames" | "image_undecodable" | "video_too_large" | "video_wrong_format" | "video_too_small" | "video_undecodable" | "animation_is_image" | "animation_not_html" | "invalid_uri" | "unsupported_scheme" | "invalid_url" | "host_refused" | "too_many_redirects" | "http_status" | "blocked_by_host" | "timeout" | "unreachable" | "content_incomplete" | "content_mismatch" | "content_unverified" | "internal_error";
            /**
             * @description error: a required part is missing or unreadable. warning: something was left out. info: nothing is lost.
             * @enum {string}
             */
            readonly level: "error" | "warning" | "info";
            /**
             * @description Where in the document; empty for the whole.
             * @example attributes[3].value
             */
            readonly path: string;
            readonly message: string;
        };
        readonly CheckedMedia: {
            /**
             * @description accepted: it can be shown. rejected: its content, or its URL, can't be. unreachable: it could not be read. skipped: there is no URL, or it has not been checked yet.
             * @enum {string}
             */
            readonly status: "accepted" | "rejected" | "unreachable" | "skipped";
            /** @example image_too_small: 300x300, at least 480x480 */
            readonly reason: string | null;
            readonly width: number | null;
            readonly height: number | null;
            readonly bytes: number | null;
            /** @example PNG */
            readonly format: string | null;
        };
        readonly TokenTrait: {
            readonly trait_type: string;
            /** @enum {string} */
            readonly display_type: "string" | "number" | "date" | "bool";
            readonly value: string | number | boolean;
            readonly max_value: number | null;
            /** @description Listed tokens of the collection with this value. */
            readonly count: number;
            /** @description Share of all listed tokens of the collection, 0 to 100, with or without metadata. A token is listed if a transfer of it is indexed and it is not burned. The distribution has the same base. */
            readonly percentage: number;
        };
        readonly Display: {
            readonly collection_page: {
                /** @enum {string} */
                readonly kind: "image" | "none";
                readonly url: string | null;
            };
            readonly token_page: {
                /** @enum {string} */
                readonly kind: "animation" | "video" | "image" | "none";
                readonly url: string | null;
                readonly skipped: readonly {
                    /** @enum {string} */
                    readonly kind: "animation" | "video";
                    readonly host: string;
                    /** @enum {string} */
                    readonly reason: "host_not_allowed" | "invalid_url" | "image_too_large" | "image_wrong_format" | "image_too_small" | "image_too_many_pixels" | "image_too_many_frames" | "image_undecodable" | "video_too_large" | "video_wrong_format" | "video_too_small" | "video_undecodable" | "animation_is_image" | "animation_not_html" | "invalid_uri" | "unsupported_scheme" | "host_refused" | "too_many_redirects" | "http_status" | "blocked_by_host" | "timeout" | "unreachable" | "content_incomplete" | "content_mismatch" | "content_unverified" | "internal_error";
                    /** @description Details, if the media was checked. */
                    readonly message?: string;
                }[];
            };
        };
        readonly MetadataVersion: {
            readonly number: number;
            /**
             * @description The trigger of the fetch; renormalise: nothing was fetched, new rules read the stored document.
             * @example rest
             */
            readonly trigger: string;
            /**
             * @description updated: served since then. rejected: read, but less complete than the served document. failed: not read.
             * @enum {string}
             */
            readonly outcome: "updated" | "rejected" | "failed";
            readonly reason: string | null;
            readonly uri: string | null;
            /** @description The block at which the URI was read. */
            readonly read_block: number | null;
            readonly content_hash: string | null;
            /** @description The version of the rules that last read the document. */
            readonly normaliser: number;
            readonly duration_ms: number;
            readonly fetched_at: string;
            /** @description The last fetch that found the same document again. */
            readonly confirmed_at: string | null;
            readonly confirmations: number;
            readonly issues: readonly components["schemas"]["Issue"][];
        };
        readonly DocumentReport: {
            /** @description A document was read, and no issue is an error. */
            readonly valid: boolean;
            /** @description The fetch; null for a document in the request. */
            readonly fetched: {
                readonly uri: string | null;
                readonly content_hash: string | null;
                readonly bytes: number | null;
                readonly duration_ms: number;
            } | null;
            /** @description Why no document could be read, with the reason that a refresh would give. */
            readonly failure: {
                readonly reason: string;
                readonly message: string;
            } | null;
            readonly issues: readonly components["schemas"]["Issue"][];
            readonly media: {
                readonly image: components["schemas"]["CheckedMedia"];
                readonly video: components["schemas"]["CheckedMedia"];
                readonly animation_url: components["schemas"]["CheckedMedia"];
            };
            readonly name: string | null;
            readonly description: string | null;
            readonly image: string | null;
            readonly video: string | null;
            readonly animation_url: string | null;
            readonly traits: readonly {
                readonly trait_type: string;
                /** @enum {string} */
                readonly display_type: "string" | "number" | "date" | "bool";
                readonly value: string | number | boolean;
                readonly max_value: number | null;
            }[];
            readonly display: components["schemas"]["Display"];
        };
        readonly ValidateRequest: {
            /** @description The document itself: any JSON value. */
            readonly document?: unknown;
            /**
             * @description Its URI: http, https or ipfs.
             * @example https://meta.example/7
             */
            readonly uri?: string;
            /**
             * @description Replaces `{id}` in the URI and the document, as in ERC-1155.
             * @example 7
             */
            readonly token_id?: string;
            /**
             * @description Applies the collection's allowed hosts and known display types.
             * @example 0x32950db2a7164ae833121501c797d79e7b79d74c
             */
            readonly collection_address?: string;
            /** @example 2020 */
            readonly chain_id?: number;
        } & (unknown | unknown);
        readonly InformationAnswer: {
            readonly chain_id: number;
            readonly collection_address: string;
            readonly information: components["schemas"]["CollectionInformation"] | null;
            /** @description Parts of `trait_groups` that have no effect on the current tokens. */
            readonly notices: readonly {
                readonly path: string;
                readonly message: string;
            }[];
        };
        readonly CollectionInformation: {
            readonly name: string;
            readonly slug: string | null;
            readonly description: string | null;
            readonly creator_name: string | null;
            readonly avatar: string | null;
            readonly banner: string | null;
            readonly website: string | null;
            readonly discord: string | null;
            readonly x: string | null;
            readonly show_at: string | null;
            readonly tradable_at: string | null;
            readonly trait_groups: readonly {
                readonly name: string;
                readonly traits: readonly {
                    readonly name: string;
                }[];
            }[];
            readonly updated_at: string;
        };
        readonly CollectionInformationRequest: {
            /** @example Heroes */
            readonly name: string;
            readonly slug?: string | null;
            readonly description?: string | null;
            readonly creator_name?: string | null;
            /** Format: uri */
            readonly avatar?: string | null;
            /** Format: uri */
            readonly banner?: string | null;
            /** Format: uri */
            readonly website?: string | null;
            /** Format: uri */
            readonly discord?: string | null;
            /** Format: uri */
            readonly x?: string | null;
            /** Format: date-time */
            readonly show_at?: string | null;
            /**
             * Format: date-time
             * @description Until then no token of the collection is `tradable`, and trade checks answer `not_open_yet`. Null opens trade immediately.
             */
            readonly tradable_at?: string | null;
            /**
             * @description Categories of the token page, in this order; without any, the default ones.
             * @default []
             */
            readonly trait_groups?: readonly {
                /** @example Outfit */
                readonly name: string;
                readonly traits: readonly {
                    /**
                     * @description A `trait_type` of the tokens. One that no token has is accepted with a notice.
                     * @example Hat
                     */
                    readonly name: string;
                }[];
            }[];
            /** @description Ignored, so that a writer can change what GET answered and send it back. */
            readonly updated_at?: string;
        };
        readonly Webhook: {
            /** Format: uuid */
            readonly id: string;
            readonly url: string;
            readonly description: string | null;
            readonly event_types: readonly string[];
            /** @description `chainId:address` each; empty for all. */
            readonly collections: readonly string[];
            /** @enum {string} */
            readonly status: "active" | "paused";
            /**
             * @description `failing`: an event, or every attempt, failed for three days. `gone`: the receiver answered 410. `requested`: somebody paused it.
             * @enum {string|null}
             */
            readonly paused_reason: "requested" | "failing" | "gone" | null;
            /** Format: date-time */
            readonly paused_at: string | null;
            /**
             * Format: date-time
             * @description The first failure since the last delivery that succeeded.
             */
            readonly failing_since: string | null;
            /**
             * Format: date-time
             * @description After a rotation: until when the previous secret signs too.
             */
            readonly old_secret_until: string | null;
            /** @description Deliveries not yet made. */
            readonly pending: number;
            /** Format: date-time */
            readonly created_at: string;
        };
        readonly WebhookWithSecret: components["schemas"]["Webhook"] & {
            /**
             * @description Shown only here.
             * @example whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD
             */
            readonly secret: string;
        };
        readonly NewWebhook: {
            /**
             * @description An https URL of a public host.
             * @example https://partner.example/hooks
             */
            readonly url: string;
            readonly description?: string | null;
            /**
             * @description Empty for all.
             * @example [
             *       "lock",
             *       "unlock"
             *     ]
             */
            readonly event_types?: readonly ("lock" | "unlock" | "default_lock" | "metadata" | "media" | "collection_refreshed")[];
            /** @description Addresses or slugs, or either after its chain, as in `chainId:address`. Empty for all. */
            readonly collections?: readonly string[];
        };
        readonly ChangedWebhook: {
            /**
             * @description An https URL of a public host.
             * @example https://partner.example/hooks
             */
            readonly url?: string;
            readonly description?: string | null;
            /**
             * @description Empty for all.
             * @example [
             *       "lock",
             *       "unlock"
             *     ]
             */
            readonly event_types?: readonly ("lock" | "unlock" | "default_lock" | "metadata" | "media" | "collection_refreshed")[];
            /** @description Addresses or slugs, or either after its chain, as in `chainId:address`. Empty for all. */
            readonly collections?: readonly string[];
            /**
             * @description `active` resumes a paused webhook: what is pending is sent at once, in order.
             * @enum {string}
             */
            readonly status?: "active" | "paused";
        };
        readonly WebhookDelivery: {
            readonly id: string;
            /** @description The header `webhook-id`: the same for every attempt and resend. */
            readonly message_id: string;
            /** @enum {string} */
            readonly kind: "event" | "test" | "resend";
            readonly event_type: string;
            /** @enum {string} */
            readonly status: "pending" | "delivered" | "failed" | "skipped";
            readonly attempts: number;
            /** Format: date-time */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description The last attempt.
             */
            readonly attempted_at: string | null;
            /**
             * Format: date-time
             * @description The earliest time of the next attempt; `null` if there is none, or none before an earlier event of its token has ended.
             */
            readonly next_attempt_at: string | null;
            /** @description Of the last attempt; `null` without an answer. */
            readonly response_status: number | null;
            /** @description Its first 256 characters. */
            readonly response_body: string | null;
            readonly error: string | null;
            readonly duration_ms: number | null;
            /** @description What is sent. `data` is the event, as in `GET /market/events`. For `test`, it is `{webhook_id, at}`. */
            readonly payload: {
                readonly type: string;
                /** Format: date-time */
                readonly timestamp: string;
                readonly data: {
                    readonly [key: string]: unknown;
                };
            };
        };
        readonly CollectionHealth: {
            readonly chain_id: number;
            readonly collection_address: string;
            /** @description Listed tokens, according to the chain index; those of ERC-1155 that were announced without a supply count too. */
            readonly tokens: number;
            /** @description Tokens whose last fetch succeeded. */
            readonly current: number;
            /** @description Tokens whose last fetch failed. */
            readonly failed: number;
            /** @description Tokens that were never read. */
            readonly unread: number;
            /** @description Tokens whose picture was asked for and rejected. One that can't be asked for has the issue `unusable_image` or `unusable_url` instead. */
            readonly rejected_images: number;
            /** @description The last read of the document that the contract names; null before the first. */
            readonly contract_document: {
                /** @description What `contractURI()` answered; null where it names no document. */
                readonly uri: string | null;
                /** @description Why the document isn't used; null where it is. The fields of the last good one stay. */
                readonly reason: string | null;
                /** Format: date-time */
                readonly read_at: string;
            } | null;
            /** @description By cause, most frequent first; with `cause`, only that one. */
            readonly issues: readonly {
                readonly code: string;
                /**
                 * @description document: an issue of the served document. image: the picture is rejected. read: the last fetch failed. stale_image: the last fetch of the picture failed, and the earlier one is still shown.
                 * @enum {string}
                 */
                readonly kind: "document" | "image" | "read" | "stale_image";
                /** @description Tokens with it. */
                readonly count: number;
                /** @description Its lowest and its highest token id. */
                readonly examples: readonly string[];
            }[];
            /** @description With `cause`: the tokens with it, by id. */
            readonly items?: readonly {
                readonly token_id: string;
                /**
                 * @description document: an issue of the served document. image: the picture is rejected. read: the last fetch failed. stale_image: the last fetch of the picture failed, and the earlier one is still shown.
                 * @enum {string}
                 */
                readonly kind: "document" | "image" | "read" | "stale_image";
                readonly reason: string;
            }[];
            /** @description With `cause`. */
            readonly next_cursor?: string | null;
        };
        readonly Collection: {
            readonly chain_id: number;
            readonly collection_address: string;
            /** @enum {string|null} */
            readonly standard: "erc721" | "erc1155" | null;
            /** @description The operator's name for it, or else its creators', or else its contract's. */
            readonly name: string | null;
            readonly slug: string | null;
            /** @description Existing tokens, according to the chain index; of ERC-1155, those with a supply. */
            readonly items: number | null;
            /** @description Wallets that own at least one token. */
            readonly owners: number | null;
            /** @description From its creators. Fields that they left empty, all of them where they submitted none, come from the contract's own document (ERC-7572). */
            readonly information: components["schemas"]["CollectionInformation"] | null;
            /** @description Where each field comes from: its creators (`maker`), its contract, or the operator's configuration; null for one without a value. `name` and `slug` are those of the collection. */
            readonly information_source: {
                /** @enum {string|null} */
                readonly name: "maker" | "contract" | "configuration" | null;
                /** @enum {string|null} */
                readonly slug: "maker" | "contract" | "configuration" | null;
                /** @enum {string|null} */
                readonly description: "maker" | "contract" | "configuration" | null;
                /** @enum {string|null} */
                readonly creator_name: "maker" | "contract" | "configuration" | null;
                /** @enum {string|null} */
                readonly avatar: "maker" | "contract" | "configuration" | null;
                /** @enum {string|null} */
                readonly banner: "maker" | "contract" | "configuration" | null;
                /** @enum {string|null} */
                readonly website: "maker" | "contract" | "configuration" | null;
                /** @enum {string|null} */
                readonly discord: "maker" | "contract" | "configuration" | null;
                /** @enum {string|null} */
                readonly x: "maker" | "contract" | "configuration" | null;
            };
            /** @description The collection's default royalty (ERC-2981), from a few of its tokens; a token may have another. Null without one. */
            readonly royalty: {
                readonly receiver: string;
                /** @description Of the sale price, 0 to 100. */
                readonly percent: number;
            } | null;
            /** @description Logs of the contract that the chain index could not process in full (docs/trading.md). */
            readonly anomalies: readonly {
                /** @example unreadable_transfer */
                readonly kind: string;
                /** @description Number of logs. */
                readonly count: number;
                readonly first_block: number;
                /** @description Details of the first one. */
                readonly detail: string;
            }[];
        };
        readonly Token: {
            readonly chain_id: number;
            readonly collection_address: string;
            readonly token_id: string;
            /** @enum {string|null} */
            readonly standard: "erc721" | "erc1155" | null;
            readonly owner?: string | null;
            readonly supply?: string | null;
            /** @description Burned tokens have an answer but are not listed. */
            readonly burned: boolean;
            readonly name: string | null;
            readonly description: string | null;
            readonly image: {
                /** @enum {string} */
                readonly status: "cached" | "pending" | "rejected" | "none";
                readonly url: string | null;
                readonly reason: string | null;
                /** @description Of the source, in pixels, as displayed; null while unknown, like the next three. */
                readonly width: number | null;
                readonly height: number | null;
                readonly bytes: number | null;
                /**
                 * @description By content.
                 * @example PNG
                 */
                readonly format: string | null;
                /**
                 * @description A thumbhash of the cached image in base64, to show until it has loaded.
                 * @example 1QcSHQRnh493V4dIh4eXh1h4kJUI
                 */
                readonly placeholder: string | null;
                /** @description The cached image in fewer bytes, largest first. Empty where none takes fewer. */
                readonly variants: readonly {
                    /** @example image/webp */
                    readonly type: string;
                    readonly width: number;
                    readonly height: number;
                    readonly bytes: number;
                    readonly url: string;
                }[];
            };
            readonly display: components["schemas"]["Display"];
            readonly traits: readonly components["schemas"]["TokenTrait"][];
            readonly property_groups: readonly {
                readonly category: string;
                readonly traits: readonly string[];
            }[];
            /** @description Over shown string and boolean traits, the lack of a trait included. Null for a token that is not listed, and where no listed token has such a trait. */
            readonly rarity: {
                /**
                 * @description From 1, the rarest. Tokens of the same score share a rank.
                 * @example 12
                 */
                readonly rank: number;
                /**
                 * @description Information content by the entropy of the collection, after OpenRarity.
                 * @example 1.84
                 */
                readonly score: number;
                /** @description The number of ranked tokens: all that are listed. */
                readonly of: number;
            } | null;
            /** @description The current state in the chain index. For a token that is not indexed yet, `locked` and `tradable` are false. */
            readonly lock: {
                readonly locked: boolean;
                /** @description ERC-721x locks, plus one for each other standard that locks the token. */
                readonly lock_count: number;
                /** @description The standards that lock it now. */
                readonly standards: readonly ("erc721x" | "erc5192" | "erc6982" | "erc5753" | "erc7066")[];
                /** @description The contracts that the lock events of `standards` name, those of the oldest locks first: at most 100, from the token's newest 1,000 lock events. `lock_count` counts all. */
                readonly approved_contracts: readonly string[];
                readonly since_block: number | null;
            };
            /** @description True only if the chain index is fresh, the token is indexed and neither burned nor locked, and trade of its collection is open. Based on events only: paused contracts, expired names and transfer policies are not considered. Trade checks with `verify` consider them. */
            readonly tradable: boolean;
            /**
             * Format: date-time
             * @description When trade of the collection opens; null once it is open, and for a token that is not indexed yet.
             */
            readonly opens_at: string | null;
            readonly metadata: {
                /** @enum {string} */
                readonly status: "none" | "pending" | "current" | "failed";
                readonly reason: string | null;
                readonly version: number | null;
                readonly content_hash: string | null;
                /**
                 * @description `cid` if the bytes of the served document have the hash that their IPFS URI names. null if they could not be verified: of a document at an http URL, or from a gateway that gives no blocks.
                 * @enum {string|null}
                 */
                readonly verified: "cid" | null;
                readonly fetched_at: string | null;
                readonly issues: readonly components["schemas"]["Issue"][];
            };
        };
        readonly TokenPage: {
            /** @description A page may have fewer tokens than the limit: tokens that were just burned are left out, and documents of more than 8 MiB together come on several pages. */
            readonly items: readonly components["schemas"]["ListedToken"][];
            /** @description Null after the last page. */
            readonly next_cursor: string | null;
            /** @description The number of matching tokens on all pages; with `group`, of their documents. */
            readonly total: number;
        };
        readonly ListedToken: components["schemas"]["Token"] & {
            /** @description With `group=document`: the matching tokens of the same document, this one included. */
            readonly count?: number;
        };
        readonly TraitDistribution: {
            /** @description The number of matching listed tokens. A token is listed if a transfer of it is indexed and it is not burned. */
            readonly total: number;
            /** @description The number of listed tokens of the collection, whatever the filter: the base of percentages. */
            readonly listed: number;
            readonly traits: readonly components["schemas"]["TraitFacet"][];
        };
        readonly TraitFacet: {
            readonly trait_type: string;
            /** @enum {string} */
            readonly display_type: "string" | "number" | "date" | "bool";
            /** @description Matching tokens that have the trait. */
            readonly count: number;
            /** @description For numbers and dates, among matching tokens. */
            readonly min: number | null;
            readonly max: number | null;
            /** @description The highest number that any token of the collection has had. It drops only when tokens without any transfer are deleted. */
            readonly max_value: number | null;
            /** @description Most frequent first, at most 1,000. */
            readonly values: readonly {
                readonly value: string | number | boolean;
                /** @description Matching tokens with this value. */
                readonly count: number;
                /** @description `count` as a share of `listed`, 0 to 100, with any filter: the same base as the percentages of a token. */
                readonly percentage: number;
            }[];
            /** @description The number of different values. */
            readonly values_total: number;
        };
        readonly TraitValues: {
            readonly trait_type: string;
            /**
             * @description Null for a trait that the collection has never had.
             * @enum {string|null}
             */
            readonly display_type: "string" | "number" | "date" | "bool" | null;
            /** @description The number of values that begin with the prefix. */
            readonly total: number;
            /** @description The number of listed tokens of the collection: the base of percentages. */
            readonly listed: number;
            /** @description Most frequent first. */
            readonly values: readonly {
                readonly value: string | number | boolean;
                /** @description Matching tokens with this value. */
                readonly count: number;
                /** @description `count` as a share of `listed`, 0 to 100, with any filter: the same base as the percentages of a token. */
                readonly percentage: number;
            }[];
        };
        readonly SearchResults: {
            /** @description By name, slug and address, the best first. */
            readonly collections: readonly components["schemas"]["Collection"][];
            /** @description By name and id, the best first; those whose documents have at most 8 MiB together, which may be fewer than the limit. */
            readonly tokens: readonly components["schemas"]["Token"][];
            /** @description The number of collections whose tokens were left out: without a search index in memory, few are searched. Each can be searched alone. */
            readonly unsearched: number;
        };
        readonly TokenBatch: {
            readonly items: readonly components["schemas"]["Token"][];
            /** @description Ids without a token. */
            readonly missing: readonly string[];
        };
        readonly TokenBatchRequest: {
            /**
             * @example [
             *       "1",
             *       "2"
             *     ]
             */
            readonly token_ids: readonly string[];
        };
        readonly ActivityPage: {
            readonly items: readonly components["schemas"]["Activity"][];
            /** @description Null after the last page. */
            readonly next_cursor: string | null;
        };
        readonly Activity: {
            /** @enum {string} */
            readonly type: "mint" | "transfer" | "burn" | "lock" | "unlock" | "metadata";
            readonly chain_id: number;
            readonly collection_address: string;
            /** @description null for a lock or unlock of all tokens without a lock event of their own (ERC-6982). */
            readonly token_id: string | null;
            /** @description In a collection or a wallet, the last token of a mint of many that the chain logged once. */
            readonly last_token_id: string | null;
            /** @description null except for mint, transfer and burn. */
            readonly from: string | null;
            readonly to: string | null;
            /** @description Number of tokens; null as `from`. */
            readonly quantity: string | null;
            /** @description For metadata, the block at which the contract was read. */
            readonly block: number | null;
            /**
             * Format: date-time
             * @description The block's time; for metadata, when it was read.
             */
            readonly at: string;
            /** @description null for metadata. */
            readonly transaction_hash: string | null;
        };
        readonly OwnerPage: {
            readonly items: readonly {
                readonly owner: string;
                /** @description ERC-721: the number of tokens. ERC-1155: the sum of the balances. */
                readonly quantity: string;
            }[];
            /** @description Null after the last page. */
            readonly next_cursor: string | null;
            /** @description The number of owners on all pages. */
            readonly total: number;
            /** @description `at_block`, or the newest indexed block; null before there is any. */
            readonly as_of_block: number | null;
        };
        readonly WalletTokenPage: {
            readonly items: readonly {
                readonly token: components["schemas"]["Token"];
                /** @description 1 for ERC-721, for ERC-1155 the balance of `holder`, even where `via.amount` is smaller. */
                readonly quantity: string;
                /** @description The wallet, or who delegated the token to it. */
                readonly holder: string;
                /** @description The delegation that lets the wallet use the token; null for its own tokens. Its `amount`, if not null, bounds how much of the holder's balance the wallet may act for. */
                readonly via: components["schemas"]["Delegation"] | null;
            }[];
            /** @description Null after the last page. */
            readonly next_cursor: string | null;
            /** @description The number of entries on all pages. */
            readonly total: number;
        };
        readonly Delegation: {
            /** @enum {string} */
            readonly type: "ALL" | "CONTRACT" | "ERC721" | "ERC20" | "ERC1155";
            /** @description The wallet that delegates. */
            readonly from: string;
            /** @description The wallet that may act for it. */
            readonly to: string;
            readonly contract: string | null;
            readonly tokenId: string | null;
            /** @description 32 bytes; all zero for a delegation without limits. */
            readonly rights: string;
            readonly amount: string | null;
        };
        readonly TradeCheck: {
            readonly chain_id: number;
            readonly collection_address: string;
            readonly token_id: string;
            readonly allowed: boolean;
            /**
             * @description null when it is allowed
             * @enum {string|null}
             */
            readonly reason: "index_stale" | "unknown_token" | "burned" | "locked" | "not_open_yet" | "not_owner" | "transfer_reverts" | "not_verified" | null;
            /**
             * @description More on the reason, for people, at most 250 characters on one line; null where there is no more to say. Of `transfer_reverts` it is what the contract says, which is a stranger's text.
             * @example EnforcedPause()
             */
            readonly detail: string | null;
            readonly lock_count: number;
            /** @description The newest indexed block of the chain; null before there is any. */
            readonly as_of_block: number | null;
            /** @description The block at which the transfer was tried, never older than `as_of_block`; null where it was not. */
            readonly verified_at_block: number | null;
        };
        readonly TradeCheckRequest: {
            /**
             * @description What is about to happen. A lock refuses all three alike.
             * @enum {string}
             */
            readonly action: "list" | "transfer" | "trade";
            readonly items: readonly {
                /** @example 0x32950db2a7164ae833121501c797d79e7b79d74c */
                readonly collection_address: string;
                /** @example 7 */
                readonly token_id: string;
            }[];
            /**
             * @description Who is about to do it: an owner of each token, or a delegate of one.
             * @example 0x32950db2a7164ae833121501c797d79e7b79d74c
             */
            readonly wallet?: string;
            /**
             * @description `chain` also tries the transfer of each token that the events have nothing against, at the head of the chain's node. Without it only events count: a paused contract, a name that has expired or a transfer policy is not seen.
             * @enum {string}
             */
            readonly verify?: "chain";
        };
        readonly WalletDelegations: {
            readonly wallet: string;
            readonly chain_id: number;
            /** @description own, or the URL of the registry that is asked */
            readonly registry: string;
            /**
             * @description stale: from as_of, since the registry does not answer now; unavailable: nothing is known
             * @enum {string}
             */
            readonly status: "ok" | "stale" | "unavailable";
            /** @enum {string|null} */
            readonly reason: "rate_limited" | "unreachable" | "refused" | "unexpected_answer" | "not_ready" | null;
            readonly message: string | null;
            readonly as_of: string | null;
            /** @description The wallets that it may act for; null while unknown. */
            readonly incoming: readonly components["schemas"]["ForeignDelegation"][] | null;
            /** @description The wallets that may act for it, as far as the registry reports them. */
            readonly outgoing: readonly components["schemas"]["ForeignDelegation"][] | null;
            /** @description There are more than are listed: of our own registry, 1,000 of each direction, oldest first. */
            readonly truncated: boolean;
            /** @description How many records of the registry's answer could not be read, such as one of an unknown type or with a rounded id. They are in no list. */
            readonly unreadable: number;
            /** @description What the wallet delegated to the one named by `to`. */
            readonly granted: {
                readonly to: string;
                /**
                 * @description stale: from as_of, since the registry does not answer now; unavailable: nothing is known
                 * @enum {string}
                 */
                readonly status: "ok" | "stale" | "unavailable";
                /** @enum {string|null} */
                readonly reason: "rate_limited" | "unreachable" | "refused" | "unexpected_answer" | "not_ready" | null;
                readonly message: string | null;
                readonly as_of: string | null;
                /** @description The whole wallet, without limits. */
                readonly delegated: boolean | null;
                /** @description null also where the registry only answers yes or no */
                readonly delegations: readonly components["schemas"]["ForeignDelegation"][] | null;
                readonly truncated: boolean;
                /** @description How many records of the registry's answer could not be read, such as one of an unknown type or with a rounded id. They are in no list. */
                readonly unreadable: number;
            } | null;
        };
        readonly ForeignDelegation: {
            /** @enum {string} */
            readonly type: "ALL" | "CONTRACT" | "ERC721" | "ERC20" | "ERC1155" | "TOKEN";
            /** @description The wallet that delegates. */
            readonly from: string;
            /** @description The wallet that may act for it. */
            readonly to: string;
            readonly contract: string | null;
            readonly tokenId: string | null;
            /** @description 32 bytes; all zero for a delegation without limits. */
            readonly rights: string | null;
            readonly amount: string | null;
        };
        readonly NewKey: {
            readonly app: string;
            readonly apis: readonly ("market-partner" | "market")[];
            /** @default all */
            readonly collections?: "all" | readonly string[];
            /** @description How long the key works; by default, until it is revoked. A key that expires can't be rotated. */
            readonly expires_in_seconds?: number;
        };
        readonly Key: {
            readonly id: string;
            readonly app: string;
            readonly start: string;
            readonly apis: readonly string[];
            readonly collections: readonly string[] | null;
            /** @enum {string} */
            readonly tier: "basic" | "intermediate" | "advanced";
            readonly created_at: string;
            /** @description When it expires; null for never. */
            readonly expires_at: string | null;
            readonly revoked_at: string | null;
            /** @description To the minute; null before its first use. */
            readonly last_used_at: string | null;
        };
        readonly KeyRotation: {
            /**
             * @description How long the old key keeps working.
             * @default 86400
             */
            readonly grace_seconds?: number;
        };
        readonly AllowedHostEntry: {
            /**
             * @description host, host:port, or *.host for its subdomains. Without a port, a host means the default ports: 80 for http and 443 for https.
             * @example cdn.example.com
             */
            readonly pattern: string;
            /**
             * @description Null for all collections.
             * @example 2020:0x32950db2a7164ae833121501c797d79e7b79d74c
             */
            readonly collection?: string | null;
        };
        readonly LockReconciliation: {
            readonly collection: string;
            readonly block: number;
            /**
             * @description The first of the contract's functions used; null if it has none, and nothing is checked.
             * @enum {string|null}
             */
            readonly offers: "lockCount" | "isUnlocked" | "locked" | "getLocked" | "lockerOf" | null;
            /** @description All of them, with the standards that each covers. */
            readonly compared_with: readonly {
                /** @enum {string} */
                readonly function: "lockCount" | "isUnlocked" | "locked" | "getLocked" | "lockerOf";
                readonly standards: readonly ("erc721x" | "erc5192" | "erc6982" | "erc5753" | "erc7066")[];
            }[];
            readonly checked: number;
            /** @description Tokens without an answer from the contract, such as burned ones. */
            readonly unreadable: number;
            readonly drift: readonly components["schemas"]["LockDrift"][];
            /** @description The after_token_id of the next page; null on the last one. */
            readonly next_after: string | null;
            /** @description The next collection in the list. */
            readonly next_collection: string | null;
        };
        readonly LockDrift: {
            readonly token_id: string;
            /** @enum {string} */
            readonly standard: "erc721x" | "erc5192" | "erc6982" | "erc5753" | "erc7066";
            /** @description The block of both sides. */
            readonly block: number;
            readonly indexed: {
                /** @example 1 */
                readonly lock_count: string;
                readonly locked: boolean;
            };
            readonly on_chain: {
                /**
                 * @description null for a function that only returns whether the token is locked
                 * @example 1
                 */
                readonly lock_count: string | null;
                readonly locked: boolean;
            };
            /** @enum {string} */
            readonly likely_cause: "start_block" | "repeated_locks" | "surplus_unlocks" | "unknown";
            readonly explanation: string;
        };
        readonly LockReconciliationRequest: {
            /**
             * @description Its address or slug, or either after its chain, as in `chainId:address`; without it, the first of the list.
             * @example 2020:0x32950db2a7164ae833121501c797d79e7b79d74c
             */
            readonly collection?: string;
            /**
             * @default null
             * @example 7
             */
            readonly after_token_id?: string | null;
            /** @default 500 */
            readonly limit?: number;
        };
        readonly PendingDisplayTypes: {
            readonly pending: readonly {
                readonly collection: string;
                readonly trait_type: string;
                /** @enum {string} */
                readonly known_display_type: "string" | "number" | "date" | "bool";
                /** @enum {string} */
                readonly wanted_display_type: "string" | "number" | "date" | "bool";
                /** @description The tokens whose served version has at least one such entry, counted up to 1000. */
                readonly tokens: number;
                /** @description True when the count ended before the last token; otherwise `tokens` is exact. */
                readonly more_tokens: boolean;
                readonly first_seen_at: string;
            }[];
            /** @description True when only the first 100 are listed. */
            readonly more: boolean;
        };
        readonly DisplayTypeApproval: {
            /** @example 2020:0x32950db2a7164ae833121501c797d79e7b79d74c */
            readonly collection: string;
            readonly trait_type: string;
            /** @enum {string} */
            readonly display_type: "string" | "number" | "date" | "bool";
        };
        readonly RenormaliseProgress: {
            /**
             * @description The version of this release's rules.
             * @example 8
             */
            readonly normaliser: number;
            /** @description Served tokens whose documents were read by older rules; null until they are counted. */
            readonly total: number | null;
            /** @description The number processed so far. */
            readonly done: number;
            /** @description The result of the new rules is served. */
            readonly changed: number;
            /** @description The result of the new rules is less complete or unreadable; the old one is still served. */
            readonly rejected: number;
            /** @description The document is no longer stored; a refresh fetches it. */
            readonly missing: number;
            /** @description The result could not be recorded; the log says why. */
            readonly failed: number;
            /** @description True while a process works on it; none does if REFRESH_CONCURRENCY is 0 everywhere. */
            readonly running: boolean;
            readonly started_at: string | null;
            /** @description null while work is left. */
            readonly finished_at: string | null;
        };
        readonly OperatorRefreshRequest: {
            /**
             * @description The collection's address or its slug. Where two chains use the same slug, `chain_id` chooses.
             * @example 0x32950db2a7164ae833121501c797d79e7b79d74c
             */
            readonly collection_address: string;
            /** @description The chain; without it, the one that has the address. */
            readonly chain_id?: number;
            /** @description Without it, every known token of the collection. */
            readonly token_ids?: readonly string[];
            /**
             * @description Serve the result even if it is less complete than the current one.
             * @default false
             */
            readonly accept?: boolean;
        };
        readonly RefreshProgress: {
            readonly refresh_id: string;
            readonly collection: string;
            readonly created_at: string;
            readonly done: boolean;
            readonly tokens: {
                readonly waiting: number;
                readonly updated: number;
                readonly unchanged: number;
                readonly failed: number;
                readonly not_found: number;
            };
            /** @description Failed tokens by the first word of their reason, most frequent first. */
            readonly failures: readonly {
                /** @description The first word of the reasons. */
                readonly code: string;
                readonly tokens: number;
                readonly example: {
                    readonly token_id: string;
                    readonly reason: string;
                };
            }[];
            /** @description For a whole collection; null for a refresh of listed token ids. */
            readonly sweep: {
                /** @description Tokens of the collection that are or were in the queue. */
                readonly asked: number;
                readonly known: number;
                /** @description False while `known` is still being counted. */
                readonly counted: boolean;
                /** @description True once every known token is queued. */
                readonly finished: boolean;
            } | null;
        };
        readonly RefreshQueue: {
            /** @description null while the database is too busy to count. */
            readonly queue: {
                readonly waiting: {
                    /** @description Requested by partners, clients and the operator. */
                    readonly request: number;
                    /** @description Triggered by the chain. */
                    readonly event: number;
                    /** @description Requested by callers without a key. */
                    readonly anonymous: number;
                    /** @description Sweeps and rechecks. */
                    readonly background: number;
                };
                readonly oldest_seconds: number;
            } | null;
            readonly hosts: readonly {
                /** @description null for tokens that were never read. */
                readonly host: string | null;
                /** @description Counted up to 1000. */
                readonly waiting: number;
                readonly in_flight: number;
                readonly paused_until: string | null;
                /** @description Why it is paused. */
                readonly reason: string | null;
            }[];
            readonly more_hosts: boolean;
            readonly sweeps: readonly {
                readonly collection: string;
                readonly from_token_id: string;
                readonly to_token_id: string;
                readonly passed: number;
                readonly known: number;
                readonly counted: boolean;
                /** @description null for one triggered by the chain. */
                readonly refresh_id: string | null;
                readonly created_at: string;
            }[];
            readonly more_sweeps: boolean;
        };
        readonly Freshness: {
            readonly chains: readonly {
                readonly chain_id: number;
                /** @description The node's newest block; null while the node is unreachable. */
                readonly head: number | null;
                readonly indexed: number;
                /** @description Age of the indexed block, if the node has newer ones. */
                readonly lag_seconds: number;
                readonly ready: boolean;
                /** @description The RPC endpoints of the chain, as seen by this process. */
                readonly rpc: readonly {
                    /** @description Its position in PONDER_RPC_URL_<chainId>, from 1. */
                    readonly endpoint: number;
                    /** @description The host of its URL, without parts that may be a key. */
                    readonly host: string;
                    /**
                     * @description `used` is tried first, `ready` next; `behind` lacks blocks that another endpoint has; `down` is unreachable.
                     * @enum {string}
                     */
                    readonly status: "used" | "ready" | "behind" | "down";
                    /** @description What is wrong: timeout, rate_limited, refused, unknown_host, unreachable, http_<status>, chain_<id> of another chain, not_json, empty, no_block, bad_block, bad_logs, rpc_error, too_large, or how many blocks behind. */
                    readonly reason: string | null;
                    readonly latest_block: number | null;
                }[];
            }[];
            readonly queue: {
                readonly waiting: number;
                readonly oldest_seconds: number;
            };
            /** @description What is searched in memory. */
            readonly search: {
                /** @description Memory of the search indexes in this process. */
                readonly bytes: number;
                /** @description `SEARCH_MEMORY_MB`, in bytes. */
                readonly bytes_max: number;
                /** @description Collections searched in the last half hour that PostgreSQL answers for, more slowly, because their search index doesn't fit. `bytes` is what it would take, at least. At most 100. */
                readonly from_database: readonly {
                    readonly chain_id: number;
                    readonly collection_address: string;
                    readonly bytes: number;
                }[];
            };
        };
        readonly Liveness: {
            readonly live: boolean;
            readonly stalled_chains: readonly number[];
        };
        /** @enum {string} */
        readonly ErrorCode: "INVALID_REQUEST" | "TOO_MANY_TOKENS" | "KEY_MISSING" | "KEY_INVALID" | "NOT_ALLOWED" | "NOT_FOUND" | "COLLECTION_NOT_FOUND" | "TOKEN_NOT_FOUND" | "METHOD_NOT_ALLOWED" | "NOT_ACCEPTABLE" | "REQUEST_TIMEOUT" | "REFRESH_RUNNING" | "PRECONDITION_FAILED" | "BODY_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "RATE_LIMITED" | "HEAD_TOO_LARGE" | "INTERNAL" | "UNAVAILABLE";
        readonly StreamEvent: {
            /** @constant */
            readonly type: "lock";
            readonly id: number;
            readonly chain_id: number;
            readonly collection_address: string;
            readonly token_id: string | null;
            /** Format: date-time */
            readonly at: string;
            readonly lock_count: number;
            /** @enum {string} */
            readonly standard: "erc721x" | "erc5192" | "erc6982" | "erc5753" | "erc7066";
            readonly locked: boolean;
            readonly approved_contract: string | null;
            readonly surplus: boolean;
            readonly transaction_hash: string | null;
            readonly block: number;
            /** Format: date-time */
            readonly block_time: string;
        } | {
            /** @constant */
            readonly type: "unlock";
            readonly id: number;
            readonly chain_id: number;
            readonly collection_address: string;
            readonly token_id: string | null;
            /** Format: date-time */
            readonly at: string;
            readonly lock_count: number;
            /** @enum {string} */
            readonly standard: "erc721x" | "erc5192" | "erc6982" | "erc5753" | "erc7066";
            readonly locked: boolean;
            readonly approved_contract: string | null;
            readonly surplus: boolean;
            readonly transaction_hash: string | null;
            readonly block: number;
            /** Format: date-time */
            readonly block_time: string;
        } | {
            /** @constant */
            readonly type: "default_lock";
            readonly id: number;
            readonly chain_id: number;
            readonly collection_address: string;
            readonly token_id: string | null;
            /** Format: date-time */
            readonly at: string;
            /** @enum {string} */
            readonly standard: "erc721x" | "erc5192" | "erc6982" | "erc5753" | "erc7066";
            readonly locked: boolean;
            readonly transaction_hash: string | null;
            readonly block: number;
            /** Format: date-time */
            readonly block_time: string;
        } | {
            /** @constant */
            readonly type: "metadata";
            readonly id: number;
            readonly chain_id: number;
            readonly collection_address: string;
            readonly token_id: string | null;
            /** Format: date-time */
            readonly at: string;
            readonly version: number;
            readonly content_hash: string | null;
        } | {
            /** @constant */
            readonly type: "media";
            readonly id: number;
            readonly chain_id: number;
            readonly collection_address: string;
            readonly token_id: string | null;
            /** Format: date-time */
            readonly at: string;
            /** @enum {string} */
            readonly status: "cached" | "pending" | "rejected";
            readonly url: string | null;
            readonly reason: string | null;
        } | {
            /** @constant */
            readonly type: "collection_refreshed";
            readonly id: number;
            readonly chain_id: number;
            readonly collection_address: string;
            readonly token_id: string | null;
            /** Format: date-time */
            readonly at: string;
            readonly refresh_id: string;
            /** @enum {string} */
            readonly status: "done" | "cancelled";
            readonly counts: {
                readonly total: number;
                readonly updated: number;
                readonly unchanged: number;
                readonly failed: number;
                readonly not_found: number;
                readonly cancelled: number;
            };
            readonly issues: readonly {
                readonly code: string;
                /** @enum {string} */
                readonly kind: "read" | "document" | "image" | "stale_image";
                readonly count: number;
            }[] | null;
        } | {
            /** @constant */
            readonly type: "reverted";
            readonly id: number;
            readonly chain_id: number;
            readonly collection_address: string;
            readonly token_id: string | null;
            /** Format: date-time */
            readonly at: string;
            readonly reverts: number;
            readonly reverted_type: string;
        } | {
            /** @constant */
            readonly type: "reset";
            /** @enum {string} */
            readonly reason: "too_old" | "unknown_id";
            readonly last_event_id: number;
            readonly latest: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readonly refreshMetadata: {
        readonly parameters: {
            readonly query?: {
                /** @description The chain; without it, the one that has the address. */
                readonly chain_id?: number;
                /** @description Answer when what `wait_for` names is done, or after this many seconds. An app may have 50 requests waiting at once: more are answered at once, as without it. */
                readonly wait?: number;
                /** @description What `wait` waits for: the metadata, or its images too. `metadata` by default. */
                readonly wait_for?: "metadata" | "media";
            };
            readonly header?: never;
            readonly path: {
                /** @description The collection's address or its slug. Where two chains use the same slug, `chain_id` chooses. */
                readonly collection_address: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["RefreshRequest"];
            };
        };
        readonly responses: {
            /** @description Queued: the distinct ids in request order */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RefreshAccepted"];
                };
            };
            /** @description Invalid request / Token not found / Too many token ids, max number of token ids allowed is 100 */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No API key found in request / Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description You cannot consume this service */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Collection not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not acceptable */
            readonly 406: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Request body too large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported media type */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly getRefresh: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly refresh_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The receipt; of a whole collection with `counts` in place of `tokens` */
            readonly 200: {
                headers: {
                    /** @description Of this answer, for If-None-Match. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RefreshReceipt"] | components["schemas"]["CollectionRefreshReceipt"];
                };
            };
            /** @description The client's `If-None-Match` names the current answer */
            readonly 304: {
                headers: {
                    /** @description Of this answer, for If-None-Match. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No API key found in request / Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description You cannot consume this service */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not acceptable */
            readonly 406: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly cancelRefresh: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly refresh_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Cancelled, now or before; one that is done stays done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CollectionRefreshCancelled"];
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No API key found in request / Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description You cannot consume this service */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not acceptable */
            readonly 406: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly refreshCollection: {
        readonly parameters: {
            readonly query?: {
                /** @description The chain; without it, the one that has the address. */
                readonly chain_id?: number;
            };
            readonly header?: never;
            readonly path: {
                /** @description The collection's address or its slug. Where two chains use the same slug, `chain_id` chooses. */
                readonly collection_address: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Accepted */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CollectionRefreshRequested"];
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No API key found in request / Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description You cannot consume this service */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Collection not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not acceptable */
            readonly 406: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A refresh of this collection is already running */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly cancelCollectionRefresh: {
        readonly parameters: {
            readonly query?: {
                /** @description The chain; without it, the one that has the address. */
                readonly chain_id?: number;
            };
            readonly header?: never;
            readonly path: {
                /** @description The collection's address or its slug. Where two chains use the same slug, `chain_id` chooses. */
                readonly collection_address: string;
                readonly refresh_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Cancelled, now or before; one that is done stays done */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CollectionRefreshCancelled"];
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No API key found in request / Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description You cannot consume this service */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found / Collection not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not acceptable */
            readonly 406: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly getTokenReport: {
        readonly parameters: {
            readonly query?: {
                /** @description The chain; without it, the one that has the address. */
                readonly chain_id?: number;
                readonly limit?: number;
                /** @description The `next_cursor` of the previous page. */
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path: {
                /** @description The collection's address or its slug. Where two chains use the same slug, `chain_id` chooses. */
                readonly collection_address: string;
                readonly token_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The report */
            readonly 200: {
                headers: {
                    /** @description Of this answer, for If-None-Match. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TokenReport"];
                };
            };
            /** @description The client's `If-None-Match` names the current answer */
            readonly 304: {
                headers: {
                    /** @description Of this answer, for If-None-Match. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No API key found in request / Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description You cannot consume this service */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Collection not found / Token not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not acceptable */
            readonly 406: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly validateMetadata: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ValidateRequest"];
            };
        };
        readonly responses: {
            /** @description The report */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DocumentReport"];
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No API key found in request / Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description You cannot consume this service */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Collection not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not acceptable */
            readonly 406: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Request body too large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported media type */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly getInformation: {
        readonly parameters: {
            readonly query?: {
                /** @description The chain; without it, the one that has the address. */
                readonly chain_id?: number;
            };
            readonly header?: never;
            readonly path: {
                /** @description The collection's address or its slug. Where two chains use the same slug, `chain_id` chooses. */
                readonly collection_address: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The information */
            readonly 200: {
                headers: {
                    /** @description Of this answer, for If-None-Match. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InformationAnswer"];
                };
            };
            /** @description The client's `If-None-Match` names the current answer */
            readonly 304: {
                headers: {
                    /** @description Of this answer, for If-None-Match. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No API key found in request / Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description You cannot consume this service */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Collection not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not acceptable */
            readonly 406: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly replaceInformation: {
        readonly parameters: {
            readonly query?: {
                /** @description The chain; without it, the one that has the address. */
                readonly chain_id?: number;
            };
            readonly header?: {
                /** @description The `ETag` of GET, several of them, or `*` for any state. Another writer's change since, or new `notices`, are answered with 412. */
                readonly "if-match"?: string;
            };
            readonly path: {
                /** @description The collection's address or its slug. Where two chains use the same slug, `chain_id` chooses. */
                readonly collection_address: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["CollectionInformationRequest"];
            };
        };
        readonly responses: {
            /** @description Current state */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InformationAnswer"];
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No API key found in request / Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description You cannot consume this service */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Collection not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not acceptable */
            readonly 406: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Precondition failed */
            readonly 412: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Request body too large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported media type */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly listWebhooks: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The webhooks */
            readonly 200: {
                headers: {
                    /** @description Of this answer, for If-None-Match. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["Webhook"][];
                    };
                };
            };
            /** @description The client's `If-None-Match` names the current answer */
            readonly 304: {
                headers: {
                    /** @description Of this answer, for If-None-Match. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No API key found in request / Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description You cannot consume this service */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not acceptable */
            readonly 406: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly createWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewWebhook"];
            };
        };
        readonly responses: {
            /** @description The webhook, with its secret */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No API key found in request / Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description You cannot consume this service */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Collection not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not acceptable */
            readonly 406: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Request body too large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported media type */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly getWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly webhook_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The webhook */
            readonly 200: {
                headers: {
                    /** @description Of this answer, for If-None-Match. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description The client's `If-None-Match` names the current answer */
            readonly 304: {
                headers: {
                    /** @description Of this answer, for If-None-Match. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No API key found in request / Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description You cannot consume this service */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not acceptable */
            readonly 406: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly deleteWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly webhook_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Nothing more is sent */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** Format: uuid */
                        readonly id: string;
                        /** @enum {boolean} */
                        readonly deleted: true;
                    };
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No API key found in request / Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description You cannot consume this service */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not acceptable */
            readonly 406: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly changeWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly webhook_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ChangedWebhook"];
            };
        };
        readonly responses: {
            /** @description The webhook */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No API key found in request / Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description You cannot consume this service */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found / Collection not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not acceptable */
            readonly 406: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Request body too large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported media type */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly testWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly webhook_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The delivery */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No API key found in request / Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description You cannot consume this service */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not acceptable */
            readonly 406: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly rotateWebhookSecret: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly webhook_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The webhook, with its new secret */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No API key found in request / Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description You cannot consume this service */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not acceptable */
            readonly 406: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly listWebhookDeliveries: {
        readonly parameters: {
            readonly query?: {
                readonly status?: "pending" | "delivered" | "failed" | "skipped";
                readonly limit?: number;
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path: {
                readonly webhook_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The deliveries */
            readonly 200: {
                headers: {
                    /** @description Of this answer, for If-None-Match. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["WebhookDelivery"][];
                        readonly next_cursor: string | null;
                    };
                };
            };
            /** @description The client's `If-None-Match` names the current answer */
            readonly 304: {
                headers: {
                    /** @description Of this answer, for If-None-Match. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No API key found in request / Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description You cannot consume this service */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not acceptable */
            readonly 406: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly resendWebhookDelivery: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly webhook_id: string;
                readonly delivery_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The delivery */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No API key found in request / Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description You cannot consume this service */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not acceptable */
            readonly 406: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly skipWebhookDelivery: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly webhook_id: string;
                readonly delivery_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The delivery, skipped now or before */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No API key found in request / Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description You cannot consume this service */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not acceptable */
            readonly 406: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly getHealth: {
        readonly parameters: {
            readonly query?: {
                /** @description The chain; without it, the one that has the address. */
                readonly chain_id?: number;
                /** @description Lists the tokens with this code. */
                readonly cause?: string;
                /** @description `csv` and `ndjson` answer all tokens with the cause as a file, without pages. */
                readonly format?: "json" | "csv" | "ndjson";
                readonly limit?: number;
                /** @description The `next_cursor` of the previous page. */
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path: {
                /** @description The collection's address or its slug. Where two chains use the same slug, `chain_id` chooses. */
                readonly collection_address: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The health, or the file */
            readonly 200: {
                headers: {
                    /** @description Of this answer, for If-None-Match. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CollectionHealth"];
                    readonly "text/csv": string;
                    readonly "application/x-ndjson": string;
                };
            };
            /** @description The client's `If-None-Match` names the current answer */
            readonly 304: {
                headers: {
                    /** @description Of this answer, for If-None-Match. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No API key found in request / Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description You cannot consume this service */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Collection not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not acceptable */
            readonly 406: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly streamEvents: {
        readonly parameters: {
            readonly query?: {
                /** @description The chain; without it, those of the named collections, or all. */
                readonly chain_id?: number;
                /** @description Addresses or slugs, separated by commas; without it, all. */
                readonly collection_address?: string;
                /** @description Without it, all. */
                readonly type?: string;
                /** @description For clients that can't send the header. */
                readonly last_event_id?: string;
            };
            readonly header?: {
                readonly "last-event-id"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The stream */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/event-stream": string;
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No API key found in request / Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description You cannot consume this service */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Collection not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not acceptable */
            readonly 406: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly exportCollection: {
        readonly parameters: {
            readonly query?: {
                /** @description The chain; without it, the one that has the address. */
                readonly chain_id?: number;
                readonly format?: "ndjson" | "csv" | "parquet";
                readonly what?: "tokens" | "owners";
                /** @description Only rows after this token id, or owner: the last one received resumes an export. */
                readonly after?: string;
                /** @description For tokens: the first id. */
                readonly from_token_id?: string;
                /** @description For tokens: the last id. */
                readonly to_token_id?: string;
                /** @description For owners: those at the end of this block, which must be indexed. */
                readonly at_block?: number;
            };
            readonly header?: never;
            readonly path: {
                /** @description The collection's address or its slug. Where two chains use the same slug, `chain_id` chooses. */
                readonly collection_address: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The stream */
            readonly 200: {
                headers: {
                    /** @description The newest indexed block, or `at_block`. */
                    readonly "X-As-Of-Block"?: number;
                    /** @description A file name. */
                    readonly "Content-Disposition"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/x-ndjson": string;
                    readonly "text/csv": string;
                    readonly "application/vnd.apache.parquet": string;
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No API key found in request / Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description You cannot consume this service */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Collection not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not acceptable */
            readonly 406: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly listCollections: {
        readonly parameters: {
            readonly query?: {
                /** @description The chain; without it, all. */
                readonly chain_id?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Collections, in the operator's order */
            readonly 200: {
                headers: {
                    /** @description Of this answer, for If-None-Match. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["Collection"][];
                    };
                };
            };
            /** @description The client's `If-None-Match` names the current answer */
            readonly 304: {
                headers: {
                    /** @description Of this answer, for If-None-Match. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No API key found in request / Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description You cannot consume this service */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not acceptable */
            readonly 406: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly getCollection: {
        readonly parameters: {
            readonly query?: {
                /** @description The chain; without it, the one that has the address. */
                readonly chain_id?: number;
            };
            readonly header?: never;
            readonly path: {
                /** @description The collection's address or its slug. Where two chains use the same slug, `chain_id` chooses. */
                readonly collection_address: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The collection */
            readonly 200: {
                headers: {
                    /** @description Of this answer, for If-None-Match. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Collection"];
                };
            };
            /** @description The client's `If-None-Match` names the current answer */
            readonly 304: {
                headers: {
                    /** @description Of this answer, for If-None-Match. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No API key found in request / Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description You cannot consume this service */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Collection not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not acceptable */
            readonly 406: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly getToken: {
        readonly parameters: {
            readonly query?: {
                /** @description The chain; without it, the one that has the address. */
                readonly chain_id?: number;
            };
            readonly header?: never;
            readonly path: {
                /** @description The collection's address or its slug. Where two chains use the same slug, `chain_id` chooses. */
                readonly collection_address: string;
                readonly token_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The token */
            readonly 200: {
                headers: {
                    /** @description Of this answer, for If-None-Match. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Token"];
                };
            };
            /** @description The client's `If-None-Match` names the current answer */
            readonly 304: {
                headers: {
                    /** @description Of this answer, for If-None-Match. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No API key found in request / Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description You cannot consume this service */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Collection not found / Token not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not acceptable */
            readonly 406: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly searchTokens: {
        readonly parameters: {
            readonly query?: {
                /** @description The chain; without it, the one that has the address. */
                readonly chain_id?: number;
                /** @description JSON. A token matches a criterion if it has one of its values, and must match all criteria. Values are compared as JSON text, strings as they are. */
                readonly criteria?: string;
                /** @description JSON. For number and date traits (in Unix seconds). Both ends are included; one may be left out. */
                readonly range_criteria?: string;
                /** @description Searches names, descriptions and trait values, ignoring case. */
                readonly q?: string;
                /** @description Wallets, any of which holds the token: up to 20, separated by commas or in repeated parameters. */
                readonly owner?: string;
                /** @description With `owner`: also tokens that their holders delegated to it without limits on rights, in the delegate registries that are indexed here. Trade checks accept the wallet for the same tokens. */
                readonly include_delegated?: "true" | "false";
                readonly locked?: "true" | "false";
                /** @description `latest`: newest first, by the block of their first mint or transfer; `updated`: last updated first; `rarity`: rarest first. Tokens without the name or the trait come last in both directions; ties are broken by id. */
                readonly sort?: string;
                /** @description `document`: of the matching tokens that serve the same document, byte for byte, only the first in the order, with their `count`. A token without a document is listed by itself. */
                readonly group?: "document";
                readonly limit?: number;
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path: {
                /** @description The collection's address or its slug. Where two chains use the same slug, `chain_id` chooses. */
                readonly collection_address: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of tokens */
            readonly 200: {
                headers: {
                    /** @description Of this answer, for If-None-Match. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TokenPage"];
                };
            };
            /** @description The client's `If-None-Match` names the current answer */
            readonly 304: {
                headers: {
                    /** @description Of this answer, for If-None-Match. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No API key found in request / Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description You cannot consume this service */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Collection not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not acceptable */
            readonly 406: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly getTraits: {
        readonly parameters: {
            readonly query?: {
                /** @description The chain; without it, the one that has the address. */
                readonly chain_id?: number;
                /** @description JSON. A token matches a criterion if it has one of its values, and must match all criteria. Values are compared as JSON text, strings as they are. */
                readonly criteria?: string;
                /** @description JSON. For number and date traits (in Unix seconds). Both ends are included; one may be left out. */
                readonly range_criteria?: string;
                /** @description Searches names, descriptions and trait values, ignoring case. */
                readonly q?: string;
                /** @description Wallets, any of which holds the token: up to 20, separated by commas or in repeated parameters. */
                readonly owner?: string;
                /** @description With `owner`: also tokens that their holders delegated to it without limits on rights, in the delegate registries that are indexed here. Trade checks accept the wallet for the same tokens. */
                readonly include_delegated?: "true" | "false";
                readonly locked?: "true" | "false";
            };
            readonly header?: never;
            readonly path: {
                /** @description The collection's address or its slug. Where two chains use the same slug, `chain_id` chooses. */
                readonly collection_address: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The distribution */
            readonly 200: {
                headers: {
                    /** @description Of this answer, for If-None-Match. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TraitDistribution"];
                };
            };
            /** @description The client's `If-None-Match` names the current answer */
            readonly 304: {
                headers: {
                    /** @description Of this answer, for If-None-Match. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No API key found in request / Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description You cannot consume this service */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Collection not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not acceptable */
            readonly 406: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly getTraitValues: {
        readonly parameters: {
            readonly query?: {
                /** @description The chain; without it, the one that has the address. */
                readonly chain_id?: number;
                /** @description Compared with the value, or its JSON text, ignoring case. All values without it. */
                readonly prefix?: string;
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path: {
                /** @description The collection's address or its slug. Where two chains use the same slug, `chain_id` chooses. */
                readonly collection_address: string;
                /** @description The name of the trait, as in `trait_type`. */
                readonly trait: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The values */
            readonly 200: {
                headers: {
                    /** @description Of this answer, for If-None-Match. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TraitValues"];
                };
            };
            /** @description The client's `If-None-Match` names the current answer */
            readonly 304: {
                headers: {
                    /** @description Of this answer, for If-None-Match. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No API key found in request / Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description You cannot consume this service */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Collection not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not acceptable */
            readonly 406: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly searchAll: {
        readonly parameters: {
            readonly query: {
                /** @description The chain; without it, all. */
                readonly chain_id?: number;
                readonly q: string;
                /** @description Of collections, and of tokens. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The best of each kind */
            readonly 200: {
                headers: {
                    /** @description Of this answer, for If-None-Match. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SearchResults"];
                };
            };
            /** @description The client's `If-None-Match` names the current answer */
            readonly 304: {
                headers: {
                    /** @description Of this answer, for If-None-Match. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No API key found in request / Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description You cannot consume this service */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not acceptable */
            readonly 406: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly getTokens: {
        readonly parameters: {
            readonly query?: {
                /** @description The chain; without it, the one that has the address. */
                readonly chain_id?: number;
            };
            readonly header?: never;
            readonly path: {
                /** @description The collection's address or its slug. Where two chains use the same slug, `chain_id` chooses. */
                readonly collection_address: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["TokenBatchRequest"];
            };
        };
        readonly responses: {
            /** @description The tokens, and the ids of those that don't exist */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TokenBatch"];
                };
            };
            /** @description Invalid request / Too many token ids, max number of token ids allowed is 100 */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No API key found in request / Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description You cannot consume this service */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Collection not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not acceptable */
            readonly 406: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Request body too large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported media type */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly getTokenActivity: {
        readonly parameters: {
            readonly query?: {
                /** @description The chain; without it, the one that has the address. */
                readonly chain_id?: number;
                /** @description One or more of mint, transfer, burn, lock, unlock, metadata, separated by commas; without it, all. */
                readonly type?: string;
                readonly limit?: number;
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path: {
                /** @description The collection's address or its slug. Where two chains use the same slug, `chain_id` chooses. */
                readonly collection_address: string;
                readonly token_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of activity */
            readonly 200: {
                headers: {
                    /** @description Of this answer, for If-None-Match. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ActivityPage"];
                };
            };
            /** @description The client's `If-None-Match` names the current answer */
            readonly 304: {
                headers: {
                    /** @description Of this answer, for If-None-Match. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No API key found in request / Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description You cannot consume this service */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Collection not found / Token not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not acceptable */
            readonly 406: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly getCollectionActivity: {
        readonly parameters: {
            readonly query?: {
                /** @description The chain; without it, the one that has the address. */
                readonly chain_id?: number;
                /** @description One or more of mint, transfer, burn, lock, unlock, metadata, separated by commas; without it, all. */
                readonly type?: string;
                readonly limit?: number;
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path: {
                /** @description The collection's address or its slug. Where two chains use the same slug, `chain_id` chooses. */
                readonly collection_address: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of activity */
            readonly 200: {
                headers: {
                    /** @description Of this answer, for If-None-Match. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ActivityPage"];
                };
            };
            /** @description The client's `If-None-Match` names the current answer */
            readonly 304: {
                headers: {
                    /** @description Of this answer, for If-None-Match. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No API key found in request / Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description You cannot consume this service */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Collection not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not acceptable */
            readonly 406: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly getWalletActivity: {
        readonly parameters: {
            readonly query?: {
                /** @description The chain; without it, all. */
                readonly chain_id?: number;
                /** @description One or more of mint, transfer, burn, lock, unlock, separated by commas; without it, all. */
                readonly type?: string;
                readonly limit?: number;
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path: {
                readonly address: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of activity */
            readonly 200: {
                headers: {
                    /** @description Of this answer, for If-None-Match. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ActivityPage"];
                };
            };
            /** @description The client's `If-None-Match` names the current answer */
            readonly 304: {
                headers: {
                    /** @description Of this answer, for If-None-Match. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No API key found in request / Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description You cannot consume this service */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not acceptable */
            readonly 406: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly getOwners: {
        readonly parameters: {
            readonly query?: {
                /** @description The chain; without it, the one that has the address. */
                readonly chain_id?: number;
                /** @description The owners at the end of this block, which must be indexed; without it, the current ones. */
                readonly at_block?: number;
                readonly limit?: number;
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path: {
                /** @description The collection's address or its slug. Where two chains use the same slug, `chain_id` chooses. */
                readonly collection_address: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of owners */
            readonly 200: {
                headers: {
                    /** @description Of this answer, for If-None-Match. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OwnerPage"];
                };
            };
            /** @description The client's `If-None-Match` names the current answer */
            readonly 304: {
                headers: {
                    /** @description Of this answer, for If-None-Match. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No API key found in request / Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description You cannot consume this service */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Collection not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not acceptable */
            readonly 406: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly getWalletTokens: {
        readonly parameters: {
            readonly query?: {
                /** @description The chain; without it, all. */
                readonly chain_id?: number;
                /** @description Without it, all collections. */
                readonly collection_address?: string;
                /** @description false by default */
                readonly include_delegated?: "true" | "false";
                readonly limit?: number;
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path: {
                readonly address: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of tokens */
            readonly 200: {
                headers: {
                    /** @description Of this answer, for If-None-Match. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WalletTokenPage"];
                };
            };
            /** @description The client's `If-None-Match` names the current answer */
            readonly 304: {
                headers: {
                    /** @description Of this answer, for If-None-Match. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No API key found in request / Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description You cannot consume this service */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Collection not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not acceptable */
            readonly 406: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly checkTrades: {
        readonly parameters: {
            readonly query?: {
                /** @description The chain; without it, the one that has the address. */
                readonly chain_id?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["TradeCheckRequest"];
            };
        };
        readonly responses: {
            /** @description One answer per item, in their order, all as of one moment */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["TradeCheck"][];
                    };
                };
            };
            /** @description Invalid request / Too many token ids, max number of token ids allowed is 100 */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No API key found in request / Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description You cannot consume this service */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Collection not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not acceptable */
            readonly 406: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Request body too large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported media type */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly getWalletDelegations: {
        readonly parameters: {
            readonly query?: {
                /** @description The chain; without it, the first in the order of collections.json, of our own registry the first whose registry is indexed. */
                readonly chain_id?: number;
                /** @description Also what the wallet delegated to this one. */
                readonly to?: string;
            };
            readonly header?: never;
            readonly path: {
                readonly address: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What is known */
            readonly 200: {
                headers: {
                    /** @description Of this answer, for If-None-Match. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WalletDelegations"];
                };
            };
            /** @description The client's `If-None-Match` names the current answer */
            readonly 304: {
                headers: {
                    /** @description Of this answer, for If-None-Match. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No API key found in request / Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description You cannot consume this service */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not acceptable */
            readonly 406: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly listDelegationsBetween: {
        readonly parameters: {
            readonly query?: {
                /** @description The wallet that delegates. Required, as `from` or `vault`. */
                readonly from?: string;
                /** @description The wallet that may act. Required, as `to` or `delegate`. */
                readonly to?: string;
                /** @description Another name of `from`, which delegate.xyz uses. */
                readonly vault?: string;
                /** @description Another name of `to`, which delegate.xyz uses. */
                readonly delegate?: string;
                /** @description The chain; without it, the first in the order of collections.json whose registry is indexed. */
                readonly chainId?: number;
                readonly limit?: number;
                /** @description From the Link header of the page before. */
                readonly cursor?: string;
                /** @description Only those that count for these rights. */
                readonly rights?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Oldest first */
            readonly 200: {
                headers: {
                    /** @description The next page, as `<…>; rel="next"`; absent on the last one. */
                    readonly Link?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["Delegation"][];
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly checkDelegateForContract: {
        readonly parameters: {
            readonly query: {
                /** @description The wallet that delegates. Required, as `from` or `vault`. */
                readonly from?: string;
                /** @description The wallet that may act. Required, as `to` or `delegate`. */
                readonly to?: string;
                /** @description Another name of `from`, which delegate.xyz uses. */
                readonly vault?: string;
                /** @description Another name of `to`, which delegate.xyz uses. */
                readonly delegate?: string;
                /** @description The chain; without it, the first in the order of collections.json whose registry is indexed. */
                readonly chainId?: number;
                /** @description Without it, only delegations without limits count, as in the contract. */
                readonly rights?: string;
                readonly contract: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description As checkDelegateForContract answers */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": boolean;
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly checkDelegateForERC721: {
        readonly parameters: {
            readonly query: {
                /** @description The wallet that delegates. Required, as `from` or `vault`. */
                readonly from?: string;
                /** @description The wallet that may act. Required, as `to` or `delegate`. */
                readonly to?: string;
                /** @description Another name of `from`, which delegate.xyz uses. */
                readonly vault?: string;
                /** @description Another name of `to`, which delegate.xyz uses. */
                readonly delegate?: string;
                /** @description The chain; without it, the first in the order of collections.json whose registry is indexed. */
                readonly chainId?: number;
                /** @description Without it, only delegations without limits count, as in the contract. */
                readonly rights?: string;
                readonly contract: string;
                readonly tokenId: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description As checkDelegateForERC721 answers */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": boolean;
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly checkDelegateForERC20: {
        readonly parameters: {
            readonly query: {
                /** @description The wallet that delegates. Required, as `from` or `vault`. */
                readonly from?: string;
                /** @description The wallet that may act. Required, as `to` or `delegate`. */
                readonly to?: string;
                /** @description Another name of `from`, which delegate.xyz uses. */
                readonly vault?: string;
                /** @description Another name of `to`, which delegate.xyz uses. */
                readonly delegate?: string;
                /** @description The chain; without it, the first in the order of collections.json whose registry is indexed. */
                readonly chainId?: number;
                /** @description Without it, only delegations without limits count, as in the contract. */
                readonly rights?: string;
                readonly contract: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description As checkDelegateForERC20 answers; 2^256-1 is everything, 0 nothing */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": string;
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly checkDelegateForERC1155: {
        readonly parameters: {
            readonly query: {
                /** @description The wallet that delegates. Required, as `from` or `vault`. */
                readonly from?: string;
                /** @description The wallet that may act. Required, as `to` or `delegate`. */
                readonly to?: string;
                /** @description Another name of `from`, which delegate.xyz uses. */
                readonly vault?: string;
                /** @description Another name of `to`, which delegate.xyz uses. */
                readonly delegate?: string;
                /** @description The chain; without it, the first in the order of collections.json whose registry is indexed. */
                readonly chainId?: number;
                /** @description Without it, only delegations without limits count, as in the contract. */
                readonly rights?: string;
                readonly contract: string;
                readonly tokenId: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description As checkDelegateForERC1155 answers; 2^256-1 is everything, 0 nothing */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": string;
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly listDelegations: {
        readonly parameters: {
            readonly query?: {
                /** @description The chain; without it, the first in the order of collections.json whose registry is indexed. */
                readonly chainId?: number;
                readonly limit?: number;
                /** @description From the Link header of the page before. */
                readonly cursor?: string;
                /** @description incoming: those to the wallet */
                readonly direction?: "incoming" | "outgoing" | "all";
            };
            readonly header?: never;
            readonly path: {
                readonly address: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Oldest first */
            readonly 200: {
                headers: {
                    /** @description The next page, as `<…>; rel="next"`; absent on the last one. */
                    readonly Link?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["Delegation"][];
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly listKeys: {
        readonly parameters: {
            readonly query?: {
                readonly limit?: number;
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of keys */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly keys: readonly components["schemas"]["Key"][];
                        /** @description Null after the last page. */
                        readonly next_cursor: string | null;
                    };
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly createKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewKey"];
            };
        };
        readonly responses: {
            /** @description The key */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        readonly key: string;
                    };
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found / Collection not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Request body too large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported media type */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly rotateKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["KeyRotation"];
            };
        };
        readonly responses: {
            /** @description The new key */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        readonly key: string;
                    };
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Request body too large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported media type */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly createLoginLink: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The link */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly url: string;
                        readonly expires_at: string;
                    };
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Request body too large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly revokeKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Revoked */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @enum {boolean} */
                        readonly revoked: true;
                    };
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Request body too large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly listAllowedHosts: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The current list */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly hosts: readonly {
                            /** @description Without a port, a host means the default ports: 80 for http and 443 for https. */
                            readonly pattern: string;
                            readonly collection: string | null;
                            readonly added_by: string;
                            readonly added_at: string;
                        }[];
                    };
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly allowHost: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["AllowedHostEntry"];
            };
        };
        readonly responses: {
            /** @description The current list */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly hosts: readonly {
                            /** @description Without a port, a host means the default ports: 80 for http and 443 for https. */
                            readonly pattern: string;
                            readonly collection: string | null;
                            readonly added_by: string;
                            readonly added_at: string;
                        }[];
                    };
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Request body too large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported media type */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly disallowHost: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["AllowedHostEntry"];
            };
        };
        readonly responses: {
            /** @description The current list */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly hosts: readonly {
                            /** @description Without a port, a host means the default ports: 80 for http and 443 for https. */
                            readonly pattern: string;
                            readonly collection: string | null;
                            readonly added_by: string;
                            readonly added_at: string;
                        }[];
                    };
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Request body too large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported media type */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly reconcileLocks: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["LockReconciliationRequest"];
            };
        };
        readonly responses: {
            /** @description The comparison and its differences */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["LockReconciliation"];
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found / Collection not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Request body too large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported media type */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly listPendingDisplayTypes: {
        readonly parameters: {
            readonly query?: {
                readonly collection?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The hidden entries */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PendingDisplayTypes"];
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found / Collection not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly approveDisplayType: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["DisplayTypeApproval"];
            };
        };
        readonly responses: {
            /** @description Approved; applies to every answer from now on */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly collection: string;
                        readonly trait_type: string;
                        /** @enum {string} */
                        readonly display_type: "string" | "number" | "date" | "bool";
                        /** @enum {string} */
                        readonly previous_display_type: "string" | "number" | "date" | "bool";
                    };
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found / Collection not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Request body too large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported media type */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly getRenormaliseProgress: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Current state */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RenormaliseProgress"];
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly requestRenormalise: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Current state */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RenormaliseProgress"];
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Request body too large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly getRefreshQueue: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Current state */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RefreshQueue"];
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly requestRefresh: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["OperatorRefreshRequest"];
            };
        };
        readonly responses: {
            /** @description Queued */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly refresh_id: string;
                        readonly collection: string;
                        /** @description Distinct tokens; null for a whole collection, which is counted during the refresh. */
                        readonly token_count: number | null;
                    };
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found / Collection not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Request body too large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported media type */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly getRefreshProgress: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly refresh_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Current state */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RefreshProgress"];
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Invalid authentication credentials */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly getImage: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly name: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The image */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "image/png": string;
                    readonly "image/gif": string;
                    readonly "image/webp": string;
                };
            };
            /** @description Not modified */
            readonly 304: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly getFreshness: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Current state */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Freshness"];
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description API rate limit exceeded */
            readonly 429: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service unavailable */
            readonly 503: {
                headers: {
                    /** @description Seconds after which the request may be sent again. */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly getLiveness: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is; a replica indexes nothing */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Liveness"];
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A chain index has stopped while its node advances */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Liveness"];
                };
            };
        };
    };
}
