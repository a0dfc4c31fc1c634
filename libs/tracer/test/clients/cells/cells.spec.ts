import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import '../outside-fetch.js';
import { anthropicMessages, newAnthropic } from './anthropic-api.js';
import { cellsOf, describeCells } from './cells-contract.js';
import { googleModels, newGoogle } from './google-api.js';
import { newOpenAi, openAiChat, openAiResponses } from './openai-apis.js';

const openAi = (url: string): OpenAI => newOpenAi(OpenAI, url);

describeCells({ name: 'openai 7, chat', run: cellsOf(openAi, openAiChat) });
describeCells({ name: 'openai 7, responses', run: cellsOf(openAi, openAiResponses) });
describeCells({
  name: '@anthropic-ai/sdk 1',
  run: cellsOf((url) => newAnthropic(Anthropic, url), anthropicMessages),
});
describeCells({ name: '@google/genai 3', run: cellsOf((url) => newGoogle(GoogleGenAI, url), googleModels) });
