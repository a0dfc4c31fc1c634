import type { Migration } from './migration.js';

/** Lists show it of each trace: from beside what the trace added to metrics, it took as many pages as the trace and its root span. */
export const usageOfTraces: Migration = {
  id: 36,
  name: 'usage-of-traces',
  statements: [
    'ALTER TABLE traces ADD COLUMN usage TEXT',
    `UPDATE traces SET usage = m.usage FROM trace_metrics m
      WHERE m.account_id = traces.account_id AND m.trace_id = traces.trace_id AND m.usage IS NOT NULL`,
    'ALTER TABLE trace_metrics DROP COLUMN usage',
  ],
};
