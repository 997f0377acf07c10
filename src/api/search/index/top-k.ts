/** Selects the k smallest of many items without sorting all of them. */

type Compare = (a: number, b: number) => number;

export interface TopK {
  offer(item: number): void;
  /** The item that the next smaller one evicts; undefined while there are fewer than k. */
  largest(): number | undefined;
  /** Ascending, at most k. */
  take(): number[];
}

/** Keeps the `count` smallest of the offered items; `compare` must be a total order. */
export function createTopK(count: number, compare: Compare): TopK {
  // A max-heap: the top is evicted next.
  const heap: number[] = [];

  function rise(from: number): void {
    const item = heap[from] as number;
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      if (compare(heap[parent] as number, item) >= 0) break;
      heap[at] = heap[parent] as number;
      at = parent;
    }
    heap[at] = item;
  }

  function sink(item: number): void {
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && compare(heap[child + 1] as number, heap[child] as number) > 0) child++;
      if (compare(heap[child] as number, item) <= 0) break;
      heap[at] = heap[child] as number;
      at = child;
    }
    heap[at] = item;
  }

  return {
    offer(item) {
      if (heap.length < count) {
        heap.push(item);
        rise(heap.length - 1);
      } else if (count > 0 && compare(item, heap[0] as number) < 0) {
        sink(item);
      }
    },
    largest: () => (heap.length < count ? undefined : heap[0]),
    take: () => heap.sort(compare),
  };
}
