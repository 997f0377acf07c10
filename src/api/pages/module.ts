/** The public face of pages for other modules. */

export { createLostPage, createPages } from "./routes.tsx";
