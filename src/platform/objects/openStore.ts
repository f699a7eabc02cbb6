import { fileURLToPath } from "node:url";
import { fileStore } from "./fileStore.ts";
import { s3Store } from "./s3Store.ts";
import { type ObjectStore, objectsUrlError } from "./store.ts";

/** The object store that `SVC_OBJECTS_URL` names. Call `check()` before serving. @throws ConfigError */
export function openObjectStore(location: string): ObjectStore {
  const url = URL.parse(location);
  if (url?.protocol === "s3:") return s3Store(url);
  if (url?.protocol !== "file:" || url.hostname !== "" || url.search !== "") throw objectsUrlError("is malformed");
  return fileStore(fileURLToPath(url));
}
