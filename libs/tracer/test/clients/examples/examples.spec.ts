import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import '../outside-fetch.js';
import {
  describeAnthropicExamples,
  describeGoogleExamples,
  describeOpenAiExamples,
} from './examples-contract.js';

describeOpenAiExamples('of the workspace', OpenAI);
describeAnthropicExamples('of the workspace', Anthropic);
describeGoogleExamples('of the workspace', GoogleGenAI);
