import type { Schema } from './schema.js';

export interface Operation {
  tag: Tag;
  /** What it does, in one line. */
  summary: string;
  /** What is sent: JSON, unless its type is named. */
  body?: Schema;
  bodyType?: string;
  /** All of its fields have defaults. */
  isBodyOptional?: true;
  /** When it is answered with 409. */
  conflict?: string;
  /** What comes back; nothing when absent. JSON, unless its type is named. */
  answer?: Schema;
  answerType?: string;
}

export const TAGS = {
  Recording: 'Spans, traces and scores, sent by SDKs and by programs of your own.',
  Reading: 'What was recorded: traces, spans, sessions, calls, scores.',
  'Test runs': 'Replays and evaluations: what they play, what came of it, what was accepted.',
  Datasets: 'Sets of examples, in versions that never change.',
  Indexes: 'Documents, and what is found in them.',
  Functions: 'Native functions and their versions.',
  Data: 'Deletions and retention.',
  Access: 'The account, its members, its keys, its browsers, and who did what.',
  Service: 'Probes, and this description.',
} as const;
type Tag = keyof typeof TAGS;
