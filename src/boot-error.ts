/** A reason not to start: one sentence that tells the operator what to do. */
export class BootError extends Error {
  override readonly name = "BootError";
}
