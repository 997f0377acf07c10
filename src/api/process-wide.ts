/**
 * State that is one per process, however often its module is loaded: where there is no bundle, Ponder may load a module for
 * ponder.config.ts and again for src/api/index.ts.
 */
export function processWide<State>(name: string, create: () => State): State {
  const key = Symbol.for(`vitrine ${name}`);
  const states = globalThis as unknown as Record<symbol, State | undefined>;
  states[key] ??= create();
  return states[key];
}
