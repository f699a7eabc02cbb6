/** Where the service is, seen from this script: a proxy may serve the whole below a path of its own. */
const script = import.meta.url;

/** Without a slash at its end. */
export const BASE_PATH = new URL("..", script).pathname.replace(/\/$/, "");
export const BASE_URL = `${location.origin}${BASE_PATH}`;
