import { startCollector } from '@dacapo/collector';
import { newTraceId } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import { DeletionRunner } from '../src/deletions/deletion-runner.js';
import { openSqliteStorage } from '../src/storage/engines/sqlite/open-sqlite-storage.js';
import { ManualClock } from './support/manual-clock.js';
import { span, startedAt } from './support/records.js';
import { Service, SILENT, createTenant } from './support/service.js';
import { temporaryDirectory } from './support/temporary-directory.js';

describe('a deletion that a process left half done', () => {
  it('is finished after the next start', async () => {
    const dataDir = temporaryDirectory();
    const first = await startCollector({ port: 0, dataDir, logger: SILENT });
    const tenant = createTenant(first.url, '', first.apiKey ?? '');
    const stored = [1, 2, 3].map((second) => span({ started_at: startedAt(second) }));
    const kept = span({ trace_function_key: 'other' });
    await tenant.store(...stored, kept);
    const { body: account } = await tenant.get(API.accounts.get.path);
    await first.close();

    // It died after the first part of the newest trace was gone, with the others still to be looked for.
    const storage = await openSqliteStorage(dataDir, new ManualClock());
    const [newest] = stored.toReversed();
    const id = newTraceId();
    const forgetAt = '2999-01-01T00:00:00.000000Z';
    const deletion = { forgetAt, mostSpans: 0, deletionId: id };
    await storage.spans.deletions.deleteTraces(account.id, [newest!.trace_id], deletion);
    // What it counted after that is not in its record.
    const counts = { traces: 0, spans: 0, scores: 0, dataset_items: 0, run_items: 0, accepted_outcomes: 0 };
    await storage.meta.deletions.put({
      accountId: account.id,
      record: {
        id,
        reason: 'request',
        scope: { trace_function_key: 'answer' },
        state: 'running',
        counts,
        created_at: '2026-02-01T00:00:00.000000Z',
      },
      progress: { traceIds: [newest!.trace_id], after: [startedAt(3), newest!.trace_id] },
    });
    await storage.close();

    const service = await Service.start({ dataDir });
    await service.app.get(DeletionRunner).idle();
    const again = createTenant(service.url, '', first.apiKey ?? '');
    const { body: ended } = await again.get(routePath(API.deletions.get, { id })).expect(200);
    expect(ended).toMatchObject({ state: 'done', counts: { traces: 3, spans: 3 } });
    const { body } = await again.get(API.traces.list.path);
    expect(body.items.map((trace: { id: string }) => trace.id)).toEqual([kept.trace_id]);
    const path = `${API.traces.list.path}/${newest!.trace_id}/spans/${newest!.id}`;
    await again.get(path).expect(404);
    await service.close();
  });
});
