/** The public face of pages for other modules. */

export { createLostPage, createOtherPages, createPages } from "./routes.tsx";
