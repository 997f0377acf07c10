/** The texts that a page's scripts show, for the page to hold in its visitor's language. */

import { words } from "../ui/visitor.ts";

/** Of the named scripts and the modules that they load, with `{name}` where a script puts a value. */
export function textsOf(scripts: readonly string[]): Readonly<Record<string, string>> {
  const texts = words().consoleFrame.scripts;
  const { checkWallet, yourWallet, demoWallet, show, hide, keyShown, copied, sending, group, stale, gone } =
    texts;
  const wallet = {
    answered: texts.answered("{status}"),
    noWallet: texts.noWallet,
    checkWallet,
    yourWallet,
    rejected: texts.rejected,
    walletSilent: texts.walletSilent,
  };
  const ofScript: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    "sign-in.js": { ...wallet, signInWith: texts.signInWith("{wallet}") },
    "prove.js": { ...wallet, signWith: texts.signWith("{wallet}") },
    "demo-wallet.js": { ...wallet, demoWallet },
    "key-field.js": { ...wallet, show, hide, keyShown, copied },
    "first-request.js": { ...wallet, sending, works: texts.works("{status}") },
    "groups.js": { group, moved: texts.moved("{group}", "{position}", "{groups}") },
    "live.js": { stale, gone },
  };
  return Object.assign({}, ...scripts.map((name) => ofScript[name]));
}
