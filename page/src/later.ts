// Parts of the page that come later. Start at `persist`.

const PAUSE = 1000;

/** Loads a part, again and again while the server is away: a part that failed once would be missing for good. */
export async function persist<T>(load: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await load();
    } catch {
      await new Promise((go) => setTimeout(go, PAUSE));
    }
  }
}

/** Does something when the page has nothing better to do. */
export function whenIdle(work: () => void): void {
  if ("requestIdleCallback" in window) requestIdleCallback(work, { timeout: 3000 });
  else setTimeout(work, 500);
}
