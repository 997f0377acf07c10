/** The tokens that a BatchMetadataUpdate covers. */

import { expect, it } from "vitest";
import { refreshScope } from "../../src/domain/refresh-scope.ts";
import { UINT256_MAX } from "../../src/domain/token-ref.ts";

it.each([
  { from: 0n, to: UINT256_MAX, scope: "collection" },
  { from: 7n, to: UINT256_MAX, scope: "collection" },
  { from: UINT256_MAX, to: UINT256_MAX, scope: "collection" },
  { from: 0n, to: 0n, scope: "token" },
  { from: 7n, to: 7n, scope: "token" },
  { from: UINT256_MAX - 1n, to: UINT256_MAX - 1n, scope: "token" },
  { from: 0n, to: 1n, scope: "range" },
  { from: 0n, to: UINT256_MAX - 1n, scope: "range" },
  { from: 1n, to: 0n, scope: "inverted" },
  { from: UINT256_MAX, to: UINT256_MAX - 1n, scope: "inverted" },
])("reads $from to $to as $scope", ({ from, to, scope }) => {
  expect(refreshScope(from, to)).toBe(scope);
});
