import type { Migration } from './migration.js';

/** What is known of a trace counts by when it was said. Of what was stored before that is not known: whatever comes is later. */
export const traceFacts: Migration = {
  id: 17,
  name: 'trace-facts',
  statements: [
    'ALTER TABLE traces ADD COLUMN session_us INTEGER NOT NULL DEFAULT 0',
    'ALTER TABLE trace_attributes ADD COLUMN said_us INTEGER NOT NULL DEFAULT 0',
  ],
};
