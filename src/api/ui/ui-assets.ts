/** The styles that all pages share, at /assets. */

import { readFile } from "node:fs/promises";
import { assetRoutes } from "./assets.ts";

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 22 22" fill="none" stroke="#14857c" stroke-linejoin="round"><path d="M3 5.5 11 2l8 3.5v11L11 20l-8-3.5z" stroke-width="2"/><path d="m3 5.5 8 3.5 8-3.5M11 9v11" stroke-width="1.5"/></svg>`;

export const uiAssets = () =>
  assetRoutes({
    "ui.css": { type: "text/css", load: () => readFile(new URL("./ui.css", import.meta.url)) },
    "icon.svg": { type: "image/svg+xml", load: async () => ICON },
  });
