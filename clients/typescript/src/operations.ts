/** The types of a request, by its method and path, from the generated ones. */

import type { paths } from "./api.ts";

export type Method = "get" | "put" | "post" | "patch" | "delete";
export type Path = keyof paths;

/** The paths that have a method. */
export type PathWith<M extends Method> = {
  [P in Path]: paths[P][M] extends { readonly responses: unknown } ? P : never;
}[Path];

type Operation<M extends Method, P extends Path> = paths[P][M];
type PathFields<O> = O extends { readonly parameters: { readonly path: infer Fields } } ? Fields : never;
type QueryFields<O> = O extends { readonly parameters: { readonly query?: infer Fields } } ? Fields : never;
type Json<Content> = Content extends { readonly content: { readonly "application/json": infer Body } }
  ? Body
  : never;
type BodyOf<O> = O extends { readonly requestBody?: infer Content } ? Json<NonNullable<Content>> : never;

/** A `bigint` stands wherever an id does. */
type WithBigints<Fields> = {
  readonly [Name in keyof Fields]: Fields[Name] extends string ? string | bigint : Fields[Name];
};
type Part<Name extends string, Fields, Kept> = [Fields] extends [never]
  ? { readonly [N in Name]?: undefined }
  : [Fields] extends [undefined]
    ? { readonly [N in Name]?: undefined }
    : Record<never, never> extends Fields
      ? { readonly [N in Name]?: Kept }
      : { readonly [N in Name]: Kept };

/** What a request carries, and its own options. */
export type RequestFields<M extends Method, P extends Path> = Part<
  "path",
  PathFields<Operation<M, P>>,
  WithBigints<PathFields<Operation<M, P>>>
> &
  Part<"query", NonNullable<QueryFields<Operation<M, P>>>, QueryFields<Operation<M, P>>> &
  Part<"body", BodyOf<Operation<M, P>>, BodyOf<Operation<M, P>>>;

/** What a successful request resolves to: the JSON of 200, 201 or 202. */
export type Answer<M extends Method, P extends Path> =
  Operation<M, P> extends {
    readonly responses: infer Responses;
  }
    ? Responses extends { readonly 200: infer Ok }
      ? Json<Ok>
      : Responses extends { readonly 201: infer Created }
        ? Json<Created>
        : Responses extends { readonly 202: infer Accepted }
          ? Json<Accepted>
          : never
    : never;
