import { LIMITS } from '@dacapo/protocol';
import { API } from '@dacapo/protocol/api';
import { randomBytes } from 'node:crypto';
import { span } from './support/records.js';
import { runService, type Tenant } from './support/service.js';

let tenant: Tenant;

runService((_, account) => {
  tenant = account;
}, 'each test');

const search = async (text: string) => {
  for (;;) {
    const { body } = await tenant.get(`${API.traces.list.path}?text=${text}`).expect(200);
    if (body.text_indexed_until === undefined) return body;
  }
};

describe('a search for a text', () => {
  it('finds words after a file in base64, which is no text', async () => {
    const file = randomBytes(200_000).toString('base64');
    const parts = [{ image_url: `data:image/png;base64,${file}` }, { text: 'about zebras' }];
    const markdown = `![](data:image/png;base64,${file}) then giraffes`;
    await tenant.store(span({ span_data: { input: parts, output: markdown } }));
    expect((await search('zebras')).items).toHaveLength(1);
    expect((await search('giraffes')).items).toHaveLength(1);
    expect(await search(file.slice(0, 20).replace(/[+/]/g, ' ').trim().split(' ')[0]!)).toEqual({
      items: [],
    });
  });

  it('reports spans with words beyond the searched length', async () => {
    const long = `${'word '.repeat(LIMITS.searchedCharacters / 4)} beyond`;
    await tenant.store(span({ span_data: { input: [long] } }), span({ span_data: { input: ['short'] } }));
    const cut = { spans: 1, after_characters: LIMITS.searchedCharacters };
    expect(await search('beyond')).toEqual({ items: [], text_cut: cut });
    expect(await search('short')).toMatchObject({ items: [expect.anything()], text_cut: cut });
  });

  it('reports nothing about another account', async () => {
    await tenant.store(span({ span_data: { input: ['short'] } }));
    expect(await search('short')).not.toHaveProperty('text_cut');
  });
});
