import { z } from 'zod';

export const noteSchema = z.object({ urgency: z.enum(['today', 'this week']), note: z.string() });

/** What a team gets when a person must answer. */
export interface Handover extends z.infer<typeof noteSchema> {
  readonly team: string;
}
