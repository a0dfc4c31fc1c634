import { gzipSync } from 'node:zlib';
import { readSitemap, gunzipIfNeeded } from './sitemap.js';

const urlset = (inner: string, root = 'urlset') =>
  `<?xml version="1.0"?>\n<${root} xmlns="x">${inner}</${root}>`;

describe('A sitemap', () => {
  it('lists pages, with entities, CDATA and blanks', () => {
    const xml = urlset(
      '<url><loc> https://a/?x=1&amp;y=2 </loc><lastmod>2026</lastmod></url><url><loc><![CDATA[https://a/b]]></loc></url>',
    );
    expect(readSitemap(xml)).toEqual({ locations: ['https://a/?x=1&y=2', 'https://a/b'], isIndex: false });
  });

  it('does not list images and videos as pages', () => {
    const xml = urlset(
      '<url><loc>https://a/</loc><image:image><image:loc>https://a/i.png</image:loc></image:image></url>',
    );
    expect(readSitemap(xml)?.locations).toEqual(['https://a/']);
  });

  it('may be an index, and may use a namespace prefix', () => {
    expect(readSitemap(urlset('<sitemap><loc>https://a/1.xml</loc></sitemap>', 'sitemapindex'))).toEqual({
      locations: ['https://a/1.xml'],
      isIndex: true,
    });
    const prefixed = '<s:urlset><s:url><s:loc>https://a/</s:loc></s:url></s:urlset>';
    expect(readSitemap(prefixed)?.locations).toEqual(['https://a/']);
  });

  it('may be a list of URLs', () => {
    expect(readSitemap('https://a/1\r\n\nhttps://a/2\n')).toEqual({
      locations: ['https://a/1', 'https://a/2'],
      isIndex: false,
    });
    expect(readSitemap('A text.\nhttps://a/1')).toBeUndefined();
  });

  it('is undefined for a page or a feed', () => {
    expect(readSitemap('<!doctype html><html><body>Sign in</body></html>')).toBeUndefined();
    expect(readSitemap('<rss><channel><link>https://a/</link></channel></rss>')).toBeUndefined();
    expect(readSitemap('')).toBeUndefined();
  });

  it('is refused when it is truncated', () => {
    expect(() => readSitemap('<urlset><url><loc>https://a/</loc></url><url><loc>https://a')).toThrow(
      'ends early',
    );
    expect(() => readSitemap('<urlset><url><loc>https://a/</loc></url>')).toThrow('ends early');
  });

  it('is unpacked from gzip, up to a maximum size', () => {
    expect(gunzipIfNeeded(gzipSync('<urlset/>')).toString()).toBe('<urlset/>');
    expect(gunzipIfNeeded(Buffer.from('<urlset/>')).toString()).toBe('<urlset/>');
    expect(() => gunzipIfNeeded(gzipSync(Buffer.alloc(60 * 1024 * 1024)))).toThrow('larger than 50 MiB');
    expect(() => gunzipIfNeeded(gzipSync('<urlset/>').subarray(0, 15))).toThrow('broken gzip');
  });
});
