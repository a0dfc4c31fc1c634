import type { Type } from '@nestjs/common';
import { z } from 'zod';
import type { Classification } from '../classification/classification.js';
import { ClassifierService } from '../classification/classifier.service.js';
import { ClassifierV2Service } from '../classification/classifier-v2.service.js';

interface Classifier {
  classify(message: string): Promise<Classification>;
}

/** The services that can replay stored classifications: the one in use and its next version. */
export const VERSIONS: Readonly<Record<'classifier-v1' | 'classifier-v2', Type<Classifier>>> = {
  'classifier-v1': ClassifierService,
  'classifier-v2': ClassifierV2Service,
};

export const replayRequestSchema = z.object({
  version: z.enum(['classifier-v1', 'classifier-v2']),
  limit: z.number().int().min(1).max(1000).optional(),
});
export type ReplayRequest = z.infer<typeof replayRequestSchema>;
