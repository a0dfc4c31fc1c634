import type { IncomingHttpHeaders } from 'node:http';
import { readContent, readDirectives } from './page-content.js';

const page = (path: string, headers: IncomingHttpHeaders, body: Buffer | string) => ({
  url: new URL(path, 'https://docs.example'),
  status: 200,
  headers,
  body: Buffer.from(body as string),
});
const html = (head: string, headers: IncomingHttpHeaders = {}) => {
  const fetched = page(
    '/guide',
    { 'content-type': 'text/html', ...headers },
    `<html><head>${head}</head><body>x</body></html>`,
  );
  return readDirectives(fetched, readContent(fetched));
};

describe('The document type of a page', () => {
  it.each([
    ['text/html; charset=utf-8', '/a', 'text/html'],
    ['application/xhtml+xml', '/a', 'text/html'],
    ['text/markdown', '/a', 'text/markdown'],
    ['text/plain', '/a.md', 'text/markdown'],
    ['text/plain', '/a', 'text/plain'],
    ['TEXT/PLAIN', '/types/index.d.ts', 'text/typescript'],
    ['application/octet-stream', '/openapi.yaml', 'application/yaml'],
    ['application/vnd.oai.openapi+json;version=3.0', '/a', 'application/json'],
    ['text/yaml', '/a', 'application/yaml'],
  ])('for the header %s and the path %s is %s', (type, path, expected) => {
    expect(readContent(page(path, { 'content-type': type }, 'x')).contentType).toBe(expected);
  });

  it('is unknown for other headers', () => {
    expect(() => readContent(page('/a.md', { 'content-type': 'image/png' }, 'x'))).toThrow(
      'image/png is not a supported',
    );
    expect(() => readContent(page('/a', {}, 'x'))).toThrow('it is not a supported document type');
    expect(() => readContent(page('/a.md', {}, ' \n'))).toThrow('empty');
  });
});

describe('The charset of a page', () => {
  it.each([
    ['the header', 'text/html; charset="ISO-8859-1"', Buffer.from('é', 'latin1')],
    ['the page', 'text/html', Buffer.from('<meta charset=windows-1252>é', 'latin1')],
    [
      'the older form',
      'text/html',
      Buffer.from('<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1">é', 'latin1'),
    ],
    [
      'its byte order mark, before the header',
      'text/html; charset=iso-8859-1',
      Buffer.from('\uFEFFé', 'utf8'),
    ],
    ['its UTF-16 byte order mark', 'text/plain', Buffer.from('\uFEFFé', 'utf16le')],
    ['the fallback of browsers', 'text/html', Buffer.from('<p>é', 'latin1')],
    ['the default, UTF-8', 'text/markdown', Buffer.from('é', 'utf8')],
  ])('comes from %s', (_, type, body) => {
    expect(readContent(page('/a', { 'content-type': type }, body)).content).toMatch(/é$/);
  });

  it('must fit the content', () => {
    const latin = Buffer.from('é', 'latin1');
    expect(() => readContent(page('/a', { 'content-type': 'text/markdown' }, latin))).toThrow(
      'not UTF-8 text',
    );
    expect(() => readContent(page('/a', { 'content-type': 'text/html; charset=klingon' }, latin))).toThrow(
      'charset klingon is not supported',
    );
  });
});

describe('What a page says to indexers', () => {
  it.each([
    ['<meta name="robots" content="noindex, nofollow">', true],
    ['<META NAME="ROBOTS" CONTENT="NONE">', true],
    ['<meta name="dacapo" content="noindex">', true],
    ['<meta name="otherbot" content="noindex">', false],
    ['<meta name="robots" content="nofollow, max-snippet:20">', false],
    ['<!-- <meta name="robots" content="noindex"> -->', false],
  ])('%s: noindex is %s', (head, expected) => {
    expect(html(head).isNoIndex).toBe(expected);
  });

  it.each([
    ['noindex', true],
    ['dacapo: noindex', true],
    ['otherbot: noindex, nofollow', false],
    ['otherbot: noindex, dacapo: noindex', true],
    ['unavailable_after: 25 Jun 2030 15:00:00 GMT, noindex', true],
    ['nofollow', false],
  ])('X-Robots-Tag %s: noindex is %s', (header, expected) => {
    expect(html('', { 'x-robots-tag': header }).isNoIndex).toBe(expected);
  });

  it('includes its canonical URL', () => {
    expect(html('<link rel="canonical" href="/manual#top">').canonical?.href).toBe(
      'https://docs.example/manual',
    );
    expect(html('', { link: '<https://docs.example/b>; rel="canonical"' }).canonical?.href).toBe(
      'https://docs.example/b',
    );
    expect(html('<link rel=canonical href="http://[">').canonical).toBeUndefined();
    expect(html('').canonical).toBeUndefined();
  });
});
