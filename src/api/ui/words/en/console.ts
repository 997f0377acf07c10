/** The texts of the console's frame, sign-in and errors, and of its scripts, in English. */

export const consoleFrame = {
  apps: "Apps",
  operator: "Operator",
  /** After their number. */
  pending: (count: number) => (count === 1 ? "pending request" : "pending requests"),
  signOut: "Sign out",

  /** After a form, by the name in the address. */
  done: {
    created: "App created.",
    rotated: "Key rotated. The old key keeps working until the time shown in the list of keys.",
    rotated_at_once:
      "Key rotated. The old key gets 401 at once; a replica that misses the notice follows within 2 seconds.",
    rotated_before: "This key was rotated before. Nothing has changed.",
    revoked:
      "Key revoked. Requests with it get 401 at once; a replica that misses the notice follows within 2 seconds.",
    revoked_before: "This key was revoked before.",
    key_ended: "This key no longer works. Nothing has changed.",
    key_made: "Key created.",
    key_exists: "The app already has a key. No other was created.",
    requested: "Request sent to the operator.",
    granted_at_once: "Access granted. This API needs no approval.",
    already_requested: "Already requested. The operator has not decided yet.",
    already_granted: "The app already has this permission.",
    proved: "The contract's owner or admin has signed; the app may write the collection's information.",
    approved: "Approved.",
    refused: "Refused.",
    outdated:
      "Nothing was granted: the app has this already, or it no longer applies. The request is closed.",
    decided_before: "This request was already decided.",
    withdrawn:
      "Permission withdrawn. Requests that need it are refused at once; a replica that misses the notice follows within 2 seconds.",
    granted: "Permission granted.",
    host_added: "Host allowed.",
    host_allowed_already: "That host is already allowed.",
    host_removed: "Host removed from the list.",
    host_not_listed: "That host was not on the list.",
    information_saved: "Information saved; every page and answer shows it now.",
    type_approved: "Display type changed; every token shows it now.",
    not_pending: "That display type no longer has pending entries.",
    refresh_started: "Refresh queued.",
    refresh_cancelled: "Refresh cancelled. What was already fetched is kept.",
    webhook_exists: "This form was sent before, and created this webhook. Its secret was shown then.",
    secret_rotated_before: "The secret was rotated after that page was shown. Nothing has changed.",
    webhook_changed: "Webhook changed.",
    webhook_deleted: "Webhook deleted; nothing more is sent to it.",
    webhook_paused: "Webhook paused. It still collects events, and keeps each for 7 days.",
    webhook_resumed: "Webhook resumed. Pending events are sent now, in order.",
    test_sent: "Test queued. Reload this page for its outcome.",
    delivery_skipped: "Skipped. Later events of the token are sent now.",
    resent: "Delivery queued again. Reload this page for its outcome.",
    sessions_ended: "All sessions ended.",
  },

  signIn: {
    title: "Sign in",
    heading: "Developer console",
    hint: "Create apps, get their keys, and see their usage.",
    wallet: "Sign in with a wallet",
    walletHint: "You sign a short text. It costs nothing and moves nothing.",
    noScript: "Wallets need JavaScript, which is off in this browser.",
    looking: "Looking for wallets…",
    /** Before the command that creates the link. */
    link: "Operators may also sign in with a one-time link:",
    linkTitle: "Operator sign-in",
    linkText: "This link signs this browser in as the operator. It works once.",
    button: "Sign in",
    noWallet: "No wallet in this browser",
    noWalletHint: "A wallet is a browser extension that holds your account.",
    install: "Install one of these extensions:",
    account: "Create an account in it. An empty account is enough.",
    reload: "Reload this page and sign in.",
  },

  /** By status; the API's own details stand beside them. */
  problems: {
    400: { title: "Not understood", text: "Part of what was sent can’t be read." },
    401: {
      title: "Not signed in",
      text: "Your session has ended. Sign in again in another tab, then reload this page to send the form.",
    },
    403: { title: "Not allowed", text: "Your account may not do this." },
    404: { title: "Not found", text: "This page doesn’t exist, or it belongs to another account." },
    405: { title: "Nothing to open here", text: "This address only takes forms, which the console sends." },
    413: { title: "Too much text", text: "The form is larger than this page reads." },
    429: {
      title: "Too many requests",
      text: "Your address has sent too many requests. Wait a few seconds and try again.",
    },
    503: {
      title: "Temporarily unavailable",
      text: "The database is unreachable. Nothing is lost; try again in a few seconds.",
    },
    unexpected: {
      title: "Something went wrong",
      text: "Try again in a moment. If it fails again, send the operator the request id below.",
    },
    signIn: "Sign in (new tab)",
    back: "Back to the console",
  },

  /** What scripts show. */
  scripts: {
    answered: (status: string) => `The service answered ${status}.`,
    checkWallet: "Check your wallet…",
    noWallet: "No wallet was found.",
    rejected: "You rejected the request in your wallet. Nothing was signed.",
    walletSilent: "The wallet did not answer.",
    signInWith: (wallet: string) => `Sign in with ${wallet}`,
    signWith: (wallet: string) => `Sign with ${wallet}`,
    yourWallet: "your wallet",
    demoWallet: "the demo wallet",
    show: "Show",
    hide: "Hide",
    keyShown: "The key is shown.",
    copied: "Copied.",
    sending: "Sending the request…",
    works: (status: string) => `It works: the service answered ${status}.`,
    group: "The group",
    moved: (group: string, position: string, groups: string) => `${group} is now ${position} of ${groups}.`,
    stale: "Out of date: the service can’t be reached. Reload the page.",
    gone: "Out of date: your session has ended, or this page has changed. Reload the page.",
  },
};
