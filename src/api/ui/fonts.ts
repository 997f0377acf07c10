/** The font of pages, from vendor/figtree. Its path names its version, because browsers keep it for good. */

const FILE = new URL("../../../vendor/figtree/figtree-latin-wght-normal.woff2", import.meta.url);

export const FONT = { name: "figtree-5.3.0.woff2", path: "/assets/figtree-5.3.0.woff2", file: FILE } as const;
