/** The request passed to Ponder's middleware. */

const headers = new Headers({ "content-type": "application/json", accept: "application/json" });

/**
 * `POST /graphql` with a JSON body, as the part of a `Request` that a GraphQL server reads; anything else throws. A
 * full `Request` streams its body, which costs more than finding a row by its key.
 */
class PonderRequest {
  readonly method = "POST";
  readonly url = "http://localhost/graphql";
  readonly headers = headers;
  readonly signal = undefined;
  readonly #body: string;

  constructor(body: string) {
    this.#body = body;
  }

  async text(): Promise<string> {
    return this.#body;
  }

  async json(): Promise<unknown> {
    return JSON.parse(this.#body);
  }

  clone(): PonderRequest {
    return new PonderRequest(this.#body);
  }
}
Object.setPrototypeOf(PonderRequest.prototype, Request.prototype);

export const ponderRequest = (body: string): Request => new PonderRequest(body) as unknown as Request;
