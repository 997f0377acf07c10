import { statfs } from "node:fs/promises";

/** Bytes of the disk with this folder that users other than root can still write; undefined where that is unknown. */
export const readFreeBytes = (folder: string): Promise<number | undefined> =>
  statfs(folder).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => undefined,
  );
