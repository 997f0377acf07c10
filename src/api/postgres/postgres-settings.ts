/** What a new cluster's postgresql.conf says where PostgreSQL's own defaults are too small; operators may change it. */

const MIB = 1024 * 1024;
// The service needs memory as well, and the system caches the files besides.
const MEMORY_SHARE = 1 / 8;
const BUFFERS_MIB = { min: 128, max: 1024 };
const GIB = 1024 * MIB;
// A full disk stops the service, and tables and images grow on it too.
const DISK_SHARE = 1 / 8;
// The least is PostgreSQL's default.
const WAL_GIB = { min: 1, max: 4 };

const within = (value: number, { min, max }: { readonly min: number; readonly max: number }): number =>
  Math.min(Math.max(Math.floor(value), min), max);

/** As `name=value`, where so many bytes of memory and of the disk can be used; of the disk 0 where that is unknown. */
export function firstSettings(memoryBytes: number, diskBytes = 0): string[] {
  const buffers = within((memoryBytes * MEMORY_SHARE) / MIB, BUFFERS_MIB);
  const wal = within((diskBytes * DISK_SHARE) / GIB, WAL_GIB);
  return [
    `shared_buffers=${buffers}MB`,
    // Each checkpoint has every page written whole once more: at the default of 1 GB, the first read of 400,000 tokens
    // writes 1.4 times as much.
    `max_wal_size=${wal}GB`,
  ];
}
