/** The rules of a `robots.txt` for this crawler (RFC 9309). */
export interface Robots {
  /** @param path path and query of a URL, as `URL` serializes them */
  allows(path: string): boolean;
  /** Pause between two requests; an extension of the RFC. */
  readonly crawlDelayMs?: number;
}

interface Rule {
  readonly isAllowed: boolean;
  readonly pattern: string;
}

interface Group {
  readonly agents: string[];
  readonly rules: Rule[];
  crawlDelayMs?: number;
}

/** The minimum that the RFC requires a crawler to read. */
const MOST_CHARACTERS = 500 * 1024;
const LONGEST_CRAWL_DELAY_MS = 10_000;

export const ALLOW_ALL: Robots = { allows: () => true };

/** @param product the crawler's product token, in lower case */
export function parseRobots(text: string, product: string): Robots {
  const groups = parseGroups(text.slice(0, MOST_CHARACTERS));
  const ours = groups.filter(({ agents }) => agents.includes(product));
  const chosen = ours.length > 0 ? ours : groups.filter(({ agents }) => agents.includes('*'));
  const rules = chosen.flatMap((group) => group.rules);
  const delays = chosen.flatMap(({ crawlDelayMs }) => crawlDelayMs ?? []);
  return {
    allows: (path) => path === '/robots.txt' || isAllowed(rules, path),
    ...(delays.length > 0 && { crawlDelayMs: Math.min(Math.max(...delays), LONGEST_CRAWL_DELAY_MS) }),
  };
}

function parseGroups(text: string): Group[] {
  const groups: Group[] = [];
  let isNaming = false;
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n?|\n/)) {
    const [, key, value] = /^\s*([a-z-]+)\s*:\s*([^#]*)/i.exec(line) ?? [];
    if (key === undefined || value === undefined) continue;
    const name = key.toLowerCase();
    if (name === 'user-agent') {
      if (!isNaming) groups.push({ agents: [], rules: [] });
      isNaming = true;
      groups.at(-1)?.agents.push(parseProduct(value));
      continue;
    }
    const group = groups.at(-1);
    if (name === 'allow' || name === 'disallow') {
      isNaming = false;
      const pattern = normalizeEncoding(value.trim());
      if (pattern !== '') group?.rules.push({ isAllowed: name === 'allow', pattern });
    } else if (name === 'crawl-delay' && group) {
      isNaming = false;
      const seconds = Number(value.trim());
      if (value.trim() !== '' && seconds >= 0) group.crawlDelayMs = seconds * 1000;
    }
  }
  return groups;
}

/** `Dacapo/1.0` and `dacapo` are the same product. */
function parseProduct(value: string): string {
  return (/^(?:\*|[a-z_-]+)/i.exec(value.trim())?.[0] ?? '').toLowerCase();
}

/** The longest matching pattern decides; at equal length, the allowing one. */
function isAllowed(rules: readonly Rule[], path: string): boolean {
  // `*` and `$` are wildcards only in patterns.
  const literal = normalizeEncoding(path).replaceAll('*', '%2A').replaceAll('$', '%24');
  let decisive: Rule | undefined;
  for (const rule of rules) {
    if (!matches(rule.pattern, literal)) continue;
    const longer = rule.pattern.length - (decisive?.pattern.length ?? -1);
    if (longer > 0 || (longer === 0 && rule.isAllowed)) decisive = rule;
  }
  return decisive?.isAllowed ?? true;
}

/** A single pass, so that no pattern is slow. */
function matches(pattern: string, path: string): boolean {
  const isAnchored = pattern.endsWith('$');
  const [first = '', ...rest] = (isAnchored ? pattern.slice(0, -1) : pattern).split('*');
  if (!path.startsWith(first)) return false;
  if (rest.length === 0) return !isAnchored || path === first;
  let at = first.length;
  for (const [index, part] of rest.entries()) {
    if (isAnchored && index === rest.length - 1)
      return path.length - part.length >= at && path.endsWith(part);
    const found = path.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return true;
}

/** Makes equivalent URLs equal: percent-encodes exactly the characters that need it. */
function normalizeEncoding(text: string): string {
  return text.replace(/%[0-9a-f]{2}|[^\x21-\x7e]+/gi, (part) => {
    if (!part.startsWith('%')) return percentEncode(part);
    const letter = String.fromCharCode(Number.parseInt(part.slice(1), 16));
    return /[\w.~-]/.test(letter) ? letter : part.toUpperCase();
  });
}

function percentEncode(text: string): string {
  return Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(
    '',
  );
}
