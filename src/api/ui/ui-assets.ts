/** What all pages share: styles, script and font at /assets, and the icons that browsers look for at the root. */

import { readFile } from "node:fs/promises";
import { assetRoutes } from "./assets.ts";
import { FONT } from "./fonts.ts";

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 22 22" fill="none" stroke="#14857c" stroke-linejoin="round"><path d="M3 5.5 11 2l8 3.5v11L11 20l-8-3.5z" stroke-width="2"/><path d="m3 5.5 8 3.5 8-3.5M11 9v11" stroke-width="1.5"/></svg>`;

const own = (path: string) => () => readFile(new URL(path, import.meta.url));

export const uiAssets = () =>
  assetRoutes({
    "ui.css": { type: "text/css", load: own("./ui.css") },
    "site.js": { type: "text/javascript", load: own("./client/site.js") },
    "icon.svg": { type: "image/svg+xml", load: async () => ICON },
    "share.png": { type: "image/png", load: own("./icons/share.png") },
    [FONT.name]: { type: "font/woff2", load: () => readFile(FONT.file), isFixed: true },
  });

/** Browsers ask for these whatever a page says. */
export const iconAssets = () =>
  assetRoutes({
    "favicon.ico": { type: "image/x-icon", load: own("./icons/favicon.ico") },
    "apple-touch-icon.png": { type: "image/png", load: own("./icons/apple-touch-icon.png") },
  });
