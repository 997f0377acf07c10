/** The public face of pages for other modules. */

export { CollectionPreview, PREVIEW_STYLE, previewSources } from "./preview.tsx";
export { createLostPage, createOtherPages, createPages } from "./routes.tsx";
