import { findByName, type Named } from './find-by-name.js';

async function* pagesOf(...pages: Named[][]): AsyncGenerator<readonly Named[]> {
  for (const page of pages) yield await Promise.resolve(page);
}

const find = (word: string): Promise<string> =>
  findByName(
    'test run',
    word,
    pagesOf(
      [{ id: 'aaaa1111', name: 'Nightly' }],
      [
        { id: 'aaaa2222', name: 'main' },
        { id: 'bbbb3333', name: 'main' },
        { id: 'cccc4444', name: 'red \u001b[31m' },
        { id: 'cccc5555' },
      ],
    ),
  );

describe('A name on the command line', () => {
  it('stands for the one entry with this name, or with an id that begins so', async () => {
    expect(await find('nightly')).toBe('aaaa1111');
    expect(await find('bbbb')).toBe('bbbb3333');
    expect(await find('aaaa2222')).toBe('aaaa2222');
  });

  it.each(['weekly', 'bbb'])(
    'is refused if nothing has it, or if it is too short to begin an id: %s',
    async (word) => {
      await expect(find(word)).rejects.toMatchObject({
        code: 'CLI_NAME_UNKNOWN',
        message: `No test run has the name "${word}" or an id that starts with it. List them to see their names.`,
      });
    },
  );

  it('is shown without control characters', async () => {
    await expect(find('cccc')).rejects.toMatchObject({ message: expect.stringContaining('red \uFFFD[31m') });
  });

  it.each(['main', 'aaaa'])('is ambiguous if several entries match: %s', async (word) => {
    await expect(find(word)).rejects.toMatchObject({
      code: 'CLI_NAME_AMBIGUOUS',
      message: expect.stringMatching(
        /^".+" matches 2 test runs\. Use the id of one:\n {2}\w{8} {2}\w+\n {2}\w{8} {2}\w+\n$/,
      ),
    });
  });
});
