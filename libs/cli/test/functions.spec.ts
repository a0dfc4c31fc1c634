import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningService, startService } from './running-service.js';

const source = (prompt: string): string => `function Classify(text: string) -> string {
  client "openai/gpt-4o-mini"
  prompt #"${prompt} {{ text }}"#
}
`;

describe('dacapo functions', () => {
  let service: RunningService;
  let folder: string;
  let file: string;

  beforeEach(async () => {
    service = await startService();
    folder = await mkdtemp(join(tmpdir(), 'dacapo-functions-'));
    file = join(folder, 'Classify.baml');
    await writeFile(file, source('Classify'));
  });
  afterEach(async () => {
    await service.close();
    await rm(folder, { recursive: true });
  });

  it('pushes a source under the name of its file, active at once', async () => {
    expect(await service.json('functions', 'push', file)).toMatchObject({
      name: 'Classify',
      version: 1,
      is_active: true,
    });
    expect((await service.run('functions', 'list')).out).toMatch(/^Classify +1 +1 +\d{4}-\d\d-\d\d$/m);
  });

  it('makes no new version of an unchanged source', async () => {
    await service.json('functions', 'push', file);
    expect(await service.json('functions', 'push', file)).toMatchObject({ version: 1 });
  });

  it('leaves the active version alone until it is told to change it', async () => {
    await service.json('functions', 'push', file);
    await writeFile(file, source('Say the kind of'));
    const pushed = await service.run('functions', 'push', file, '--no-activate', '--note', 'shorter');
    expect(pushed.out).toBe('Classify version 2, not active: `dacapo functions activate Classify 2`\n');
    expect((await service.run('functions', 'pull', 'Classify')).out).toBe(source('Classify'));

    await service.json('functions', 'activate', 'Classify', '2');
    expect((await service.run('functions', 'pull', 'Classify')).out).toBe(source('Say the kind of'));
    expect((await service.run('functions', 'pull', 'Classify', '1')).out).toBe(source('Classify'));
    expect((await service.run('functions', 'list', 'Classify')).out).toMatch(
      /^2 \(active\) +Classify +\S+ +shorter$/m,
    );
  });

  it('says which function or file is not there', async () => {
    expect((await service.run('functions', 'pull', 'Absent')).err).toContain('The service answered 404');
    expect((await service.run('functions', 'push', join(folder, 'absent.baml'))).err).toContain(
      '[CLI_PATH_UNREADABLE]',
    );
  });
});
