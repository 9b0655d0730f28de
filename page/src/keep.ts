// What the page remembers in this browser: the theme, how diffs are shown, drafts, the stateless history. Start at `kept`.

/** A value under a name. A browser that keeps nothing is a browser in which nothing is remembered. */
export function kept<T>(name: string, fallback: T): T {
  try {
    const text = localStorage.getItem(`cinque.${name}`);
    return text === null ? fallback : (JSON.parse(text) as T);
  } catch {
    return fallback;
  }
}

export function keep(name: string, value: unknown): void {
  try {
    if (value === null || value === "") localStorage.removeItem(`cinque.${name}`);
    else localStorage.setItem(`cinque.${name}`, JSON.stringify(value));
  } catch {
    // Storage may be full or forbidden; the page works without it.
  }
}

/** A random GUID, also where the page is not served from a secure origin. */
export function guid(): string {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
