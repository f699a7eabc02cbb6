/** `fetch`, once more where the server has closed the connection that was kept from before. */
export function ask(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, init).catch(() => fetch(url, init));
}
