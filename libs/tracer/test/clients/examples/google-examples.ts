import {
  type CallableTool,
  FunctionCallingConfigMode,
  type GoogleGenAI,
  HarmBlockThreshold,
  HarmCategory,
  mcpToTool,
  Type,
} from '@google/genai';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { type Example, type Print, weather } from './example.js';

const model = 'm';
const contents = 'What is the weather in Oslo?';
const WEATHER = {
  name: 'weather',
  parameters: { type: Type.OBJECT, properties: { city: { type: Type.STRING } }, required: ['city'] },
};

const callable = (print: Print): CallableTool => ({
  tool: () => Promise.resolve({ functionDeclarations: [WEATHER] }),
  callTool: (calls) => {
    print('called', calls);
    const response = { result: 'Oslo: mild' };
    return Promise.resolve([{ functionResponse: { name: 'weather', response } }]);
  },
});

/** The tools of a server, and the way to end with it. */
async function weatherServer(print: Print): Promise<{ tool: CallableTool; close(): Promise<void> }> {
  const server = new McpServer({ name: 'weather', version: '1' });
  server.registerTool('weather', { inputSchema: { city: z.string() } }, ({ city }) => {
    print('tool', city);
    return { content: [{ type: 'text', text: weather({ city }) }] };
  });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await server.connect(there);
  const client = new Client({ name: 'weather', version: '1' });
  await client.connect(here);
  // Its type is that of the package's ES modules.
  return { tool: mcpToTool(client as never), close: () => client.close() };
}

/** What the samples in the repository of the client do, in the terms of a weather desk. */
export const GOOGLE_EXAMPLES: Record<string, Example<GoogleGenAI>> = {
  'generate_content, with text, a system instruction and a configuration': async (newClient, print) => {
    const { models } = newClient();
    print((await models.generateContent({ model, contents })).text);
    const config = {
      systemInstruction: 'I say high, you say low.',
      maxOutputTokens: 30,
      temperature: 0.3,
      safetySettings: [
        {
          category: HarmCategory.HARM_CATEGORY_HATE_SPEECH,
          threshold: HarmBlockThreshold.BLOCK_ONLY_HIGH,
        },
      ],
    };
    print((await models.generateContent({ model, contents: 'high', config })).text);
  },
  generate_content_streaming: async (newClient, print) => {
    for await (const chunk of await newClient().models.generateContentStream({ model, contents }))
      print(chunk.text, chunk.data, chunk.usageMetadata);
  },
  chats: async (newClient, print) => {
    const chat = newClient().chats.create({ model });
    print((await chat.sendMessage({ message: contents })).text);
    for await (const chunk of await chat.sendMessageStream({ message: 'And tomorrow?' })) print(chunk.text);
    print(chat.getHistory());
  },
  'chat_afc, with servers of the Model Context Protocol': async (newClient, print) => {
    const mcp = await weatherServer(print);
    const toolConfig = { functionCallingConfig: { mode: FunctionCallingConfigMode.AUTO } };
    const chat = newClient().chats.create({ model, config: { tools: [mcp.tool], toolConfig } });
    print((await chat.sendMessage({ message: contents })).text);
    print(chat.getHistory());
    await mcp.close();
  },
  chat_afc_streaming: async (newClient, print) => {
    const chat = newClient().chats.create({ model, config: { tools: [callable(print)] } });
    for await (const chunk of await chat.sendMessageStream({ message: contents })) print(chunk.text);
  },
  generate_content_afc_streaming: async (newClient, print) => {
    const config = { tools: [callable(print)] };
    for await (const chunk of await newClient().models.generateContentStream({ model, contents, config }))
      print(chunk.text, chunk.functionCalls);
  },
  generate_content_with_function_calling: async (newClient, print) => {
    const config = { tools: [{ functionDeclarations: [WEATHER] }] };
    print((await newClient().models.generateContent({ model, contents, config })).functionCalls);
  },
  generate_content_streaming_function_call: async (newClient, print) => {
    const mcp = await weatherServer(print);
    const config = { tools: [mcp.tool], automaticFunctionCalling: { disable: true } };
    for await (const chunk of await newClient().models.generateContentStream({ model, contents, config }))
      print(chunk.text, chunk.functionCalls);
    await mcp.close();
  },
  generate_content_with_response_schema: async (newClient, print) => {
    const responseSchema = { type: Type.OBJECT, properties: { mild: { type: Type.BOOLEAN } } };
    const config = { responseMimeType: 'application/json', responseSchema };
    print((await newClient().models.generateContent({ model, contents, config })).text);
  },
  'a text and a picture': async (newClient, print) => {
    const data = Buffer.from('a picture of a cat, again and again').toString('base64');
    const parts = [{ text: 'What is it?' }, { inlineData: { mimeType: 'image/png', data } }];
    const request = { model, contents: [{ role: 'user', parts }] };
    print((await newClient().models.generateContent(request)).candidates);
  },
  'embed_content, and count_tokens': async (newClient, print) => {
    const { models } = newClient();
    print((await models.embedContent({ model, contents })).embeddings);
    print((await models.countTokens({ model, contents })).totalTokens);
  },
  abort_signal: async (newClient, print) => {
    const controller = new AbortController();
    const config = { abortSignal: controller.signal };
    try {
      for await (const chunk of await newClient().models.generateContentStream({ model, contents, config })) {
        // What has come already when it is aborted may still be given.
        if (!controller.signal.aborted) print(chunk.text);
        controller.abort();
      }
    } catch (error) {
      if (!controller.signal.aborted) throw error;
    }
  },
  api_error: async (newClient, print) => {
    await newClient()
      .models.generateContent({ model: 'no-such-model', contents })
      .catch((error: unknown) => {
        const { name, message, status } = error as Error & { status?: number };
        print(name, message, status);
      });
  },
};
