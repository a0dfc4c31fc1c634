import { findProviderMethods, type ProviderMethod } from './edits/traced-method.js';
import type { Project } from './project.js';

export interface MethodOfFile extends ProviderMethod {
  readonly path: string;
}

/** Packages whose calls are worth recording. */
const MODEL_CLIENT =
  /from\s+['"](openai|ai|@ai-sdk\/|@anthropic-ai\/|@google\/genai|@langchain\/|@openai\/agents|@aws-sdk\/client-bedrock|@mistralai\/|cohere|ollama)/;

/** The methods of all providers. Those in files that import a client of a model come first. */
export async function listMethods(project: Project): Promise<MethodOfFile[]> {
  const [likely, others]: [MethodOfFile[], MethodOfFile[]] = [[], []];
  for (const path of await project.listSources()) {
    const source = (await project.read(path)) ?? '';
    const methods = findProviderMethods(source).map((method) => ({ ...method, path }));
    (MODEL_CLIENT.test(source) ? likely : others).push(...methods);
  }
  return [...likely, ...others];
}
