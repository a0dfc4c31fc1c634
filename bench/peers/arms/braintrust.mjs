import { initLogger, wrapTraced } from 'braintrust';

export function createArm(url) {
  const logger = initLogger({ projectName: 'bench', apiKey: 'sk-bench', appUrl: url });
  return { trace: (key, fn) => wrapTraced(fn, { name: key }), finish: () => logger.flush() };
}
