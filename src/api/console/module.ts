/** The developer console under /console. */

export { createConsole } from "./routes.tsx";
