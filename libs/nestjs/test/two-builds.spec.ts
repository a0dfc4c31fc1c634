import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

describe('an ES module application with a class that a CommonJS dependency decorated', () => {
  it('records its methods in one trace, and recognizes errors of either build', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(__dirname, 'two-builds.mjs')]);
    expect(JSON.parse(stdout)).toEqual({
      isOneBuild: false,
      spans: [
        ['prices.rounded', 'prices.total'],
        ['prices.total', null],
      ],
      recognized: [true, true],
      addedExitListeners: 1,
    });
  });
});
