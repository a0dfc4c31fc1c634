import type { RunningCollector } from '@dacapo/collector';
import type { Gate } from '@dacapo/evaluation';
import { getCurrentSpan, Tracer } from '@dacapo/tracer';

const TOPICS = {
  'Where is my parcel?': 'delivery',
  'It came broken.': 'damage',
  'I was charged twice.': 'billing',
  'How do I return it?': 'return',
  'The invoice is wrong.': 'billing',
  'It never arrived.': 'delivery',
  'The box is empty.': 'damage',
  'My card was refused.': 'billing',
  'I want my money back.': 'return',
  'Which carrier is it?': 'delivery',
} as const;

type Text = keyof typeof TOPICS;

/** A version of the desk: its answers, and whether it checks for abuse first. */
export interface DeskVersion {
  findTopic: (text: Text) => string;
  asksGuard: boolean;
}

export const RECORDED: DeskVersion = { findTopic: (text) => TOPICS[text], asksGuard: true };

/** Knows only one topic and skips its guardrail. */
export const WORSE: DeskVersion = {
  findTopic: (text) => (TOPICS[text] === 'delivery' ? 'delivery' : 'other'),
  asksGuard: false,
};

/** An application whose calls are recorded once and evaluated with several versions. */
export class HelpDesk {
  readonly tracer: Tracer;
  constructor({ url, apiKey }: RunningCollector) {
    this.tracer = new Tracer({ apiKey: apiKey ?? '', serviceUrl: url });
  }

  async record(): Promise<void> {
    const route = this.createRoute(RECORDED);
    for (const text of Object.keys(TOPICS)) await route(text as Text);
    await this.tracer.flush();
  }

  evaluate(version: DeskVersion, name: string, gate?: Gate) {
    return this.tracer.replay('route-ticket', this.createRoute(version), {
      name,
      evaluators: {
        accuracy: ({ input, output }) => output === TOPICS[input],
        brevity: ({ output }) => ({
          score: 1 / output.length,
          label: 'short',
          explanation: 'One through its length.',
        }),
      },
      ...(gate && { gate }),
    });
  }

  close(): Promise<void> {
    return this.tracer.shutdown().then(() => undefined);
  }

  private createRoute({ findTopic, asksGuard }: DeskVersion): (text: Text) => Promise<string> {
    const guard = this.tracer.withSpan('find-abuse', { type: 'guardrail' }, (text: string) =>
      text.includes('!'),
    );
    const ask = this.tracer.withSpan('ask-model', { type: 'llm' }, (text: Text) => {
      getCurrentSpan().setPrompt(`system:\nName the topic.\n\nuser:\n${text}`);
      return findTopic(text);
    });
    return this.tracer.withSpan('route-ticket', async (text: Text) => {
      if (asksGuard) guard(text);
      return Promise.resolve(ask(text));
    });
  }
}
