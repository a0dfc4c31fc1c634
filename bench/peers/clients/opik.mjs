import { Opik } from 'opik';
import { trackOpenAI } from 'opik-openai';

export function wrapWith(url) {
  const opik = new Opik({ apiUrl: url, apiKey: 'bench', workspaceName: 'bench', projectName: 'bench' });
  return { wrap: (client) => trackOpenAI(client, { client: opik }), finish: () => opik.flush() };
}
