import Anthropic from '@anthropic-ai/sdk';
import { describeAnthropic } from './anthropic-contract.js';

describeAnthropic({ version: '1', Anthropic, has: { toolRunner: true, parse: true } });
