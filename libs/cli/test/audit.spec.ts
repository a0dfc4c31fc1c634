import { type RunningService, startService } from './running-service.js';

describe('dacapo audit', () => {
  let service: RunningService;
  beforeEach(async () => {
    service = await startService();
  });
  afterEach(() => service.close());

  it('lists who did what, newest first', async () => {
    for (const name of ['one', 'two', 'three']) await service.json('datasets', 'create', name);
    const { items } = await service.json('audit', '--limit', '2');
    expect(items.map(({ action, object }: Record<string, string>) => [action, object])).toEqual([
      ['dataset.create', 'three'],
      ['dataset.create', 'two'],
    ]);
    expect((await service.run('audit')).out).toMatch(/dataset\.create +one +first key \(dcp_/);
  });
});
