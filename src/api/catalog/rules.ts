/** The pure rules of catalog for other modules. Importing it has no side effects. */

export {
  criteriaSchema,
  ownerSchema,
  ownersSchema,
  rangeCriteriaSchema,
  textSchema,
  toFilter,
  traitNameSchema,
} from "./tokens/token-filter.ts";
export { defaultSort, groups, plainSorts, sortSchema } from "./tokens/token-sort.ts";
