/** The folder in which one local installation keeps everything: data, secrets, logs. One launcher at a time uses it. */
import { randomBytes } from "node:crypto";
import { mkdir, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { run } from "./run.ts";

export class DataFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = resolve(path);
  }

  file(...names: string[]): string {
    return join(this.path, ...names);
  }

  log(name: string): string {
    return this.file("logs", `${name}.log`);
  }

  /**
   * Make the folder and take it for this process.
   * @throws when another launcher that still runs has it.
   */
  async take(): Promise<void> {
    await mkdir(this.file("logs"), { recursive: true });
    const lock = this.file("launcher.pid");
    const mine = `${process.pid} ${await startTime(process.pid)}\n`;
    for (;;) {
      try {
        const handle = await open(lock, "wx", 0o600);
        await handle.writeFile(mine);
        await handle.close();
        return;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      }
      const [, pid = "0", started = ""] = /^(\d+) (.*)\n$/.exec(await readFile(lock, "utf8").catch(() => "")) ?? [];
      if (started !== "" && (await startTime(Number(pid))) === started) {
        throw new Error(`${this.path} is in use by process ${pid}; stop that one first or choose another --data`);
      }
      await rm(lock, { force: true });
    }
  }

  async release(): Promise<void> {
    await rm(this.file("launcher.pid"), { force: true });
  }

  /** The text of a file, or undefined when there is none. */
  async read(name: string): Promise<string | undefined> {
    return readFile(this.file(name), "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    });
  }

  /** Write a file only we may read, whole or not at all. */
  async write(name: string, text: string): Promise<void> {
    const fresh = this.file(`${name}.new`);
    await writeFile(fresh, text, { mode: 0o600 });
    await rename(fresh, this.file(name));
  }

  async remove(name: string): Promise<void> {
    await rm(this.file(name), { force: true });
  }

  /** A random secret of `bytes` bytes in base64, made once. */
  async secret(name: string, bytes: number): Promise<string> {
    const known = await this.read(name);
    if (known !== undefined) return known;
    const made = randomBytes(bytes).toString("base64");
    await this.write(name, made);
    return made;
  }
}

/**
 * When process `pid` started, in the system's own terms; undefined when there is none. Tells a reused id from the same
 * process.
 */
async function startTime(pid: number): Promise<string | undefined> {
  if (process.platform === "linux") {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
    // Field 22; the name in field 2 may hold spaces and brackets.
    return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  }
  const { ok, stdout } = await run("ps", ["-o", "lstart=", "-p", String(pid)]);
  return ok ? stdout.trim() : undefined;
}
