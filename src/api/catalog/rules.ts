/** The pure rules of catalog that other modules share. Loading it starts and opens nothing. */

export {
  criteriaSchema,
  ownerSchema,
  rangeCriteriaSchema,
  textSchema,
  toFilter,
} from "./tokens/token-filter.ts";
export { defaultSort, plainSorts, sortSchema } from "./tokens/token-sort.ts";
