import { onUpdatedSpans } from './0035-stored-outcomes.js';
import type { Migration } from './migration.js';

/** The root span of a trace that a list shows is read by its number, without a way through the index of all spans. */
export const numbersOfRoots: Migration = {
  id: 38,
  name: 'numbers-of-roots',
  statements: [
    'DROP TRIGGER spans_updated',
    'ALTER TABLE traces ADD COLUMN root_span_no INTEGER',
    `UPDATE traces SET root_span_no = (SELECT r.span_no FROM spans r
        WHERE r.account_id = traces.account_id AND r.trace_id = traces.trace_id AND r.span_id = traces.root_span_id)
      WHERE root_span_id IS NOT NULL`,
    onUpdatedSpans(', root_span_no = NEW.span_no'),
  ],
};
