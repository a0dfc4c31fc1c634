import type { Classification } from '../classification/classification.js';

/** Classifications by people who read the messages. */
export const LABELS: Readonly<Record<string, Classification>> = {
  'Where is my order LM-1042? I need the lamp on Thursday.': { category: 'order', priority: 'high' },
  'A lamp of order LM-1057 arrived broken. Can I have a new one?': { category: 'order', priority: 'normal' },
  'My card was charged twice for the same invoice!': { category: 'billing', priority: 'high' },
  'How often do you send a webhook again when our server is away?': {
    category: 'technical',
    priority: 'normal',
  },
  'Our production is down: every request answers 429 since noon.': {
    category: 'technical',
    priority: 'high',
  },
  'The SDK throws LUMEN_TOKEN_EXPIRED. What do I do?': { category: 'technical', priority: 'normal' },
  'How do I play a scene from a crontab with the CLI?': { category: 'technical', priority: 'normal' },
  'I forgot my password and the link no longer works.': { category: 'account', priority: 'normal' },
  'Where is LM-9999? It is three days late.': { category: 'order', priority: 'normal' },
  'Lovely light, thanks! One idea: make a green one.': { category: 'other', priority: 'low' },
  'Please delete my account and my invoices.': { category: 'account', priority: 'normal' },
  'Since the update my lamp keeps blinking blue.': { category: 'technical', priority: 'normal' },
};
