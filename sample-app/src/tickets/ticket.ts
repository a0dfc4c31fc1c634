import { z } from 'zod';
import type { Classification } from '../classification/classification.js';
import type { Handover } from '../escalation/handover.js';
import type { Facts } from '../extraction/baml_client/types.js';

export const ticketRequestSchema = z.object({
  customer: z.string().trim().min(1).max(100),
  message: z.string().trim().min(1).max(4000),
});
export type TicketRequest = z.infer<typeof ticketRequestSchema>;

export interface Ticket extends TicketRequest, Classification {
  readonly id: string;
  readonly facts: Facts;
  /** `escalated`: a person writes the answer; until then `answer` only says so. */
  readonly status: 'answered' | 'escalated';
  readonly answer: string;
  /** Why it was escalated. */
  readonly reasons: readonly string[];
  /** Who answers it then. */
  readonly handover?: Handover;
  /** Where the dashboard shows how the answer came about; empty when tracing is off. */
  readonly traceId: string;
}
