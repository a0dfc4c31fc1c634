import { GoogleGenAI } from '@google/genai';
import { describeGoogle } from './google-contract.js';

describeGoogle({ version: '3', GoogleGenAI });
