/** Token metadata: fetching, recording, operators' decisions on trait types, and renormalising stored documents. */

import { createReportStore } from "./records/report-store.ts";
import { createRenormaliser, type RenormaliserDeps } from "./renormalise/renormalise.ts";
import { createMetadata, type MetadataDeps } from "./service.ts";
import { createTraitApproval } from "./traits/trait-approval.ts";

export { examineDocument, examineUri } from "./document/examine.ts";
export { readPaced } from "./document/paced-reads.ts";
export { metadataJobs } from "./records/retention.ts";
export { readServed, readServedBytes } from "./records/store.ts";
export { RENORMALISE_CHANNEL, startRenormaliser } from "./renormalise/renormalise-loop.ts";
export { readTraitNames } from "./traits/trait-type-store.ts";
export { createExistence } from "./uri/existence.ts";
export { createUriReader } from "./uri/read-uri.ts";
export { createResolve, DOCUMENT_BYTES_MAX } from "./uri/resolve.ts";

export function createMetadataModule(deps: MetadataDeps & RenormaliserDeps) {
  const { database } = deps;
  return {
    metadata: createMetadata(deps),
    reportStore: createReportStore(database),
    renormaliser: createRenormaliser(deps),
    traitApproval: createTraitApproval(database),
  };
}
