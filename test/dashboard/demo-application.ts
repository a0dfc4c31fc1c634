import { setTimeout } from 'node:timers/promises';
import { getCurrentSpan, getCurrentTrace, type Tracer } from '@dacapo/tracer';

const TICKETS = [
  'How do I pair two lamps?',
  'The app says token expired.',
  'I want a refund, it arrived broken.',
  'Where is my order LM-1042?',
  'My card was charged twice.',
  'The invoice shows the wrong VAT number.',
  'Can I change the delivery address?',
  'The lamp flickers at 20 %.',
];

const CATEGORIES: [pattern: RegExp, category: string][] = [
  [/refund|charged|invoice/, 'billing'],
  [/order|delivery/, 'shipping'],
  [/lamp|app/, 'device'],
];

const findCategory = (text: string): string =>
  CATEGORIES.find(([pattern]) => pattern.test(text))?.[1] ?? 'other';

interface Version {
  modelVersion: (text: string) => string;
  rules: string;
  route: (text: string) => string;
}

/** How long the model takes, so that bars have lengths. */
const MODEL_MS = 40;

export const RECORDED: Version = {
  modelVersion: () => '2026-10-01',
  rules: 'Parcels are shipping. Money is billing.',
  route: findCategory,
};

export const SHORTER_RULES: Version = {
  modelVersion: (text) => (text.startsWith('My') ? '2026-11-01' : '2026-10-01'),
  rules: 'Money is billing.',
  route: (text) => {
    if (text.startsWith('Can I')) throw new TypeError('category "delivery" is not one of the categories');
    return text.startsWith('Where') ? 'billing' : findCategory(text);
  },
};

export const NO_TAXES: Version = {
  ...RECORDED,
  route: (text) => (/VAT/.test(text) ? 'other' : findCategory(text)),
};

class LedgerLockTimeout extends Error {
  override readonly name = 'LedgerLockTimeout';
}

/** An application: an agent that searches a handbook and asks a model, and refunds of which some fail in an inner call. */
export class DemoApplication {
  constructor(private readonly tracer: Tracer) {}

  /** Each round is a ticket and a refund. */
  async record(rounds: number): Promise<void> {
    const route = this.createRoute(RECORDED);
    const refund = this.createRefund();
    for (let no = 1; no <= rounds; no += 1) {
      const text = `${TICKETS[no % TICKETS.length] ?? ''} (ticket ${no})`;
      await Promise.all([route(text), refund(`INV-90${no}`).catch(() => undefined)]);
    }
    await this.tracer.flush();
  }

  replay(name: string, version: Version) {
    return this.tracer.replay('route-ticket', this.createRoute(version), {
      name,
      evaluators: { accuracy: ({ input, output }) => output.category === findCategory(input) },
      gate: { errors: 0, changed: 5, scores: { accuracy: { min: 0.98 } } },
    });
  }

  private createRoute({ modelVersion, rules, route }: Version) {
    const check = this.tracer.withSpan('check-policy', { type: 'guardrail' }, (text: string) => ({
      allowed: !text.includes('!'),
    }));
    const search = this.tracer.withSpan('search-handbook', { type: 'function' }, (text: string) => [
      { section: findCategory(text), text: 'Items can be returned within 30 days.' },
    ]);
    const ask = this.tracer.withSpan('route-llm', { type: 'llm' }, async (text: string) => {
      getCurrentSpan().setPrompt(`system:\nName the category of the ticket.\n${rules}\n\nuser:\n${text}`);
      getCurrentSpan().addUsage({
        model: 'gpt-5-mini',
        provider: 'openai',
        inputTokens: 262,
        outputTokens: 38,
      });
      await setTimeout(MODEL_MS);
      return { category: route(text), model_version: modelVersion(text), urgency: 'low' };
    });
    return this.tracer.withSpan('route-ticket', { type: 'agent' }, async (text: string) => {
      getCurrentTrace().setMetadata({ channel: 'mail', release: '2.15.0' });
      check(text);
      search(text);
      return await ask(text);
    });
  }

  private createRefund() {
    const post = this.tracer.withSpan('post-refund', { type: 'function' }, async (invoice: string) => {
      await setTimeout(MODEL_MS);
      if (/[358]$/.test(invoice))
        throw new LedgerLockTimeout(`could not acquire the ledger lock for ${invoice}`);
      return { posted: invoice };
    });
    return this.tracer.withSpan('handle-refund', { type: 'agent' }, (invoice: string) => post(invoice));
  }
}
