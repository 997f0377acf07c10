/** `npx vitrine media copy`: copies the images to another store. Needs no running service. */

import { existsSync } from "node:fs";
import type { Command } from "commander";
import { makeFolder } from "../../src/api/data-folder.ts";
import type { CopyResult } from "../../src/api/media/storage/copy-pictures.ts";
import { loadEnvironment } from "../environment.ts";
import { createStatusLine } from "./status-line.ts";
import type { Tool } from "./tool.ts";

export function addMediaCommands(program: Command, { print, progress }: Tool): void {
  program
    .command("media")
    .description("stored images")
    .command("copy")
    .description(
      "copy the images that another store lacks; can be run again, and while the service runs. Buckets are opened with S3_ENDPOINT, S3_REGION, S3_FORCE_PATH_STYLE and the AWS credentials, as by the service.",
    )
    .requiredOption("--from <store>", "as in MEDIA_STORE: file:<folder> or s3://<bucket>/<prefix>")
    .requiredOption("--to <store>", "the same; it may be empty")
    .action(async (options: { from: string; to: string }) => {
      loadEnvironment();
      const [{ loadStoreAddress }, { copyPictures }, { openStore }] = await Promise.all([
        import("../../src/api/config.ts"),
        import("../../src/api/media/storage/copy-pictures.ts"),
        import("../../src/api/media/storage/disk.ts"),
      ]);
      const addresses = [
        loadStoreAddress("--from", options.from, process.env),
        loadStoreAddress("--to", options.to, process.env),
      ] as const;
      if (JSON.stringify(addresses[0]) === JSON.stringify(addresses[1]))
        throw new Error("--from and --to name the same store");
      const [from, to] = [openStore(addresses[0]), openStore(addresses[1])];
      const [source, target] = addresses;
      for (const disk of [from, to]) {
        const fault = await disk.check();
        // A folder that is only read need not be writable.
        const isReadOnly = disk === from && source.kind === "folder";
        if (fault !== undefined && !isReadOnly) throw new Error(fault);
      }
      if (source.kind === "folder" && !existsSync(source.folder))
        throw new Error(`--from names a folder that doesn't exist: ${source.folder}`);
      if (target.kind === "folder") {
        // Else each image would fail of it by itself.
        await makeFolder(target.folder).catch((cause: NodeJS.ErrnoException) => {
          throw new Error(`--to names a folder that can't be made (${cause.code}): ${target.folder}`, {
            cause,
          });
        });
      }
      const line = createStatusLine(process.stderr);
      const result = await copyPictures({
        from,
        to,
        onProgress: (now) => line.show(describe(now)),
        onFailure: (name, reason) => progress(`${name} was not copied: ${reason}`),
      });
      line.end();
      print(result, [describe(result)]);
      if (result.failed > 0)
        throw new Error(`${result.failed} of ${result.total} images were not copied; run it again`);
    });
}

const describe = ({ total, copied, bytes, present, failed }: CopyResult): string =>
  `${copied + present + failed} of ${total} images: ${copied} copied (${bytes} bytes), ${present} already there, ${failed} failed`;
