import { z } from 'zod';

export const noteSchema = z.object({ urgency: z.enum(['today', 'this week']), note: z.string() });

/** An escalated ticket's team and a note for it. */
export interface Handover extends z.infer<typeof noteSchema> {
  readonly team: string;
}
