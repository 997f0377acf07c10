/** Collections and tokens as the API returns them, with creators' information and reports. */

import type { CollectionConfig } from "../../config.ts";
import { collectionKey } from "../../domain/token-ref.ts";
import { createBatch } from "../async/batch.ts";
import type { ChainTables } from "../chain/index/tables.ts";
import { type Across, type AcrossDeps, createAcross } from "./across/across.ts";
import { type ActivityDeps, type ActivityService, createActivity } from "./activity/activity.ts";
import { type CollectionView, type CollectionViewDeps, viewCollections } from "./collection-view.ts";
import { readContracts } from "./contract/contract-store.ts";
import { createExports, type ExportDeps, type Exports } from "./exports/exports.ts";
import { createHealth, type HealthService } from "./health/health.ts";
import { createOwners, type OwnersDeps, type OwnersService } from "./holders/owners.ts";
import { createWalletTokens, type WalletTokens } from "./holders/wallet-tokens.ts";
import { createHoldings, type Holdings } from "./holdings-store.ts";
import {
  createInformation,
  type InformationDeps,
  type InformationService,
} from "./information/information.ts";
import { createReports, type ReportDeps, type Reports } from "./reports/reports.ts";
import { type Catalog, type CatalogDeps, createCatalog } from "./service.ts";

export { acrossRoutes, soughtSchema, viewFound } from "./across/across-routes.ts";
export { activityTypes, walletTypes } from "./activity/activity.ts";
export { activityRoutes, viewActivityPage } from "./activity/activity-routes.ts";
export { viewCollections } from "./collection-view.ts";
export { createCollections } from "./collections.ts";
export { startContractReads } from "./contract/contract-loop.ts";
export { createContractReader } from "./contract/contract-reader.ts";
export { exportRoutes } from "./exports/export-routes.ts";
export { healthExportFormats, healthExportOf, healthExportTypes } from "./health/health-export.ts";
export { collectionHealthRoutes } from "./health/health-routes.ts";
export { causeKinds } from "./health/health-store.ts";
export { ownerRoutes } from "./holders/owner-routes.ts";
export { walletTokenRoutes } from "./holders/wallet-routes.ts";
export { informationRoutes } from "./information/information-routes.ts";
export { GROUPS_MAX, informationBody } from "./information/information-schema.ts";
export { readBySlugs } from "./information/information-store.ts";
export { groupTraits } from "./information/trait-groups.ts";
export { reportRoutes, VERSION_MAX, validateLimit } from "./reports/report-routes.ts";
export { viewTokenReport } from "./reports/token-report.ts";
export { catalogRoutes } from "./routes.ts";
export { refsOf } from "./service.ts";
export { batchRoutes } from "./tokens/batch-routes.ts";
export { viewCompleted } from "./tokens/facets-view.ts";
export { searchRoutes } from "./tokens/search-routes.ts";

export type CatalogModuleDeps = Omit<CatalogDeps, "information"> &
  ActivityDeps &
  OwnersDeps &
  ExportDeps &
  Pick<AcrossDeps, "search" | "collections"> &
  InformationDeps &
  Omit<ReportDeps, "catalog" | "store"> & {
    readonly tables: ChainTables;
    readonly reportStore: ReportDeps["store"];
  };

export interface CatalogModule {
  readonly across: Across;
  readonly activity: ActivityService;
  readonly catalog: Catalog;
  readonly information: InformationService;
  readonly collectionHealth: HealthService;
  readonly holdings: Holdings;
  readonly exports: Exports;
  readonly owners: OwnersService;
  readonly walletTokens: WalletTokens;
  readonly reports: Reports;
  readonly readContracts: CollectionViewDeps["readContracts"];
  /** A configured collection as it is now. Requests that arrive together share their reads. */
  viewCollection(collection: CollectionConfig): Promise<CollectionView | undefined>;
}

export function createCatalogModule(deps: CatalogModuleDeps): CatalogModule {
  const information = createInformation(deps);
  const catalog = createCatalog({ ...deps, information });
  const holdings = createHoldings(deps);
  const readContractsOf: CollectionViewDeps["readContracts"] = async (collections) => {
    const stored = await readContracts(deps.database, collections);
    return collections.map((collection) => stored.get(collectionKey(collection)));
  };
  const configured = new Map(deps.collections.all.map((each) => [collectionKey(each), each]));
  const views = createBatch<CollectionView>(
    async (names) => {
      const found = names.flatMap((name) => configured.get(name) ?? []);
      const viewed = await viewCollections({ holdings, information, readContracts: readContractsOf }, found);
      return new Map(found.flatMap((each, nth) => (viewed[nth] ? [[collectionKey(each), viewed[nth]]] : [])));
    },
    { atOnce: 2 },
  );
  return {
    viewCollection: (collection) => views(collectionKey(collection)),
    across: createAcross({ ...deps, catalog, holdings, information, readContracts: readContractsOf }),
    activity: createActivity(deps),
    catalog,
    information,
    collectionHealth: createHealth(deps),
    holdings,
    exports: createExports(deps),
    owners: createOwners(deps),
    walletTokens: createWalletTokens({ ...deps, catalog }),
    readContracts: readContractsOf,
    reports: createReports({ ...deps, catalog, store: deps.reportStore }),
  };
}
