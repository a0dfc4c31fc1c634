import type { Migration } from './migration.js';

/** What a model call used, beside what it is listed with. Of what was stored before it is in the payload alone, and has no cost. */
export const spanUsage: Migration = {
  id: 21,
  name: 'span-usage',
  statements: [
    'ALTER TABLE spans ADD COLUMN model TEXT',
    'ALTER TABLE spans ADD COLUMN input_tokens REAL',
    'ALTER TABLE spans ADD COLUMN output_tokens REAL',
    'ALTER TABLE spans ADD COLUMN cost_usd REAL',
    'ALTER TABLE spans ADD COLUMN price_version TEXT',
  ],
};
