/** What a `robots.txt` says to us (RFC 9309). */
export interface Robots {
  /** @param path the path and query of an address, as `URL` writes them */
  allows(path: string): boolean;
  /** Between two requests; what sites ask for beyond the RFC. */
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

/** What a crawler must read at least, and all that we read. */
const MOST_CHARACTERS = 500 * 1024;
const LONGEST_CRAWL_DELAY_MS = 10_000;

export const ALLOW_ALL: Robots = { allows: () => true };

/** @param product our product token, in lower case */
export function parseRobots(text: string, product: string): Robots {
  const groups = groupsOf(text.slice(0, MOST_CHARACTERS));
  const ours = groups.filter(({ agents }) => agents.includes(product));
  const chosen = ours.length > 0 ? ours : groups.filter(({ agents }) => agents.includes('*'));
  const rules = chosen.flatMap((group) => group.rules);
  const delays = chosen.flatMap(({ crawlDelayMs }) => crawlDelayMs ?? []);
  return {
    allows: (path) => path === '/robots.txt' || isAllowed(rules, path),
    ...(delays.length > 0 && { crawlDelayMs: Math.min(Math.max(...delays), LONGEST_CRAWL_DELAY_MS) }),
  };
}

function groupsOf(text: string): Group[] {
  const groups: Group[] = [];
  let isNaming = false;
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n?|\n/)) {
    const [, key, value] = /^\s*([a-z-]+)\s*:\s*([^#]*)/i.exec(line) ?? [];
    if (key === undefined || value === undefined) continue;
    const name = key.toLowerCase();
    if (name === 'user-agent') {
      if (!isNaming) groups.push({ agents: [], rules: [] });
      isNaming = true;
      groups.at(-1)?.agents.push(productOf(value));
      continue;
    }
    const group = groups.at(-1);
    if (name === 'allow' || name === 'disallow') {
      isNaming = false;
      const pattern = normalized(value.trim());
      if (pattern !== '') group?.rules.push({ isAllowed: name === 'allow', pattern });
    } else if (name === 'crawl-delay' && group) {
      isNaming = false;
      const seconds = Number(value.trim());
      if (value.trim() !== '' && seconds >= 0) group.crawlDelayMs = seconds * 1000;
    }
  }
  return groups;
}

/** `Dacapo/1.0` names the same product as `dacapo`. */
function productOf(value: string): string {
  return (/^(?:\*|[a-z_-]+)/i.exec(value.trim())?.[0] ?? '').toLowerCase();
}

/** The rule with the longest pattern decides; of two of one length, the one that allows. */
function isAllowed(rules: readonly Rule[], path: string): boolean {
  // Of an address they are letters like any other; of a pattern they are not, unless they are written so.
  const literal = normalized(path).replaceAll('*', '%2A').replaceAll('$', '%24');
  let decisive: Rule | undefined;
  for (const rule of rules) {
    if (!matches(rule.pattern, literal)) continue;
    const longer = rule.pattern.length - (decisive?.pattern.length ?? -1);
    if (longer > 0 || (longer === 0 && rule.isAllowed)) decisive = rule;
  }
  return decisive?.isAllowed ?? true;
}

/** One pass, so that no pattern can take long. */
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

/** Two ways to write one address become one: what needs no percent sign has none, everything else has. */
function normalized(text: string): string {
  return text.replace(/%[0-9a-f]{2}|[^\x21-\x7e]+/gi, (part) => {
    if (!part.startsWith('%')) return encoded(part);
    const letter = String.fromCharCode(Number.parseInt(part.slice(1), 16));
    return /[\w.~-]/.test(letter) ? letter : part.toUpperCase();
  });
}

function encoded(text: string): string {
  return Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(
    '',
  );
}
