/** The face of pages: what other modules may use of it. */

export { createPages } from "./routes.tsx";
