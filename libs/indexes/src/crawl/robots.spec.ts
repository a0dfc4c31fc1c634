import fc from 'fast-check';
import { parseRobots } from './robots.js';

const allows = (text: string, path: string) => parseRobots(text, 'dacapo').allows(path);
const rules = (...lines: string[]) => ['User-agent: *', ...lines].join('\n');

describe('robots.txt', () => {
  it('uses all groups that name the crawler, else those for every crawler', () => {
    const text =
      'User-agent: *\nDisallow: /\n\nUser-agent: other\nUser-Agent: Dacapo/2.0\nDisallow: /a\n\nuser-agent: dacapo\nDisallow: /b';
    expect(['/a', '/b', '/c'].map((path) => allows(text, path))).toEqual([false, false, true]);
    expect(allows('User-agent: other\nDisallow: /', '/')).toBe(true);
    expect(allows('User-agent: *\nDisallow: /x\nUser-agent: *\nDisallow: /y', '/x')).toBe(false);
    expect(allows('User-agent: dacapobot\nDisallow: /', '/')).toBe(true);
  });

  it.each([
    ['the longest pattern decides', ['Disallow: /docs', 'Allow: /docs/public'], '/docs/public/a', true],
    ['wherever it comes', ['Allow: /docs/public', 'Disallow: /docs'], '/docs/private', false],
    ['of two of one length, the one that allows', ['Disallow: /a', 'Allow: /a'], '/a', true],
    ['an empty rule forbids nothing', ['Disallow:'], '/', true],
    ['without rules all is allowed', [], '/', true],
    ['a star is any text', ['Disallow: /*/private/*.md'], '/v2/private/a/b.md?x=1', false],
    ['a dollar sign is the end', ['Disallow: /*.pdf$'], '/a.pdf?download', true],
    ['at the end only', ['Disallow: /*.pdf$'], '/a.pdf', false],
    ['a dollar sign elsewhere is itself', ['Disallow: /a$b'], '/a$b', true],
    ['a query is part of the path', ['Disallow: /*?session='], '/a?session=1', false],
    ['letters count with their case', ['Disallow: /Docs'], '/docs', true],
    ['percent signs do not matter', ['Disallow: /%7Eann/caf%C3%A9'], '/~ann/caf%c3%a9', false],
    ['nor does the lack of them', ['Disallow: /ü'], '/%C3%BC', false],
    ['a slash that is written so is another one', ['Disallow: /a/b'], '/a%2Fb', true],
    ['comments are none of it', ['Disallow: /a # all of a'], '/ab', false],
    ['robots.txt itself is always allowed', ['Disallow: /'], '/robots.txt', true],
    ['unknown lines are skipped', ['Sitemap: https://x/', 'Noise', 'Disallow: /a'], '/a', false],
  ])('%s', (_, lines, path, expected) => {
    expect(allows(rules(...lines), path)).toBe(expected);
  });

  it('is read with any line ends, any case and a byte order mark', () => {
    expect(allows('\uFEFFUSER-AGENT : *\r\n  DISALLOW : /a\rAllow: /ab', '/a')).toBe(false);
    expect(allows('\uFEFFUSER-AGENT : *\r\n  DISALLOW : /a\rAllow: /ab', '/ab')).toBe(true);
  });

  it('sets pauses of at most ten seconds', () => {
    expect(parseRobots(rules('Crawl-delay: 2.5'), 'dacapo').crawlDelayMs).toBe(2500);
    expect(parseRobots(rules('Crawl-delay: 3600'), 'dacapo').crawlDelayMs).toBe(10_000);
    expect(parseRobots(rules('Crawl-delay: soon'), 'dacapo').crawlDelayMs).toBeUndefined();
  });

  it('matches like equivalent regular expressions', () => {
    const text = (letters: string[]) => fc.string({ unit: fc.constantFrom(...letters), maxLength: 6 });
    const rule = fc.record({
      isAllowed: fc.boolean(),
      pattern: text(['a', 'b', '/', '*', '$']).map((rest) => `/${rest}`),
    });
    const toRegExp = (pattern: string) => {
      const isAnchored = pattern.endsWith('$');
      const body = (isAnchored ? pattern.slice(0, -1) : pattern)
        .replaceAll('$', '%24')
        .replaceAll('*', '[^]*');
      return new RegExp(`^${body}${isAnchored ? '$' : ''}`);
    };
    fc.assert(
      fc.property(
        fc.array(rule, { maxLength: 5 }),
        text(['a', 'b', '/']).map((rest) => `/${rest}`),
        (all, path) => {
          const matching = all
            .filter(({ pattern }) => toRegExp(pattern).test(path))
            .sort((a, b) => b.pattern.length - a.pattern.length || Number(b.isAllowed) - Number(a.isAllowed));
          const lines = all.map(
            ({ isAllowed, pattern }) => `${isAllowed ? 'Allow' : 'Disallow'}: ${pattern}`,
          );
          return allows(rules(...lines), path) === (matching[0]?.isAllowed ?? true);
        },
      ),
    );
  });

  it('stays fast with malicious patterns', () => {
    const lines = Array.from({ length: 500 }, () => `Disallow: /${'*a'.repeat(400)}b`);
    expect(allows(rules(...lines), `/${'a'.repeat(2000)}`)).toBe(true);
  });
});
