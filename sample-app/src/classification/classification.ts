import { z } from 'zod';

export const classificationSchema = z.object({
  category: z.enum(['order', 'billing', 'technical', 'account', 'other']),
  priority: z.enum(['low', 'normal', 'high']),
});

/** What a message is about, and how soon it must be answered. */
export type Classification = z.infer<typeof classificationSchema>;
