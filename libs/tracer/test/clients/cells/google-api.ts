import type { FunctionCall, GoogleGenAI } from '@google/genai';
import { MILD_SCHEMA, QUESTION, type VendorApi, describeWeather } from './vendor-api.js';

/** A tool that the client calls by itself. */
const WEATHER = {
  tool: () =>
    Promise.resolve({ functionDeclarations: [{ name: 'weather', description: 'The weather of a city.' }] }),
  callTool: (calls: FunctionCall[]) =>
    Promise.resolve(
      calls.map(({ name = '', args }) => ({
        functionResponse: { name, response: { result: describeWeather(args as { city: string }) } },
      })),
    ),
};

export function newGoogle(Client: typeof GoogleGenAI, baseUrl: string): GoogleGenAI {
  const retryOptions = { attempts: 2, initialDelay: 0.001 };
  return new Client({ apiKey: 'k', httpOptions: { baseUrl, retryOptions } });
}

export function googleModels({ models, chats }: GoogleGenAI): VendorApi {
  return {
    plain: (model, contents = QUESTION) => models.generateContent({ model, contents }),
    aborting: (model, abortSignal) =>
      models.generateContent({ model, contents: QUESTION, config: { abortSignal } }),
    stream: (model, contents = QUESTION, abortSignal) =>
      models.generateContentStream({ model, contents, config: { ...(abortSignal && { abortSignal }) } }),
    helper: async (model) => {
      const chat = chats.create({ model });
      await chat.sendMessage({ message: QUESTION });
      for await (const chunk of await chat.sendMessageStream({ message: 'And tomorrow?' }))
        if (chunk.text === undefined) throw new Error('no text');
      return chat.getHistory();
    },
    tools: async (model) =>
      (await models.generateContent({ model, contents: QUESTION, config: { tools: [WEATHER] } })).text,
    structured: async (model) => {
      const config = { responseMimeType: 'application/json', responseJsonSchema: MILD_SCHEMA };
      const { text } = await models.generateContent({ model, contents: QUESTION, config });
      return JSON.parse(text ?? '') as unknown;
    },
  };
}
