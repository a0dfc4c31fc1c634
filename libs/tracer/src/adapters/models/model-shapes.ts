import type { Members } from '@dacapo/protocol';

/** The models of one library, recognized by their members. No version of the library is imported. */
export interface ModelShape {
  readonly library: 'ai' | 'langchain' | 'agents' | 'mastra';
  isModel(model: Members): boolean;
  /** Methods that return a promise of the answer to one request. */
  readonly promising: readonly string[];
  /** Methods that return an async generator of the answer's parts; a model may lack them. */
  readonly generating: readonly string[];
  /** Methods that return another model, or a promise of one: it is wrapped too. */
  readonly makers: readonly string[];
}

/** An agent of Mastra. */
export function isMastraAgent({ resolveModelConfig, listTools, getLLM }: Members): boolean {
  return [resolveModelConfig, listTools, getLLM].every((member) => typeof member === 'function');
}

function isAiSdkModel({ doGenerate, doStream, specificationVersion }: Members): boolean {
  return (
    typeof doGenerate === 'function' &&
    typeof doStream === 'function' &&
    typeof specificationVersion === 'string'
  );
}

const MASTRA_MODEL = /^(AISDKV\d+|ModelRouter)LanguageModel$/;

/** The first match counts, because Mastra's models have the methods of the AI SDK, and its agents have a `getModel`. */
export const MODEL_SHAPES: readonly ModelShape[] = [
  // An agent creates new models for each run.
  {
    library: 'mastra',
    isModel: isMastraAgent,
    promising: [],
    generating: [],
    makers: ['resolveModelConfig'],
  },
  {
    library: 'mastra',
    isModel: (model) => isAiSdkModel(model) && MASTRA_MODEL.test(model.constructor.name),
    promising: ['doGenerate', 'doStream'],
    generating: [],
    makers: [],
  },
  {
    library: 'ai',
    isModel: isAiSdkModel,
    promising: ['doGenerate', 'doStream'],
    generating: [],
    makers: [],
  },
  {
    library: 'langchain',
    isModel: ({ _generate, invoke, _modelType }) =>
      typeof _generate === 'function' &&
      typeof invoke === 'function' &&
      typeof _modelType === 'function' &&
      Reflect.apply(_modelType, undefined, []) === 'base_chat_model',
    promising: ['_generate'],
    generating: ['_streamResponseChunks'],
    // The last two are those of a model that is chosen by configuration.
    makers: ['withConfig', 'bindTools', 'bind', '_getModelInstance', '_model'],
  },
  {
    library: 'agents',
    isModel: ({ getResponse, getStreamedResponse }) =>
      typeof getResponse === 'function' && typeof getStreamedResponse === 'function',
    promising: ['getResponse'],
    generating: ['getStreamedResponse'],
    makers: [],
  },
  // A provider sends nothing itself: its models do.
  {
    library: 'agents',
    isModel: ({ getModel }) => typeof getModel === 'function',
    promising: [],
    generating: [],
    makers: ['getModel'],
  },
];

/** LangChain's base class throws in `_streamResponseChunks`, and LangChain checks whether a model overrides it. */
export function isOwnMethod(model: Members, name: string): boolean {
  let link: object | null = model;
  let owner: object | null = null;
  for (; link !== null; link = Reflect.getPrototypeOf(link)) {
    if (Object.hasOwn(link, name)) owner ??= link;
    if (Object.hasOwn(link, '_streamIterator') && Object.hasOwn(link, 'generatePrompt')) break;
  }
  return owner !== null && owner !== link;
}
