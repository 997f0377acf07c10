/** The public face of pages for other modules. */

export { createHomePage, createLostPage, createPages, createWalletPages } from "./routes.tsx";
