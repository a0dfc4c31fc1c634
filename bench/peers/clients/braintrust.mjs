import { initLogger, wrapOpenAI } from 'braintrust';

export function wrapWith(url) {
  const logger = initLogger({ projectName: 'bench', apiKey: 'sk-bench', appUrl: url });
  return { wrap: (client) => wrapOpenAI(client), finish: () => logger.flush() };
}
