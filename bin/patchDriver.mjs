// Mends faults of the Postgres driver; none is fixed in a release so far. The first five show when the database is killed, the
// next two under load, the others on every query.
// Each installation runs this once: after `npm ci`, by bin/ensure.mjs, in the Dockerfile. A second run changes nothing.
//
// 1. A transaction whose connection is lost goes on sending: with no socket, which ends the process
//    (github.com/porsager/postgres issues 1154 and 1208), or, once the pool has connected that slot again, into the new
//    session, where each statement is committed by itself.
// 2. Bytes that were about to be sent when the connection was lost stay: the slot's next connection never gets its greeting
//    out and times out, again and again.
// 3. A connection that is lost while the driver asks for the array types, its first query on each, ends the process: nobody
//    waits for that answer.
// 4. What the server said when it ended a session in the middle of a query stays: the slot's next connection refuses its first
//    query, somebody else's, with it.
// 5. What is asked between the error of a connection and its end, as by whoever tries again at once, is never answered. It
//    stays in the slot, whose next session gives it the answer of a later query, and each after that the answer of another.
// 6. A transaction that is put behind exactly 99 other queries of a busy connection, or fills its socket, is not told which
//    connection it has: it fails beside an open transaction, and what others then write there is answered, but not committed.
// 7. A query that cannot be built, because of a parameter of the wrong kind, is counted as sent when it is put behind another:
//    that one fails with its error, and all after it get each other's answers.
// 8. A pool of which some connection is always idle remembers each turn it gave: every query makes the list of idle connections
//    longer by one, and searches it from its beginning. After 350,000 queries each one takes twice its time.
// 9. The two closures that settle a query keep it, its result and all that waits for it alive until the next full garbage
//    collection, so that each small one copies a fifth of what was allocated: pauses of 8 ms, 0.3 ms without.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const VERSION = "3.4.9";
const DRIVER = join(dirname(dirname(fileURLToPath(import.meta.url))), "node_modules/postgres");

/** Per file: text of the release, and what it becomes. */
const CHANGES = {
  "src/index.js": [
    ["    let savepoints = 0\n      , connection\n", "    let savepoints = 0\n      , lost\n      , connection\n"],
    [
      "new Promise((_, reject) => connection.onclose = reject)",
      "new Promise((_, reject) => connection.onclose = e => (lost = e, reject(e)))",
    ],
    [
      "        q.catch(e => uncaughtError || (uncaughtError = e))\n",
      "        q.catch(e => uncaughtError || (uncaughtError = e))\n        if (lost)\n          return q.reject(lost)\n",
    ],
  ],
  "src/queue.js": [
    [
      "      if (index === xs.length) {\n        index = 0\n        xs = []\n      } else {",
      "      if (index * 2 >= xs.length) {\n        xs = xs.slice(index)\n        index = 0\n      } else {",
    ],
  ],
  "src/query.js": [
    [
      "    this.resolve = x => (this.active = false, resolve(x))\n    this.reject = x => (this.active = false, reject(x))\n\n    this.active",
      "    this.settle = { resolve, reject }\n\n    this.active",
    ],
    [
      "  get origin() {",
      "  resolve(x) {\n    this.active = false\n    this.settle.resolve(x)\n  }\n\n  reject(x) {\n    this.active = false\n    this.settle.reject(x)\n  }\n\n  get origin() {",
    ],
  ],
  "src/connection.js": [
    [
      "  function execute(q) {\n    if (terminated)",
      "  function execute(q) {\n    if (!socket)\n      return (queryError(q, Errors.connection('CONNECTION_CLOSED', options)), true)\n\n    if (terminated)",
    ],
    ["        return fetchArrayTypes()\n", "        return fetchArrayTypes().catch(() => {})\n"],
    [
      "    socket.removeAllListeners()\n    socket = null\n",
      "    socket.removeAllListeners()\n    socket = chunk = nextWriteTimer = null\n",
    ],
    [
      "    if (initial)\n      return reconnect()\n",
      "    errorResponse = null\n    if (initial)\n      return reconnect()\n",
    ],
    [
      "    !hadError && (query || sent.length) && error(Errors.connection('CONNECTION_CLOSED', options, socket))\n",
      "    ;(query || sent.length) && error(Errors.connection('CONNECTION_CLOSED', options, socket))\n    query = null\n    rows = 0\n",
    ],
    [
      "    try {\n      q.state = backend\n      query\n        ? sent.push(q)\n        : (query = q, query.active = true)\n\n      build(q)\n      return write(toBuffer(q))\n        && !q.describeFirst\n        && !q.cursorFn\n        && sent.length < max_pipeline\n        && (!q.options.onexecute || q.options.onexecute(connection))\n    } catch (error) {\n      sent.length === 0 && write(Sync)\n      errored(error)\n      return true\n    }\n",
      "    let bytes\n    try {\n      build(q)\n      bytes = toBuffer(q)\n    } catch (error) {\n      queryError(q, error)\n      query || (query = q, write(Sync))\n      return true\n    }\n\n    q.state = backend\n    query\n      ? sent.push(q)\n      : (query = q, query.active = true)\n\n    const ready = write(bytes)\n      && !q.describeFirst\n      && !q.cursorFn\n      && sent.length < max_pipeline\n\n    return q.options.onexecute ? q.options.onexecute(connection) : ready\n",
    ],
  ],
};

if (JSON.parse(readFileSync(join(DRIVER, "package.json"), "utf8")).version !== VERSION) {
  throw new Error(`bin/patchDriver.mjs knows postgres ${VERSION}; look whether the new one still needs it`);
}
for (const [file, changes] of Object.entries(CHANGES)) {
  const path = join(DRIVER, file);
  const before = readFileSync(path, "utf8");
  const after = changes.reduce((text, [old, mended]) => {
    if (text.includes(mended)) return text;
    if (text.split(old).length !== 2) throw new Error(`${path} is not that of postgres ${VERSION}`);
    return text.replace(old, () => mended);
  }, before);
  if (after !== before) writeFileSync(path, after);
}
