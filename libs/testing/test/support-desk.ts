import type { Tracer } from '@dacapo/tracer';

/** What the desk needs from outside. Tests replace it to prove that a replay never reaches it. */
export interface Outside {
  order(id: string): Promise<{ id: string; isLate: boolean } | undefined>;
  model(prompt: string): Promise<string>;
  mail(message: { to: string; text: string; sentAt: number }): Promise<void>;
}

export interface DeskOptions {
  /** Whether an unknown order is an error of the code, as in production. */
  readonly isBroken?: boolean;
  readonly prompt?: (isLate: boolean) => string;
  readonly now?: () => number;
  readonly catchesModel?: boolean;
  readonly to?: string;
}

/** A small application with wrapped functions. */
export function createDesk(
  tracer: Tracer,
  outside: Outside,
  options: DeskOptions = {},
): (question: string, orderId: string) => Promise<{ text: string }> {
  const { prompt = (isLate) => `late: ${isLate}`, now = () => 1, to = 'ann@example.com' } = options;
  const findOrder = tracer.withSpan('orders.find', { kind: 'tool' }, (id: string) => outside.order(id));
  const ask = tracer.withSpan('model.ask', { type: 'llm' }, (text: string) => outside.model(text));
  const send = tracer.withSpan(
    'mail.send',
    { mockOnReplay: true },
    (message: { to: string; text: string; sentAt: number }) => outside.mail(message),
  );
  return tracer.withSpan('desk.answer', async (question: string, orderId: string) => {
    const order = await findOrder(orderId);
    if (order === undefined && options.isBroken === true)
      throw new TypeError(`Cannot read the order of ${question}`);
    const text = await (options.catchesModel === true
      ? ask(prompt(order?.isLate ?? false)).catch(() => 'fallback')
      : ask(prompt(order?.isLate ?? false)));
    await send({ to, text, sentAt: now() });
    return { text };
  });
}

/** Counts calls, so that a test proves that there are none. */
export function createOutside(): Outside & { readonly calls: string[] } {
  const calls: string[] = [];
  return {
    calls,
    order: (id) => {
      calls.push(`order ${id}`);
      return Promise.resolve(id === 'unknown' ? undefined : { id, isLate: true });
    },
    model: (prompt) => {
      calls.push(`model ${prompt}`);
      return Promise.resolve(`It is late. (${prompt})`);
    },
    mail: ({ to }) => {
      calls.push(`mail ${to}`);
      return Promise.resolve();
    },
  };
}
