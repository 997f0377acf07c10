/** All that Ponder's files take from one bundle in `npm start`. */

export { bootIndex } from "./boot-index.ts";
export { serve } from "./serve.ts";
