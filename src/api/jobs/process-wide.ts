/**
 * State that is one per process, however often its module is loaded: Ponder loads the modules that ponder.config.ts needs,
 * and the serving half's bundle has its own copies of them.
 */
export function processWide<State>(name: string, create: () => State): State {
  const key = Symbol.for(`vitrine ${name}`);
  const states = globalThis as unknown as Record<symbol, State | undefined>;
  states[key] ??= create();
  return states[key];
}
