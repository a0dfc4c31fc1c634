import fc from 'fast-check';
import type { SearchedSection } from './ranked-index.js';
import { SearchIndex } from './search-index.js';

const section = (
  section_no: number,
  content: string,
  title = 'Guide',
  document_no = section_no,
): SearchedSection => ({
  section_no,
  document_no,
  title,
  source: `page${section_no}.md`,
  content,
});

function createIndex(...contents: string[]): SearchIndex {
  const index = new SearchIndex();
  for (const [at, content] of contents.entries()) index.add(section(at, content));
  return index;
}
const found = (index: SearchIndex, query: string): number[] =>
  index.search(query, 10).map(({ section_no }) => section_no);

describe('SearchIndex', () => {
  it.each([
    ['disable net connect', 'call `disableNetConnect()` first'],
    ['disableNetConnect', 'disable net connect'],
    ['disablenetconnect', 'call `disableNetConnect()` first'],
    ['max sockets', 'the option MAX_SOCKETS'],
    ['maxSockets', 'the option MAX_SOCKETS'],
    ['reply redirect', 'fastify.reply.redirect(url)'],
    ['HTTPServer', 'an http server'],
    ['retry after', 'the header Retry-After'],
    ['validation', 'how it validates'],
    ['v1.2.3', 'since version v1.2.3'],
    ['isntall', 'to install it'],
    ['authentcation', 'about authentication'],
    ['netconnect', 'call disableNetConnect()'],
    ['超时', '请求超时后重试'],
    ['タイムアウト', '接続タイムアウトの設定'],
    ['การเชื่อมต่อ', 'ตั้งค่าการเชื่อมต่อใหม่'],
    ['Ärger', 'viel ärger damit'],
  ])('finds %j in %j', (query, content) => {
    expect(found(createIndex('nothing of it', content), query)).toEqual([1]);
  });

  it('ranks the whole name before its parts', () => {
    const index = createIndex('the set of all time out values', 'setTimeout', 'time');
    expect(found(index, 'setTimeout')[0]).toBe(1);
    expect(found(index, 'set timeout')[0]).toBe(1);
  });

  it('ranks a word in the heading before the same word in the text', () => {
    const index = new SearchIndex();
    index.add(section(1, 'retry once, then retry again'));
    index.add(section(2, 'nothing', 'Guide › Retry'));
    expect(found(index, 'retry')).toEqual([2, 1]);
  });

  it('does not correct a word that the index has', () => {
    expect(found(createIndex('a cache', 'a catch', 'the caches'), 'cache')).toEqual([0, 2]);
  });

  it('returns equal contents once', () => {
    expect(found(createIndex('the same words', 'the  same words\n', 'other words'), 'same words')).toEqual([
      0, 2,
    ]);
  });

  it.each([[''], ['  '], ['"'], ['* AND ^'], ['\u0000']])('finds nothing for %j', (query) => {
    expect(found(createIndex('some text'), query)).toEqual([]);
  });

  const texts = fc.array(fc.stringMatching(/^[a-d]{1,2}( [a-d]{1,2}){0,6}$/), {
    minLength: 1,
    maxLength: 12,
  });

  it('ranks after a removal as if the removed document had never existed', () => {
    fc.assert(
      fc.property(
        texts,
        texts,
        fc.stringMatching(/^[a-d]{1,2}( [a-d]{1,2}){0,2}$/),
        (kept, removed, query) => {
          const index = new SearchIndex();
          for (const [at, content] of removed.entries())
            index.add(section(1000 + at, content, 'Other', 1000));
          for (const [at, content] of kept.entries()) index.add(section(at, content));
          index.removeDocument(1000);
          expect(index.search(query, 50)).toEqual(createIndex(...kept).search(query, 50));
        },
      ),
    );
  });

  it('ranks the same for any order of documents', () => {
    fc.assert(
      fc.property(texts, fc.stringMatching(/^[a-d]{1,2}$/), (contents, query) => {
        const index = new SearchIndex();
        for (const [at, content] of [...contents.entries()].reverse()) index.add(section(at, content));
        expect(index.search(query, 50).map(({ score }) => score)).toEqual(
          createIndex(...contents)
            .search(query, 50)
            .map(({ score }) => score),
        );
      }),
    );
  });
});
