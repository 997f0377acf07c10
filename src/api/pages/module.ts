/** The public face of pages for other modules. */

export { createPages } from "./routes.tsx";
