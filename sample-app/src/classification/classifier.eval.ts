import { defineEval } from '@dacapo/tracer';
import OpenAI from 'openai';
import { loadConfig } from '../config/load-config.js';
import { ChatClient } from '../model/chat-client.js';
import { LABELS } from '../replays/labels.js';
import type { Classification } from './classification.js';
import { ClassificationModel } from './classification-model.js';
import { ClassifierV2Service } from './classifier-v2.service.js';
import { ClassifierService } from './classifier.service.js';

const config = loadConfig(process.env);
const openai = new OpenAI({ baseURL: config.model.baseUrl, apiKey: config.model.apiKey ?? 'none' });
const model = new ClassificationModel(new ChatClient(config, openai));
const current = new ClassifierService(model);
const next = new ClassifierV2Service(model);

/** Compares the two classifiers. Run `npx dacapo eval src/classification/classifier.eval.ts`. */
export default defineEval({
  data: Object.entries(LABELS).map(([input, expected]) => ({ input, expected })),
  variants: {
    current: (message: string): Promise<Classification> => current.classify(message),
    next: (message: string): Promise<Classification> => next.classify(message),
  },
  evaluators: {
    category: ({ output, expected }) => output.category === expected?.category,
    priority: ({ output, expected }) => output.priority === expected?.priority,
  },
  gate: { errors: 0 },
});
