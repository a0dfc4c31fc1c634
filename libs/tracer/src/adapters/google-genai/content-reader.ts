import { formatPrompt, contentsText, type UsageRecord } from '@dacapo/protocol';
import { messagesPrompt } from '../clients/messages-prompt.js';
import type { AnswerFacts, AnswerGatherer, ModelReader } from '../clients/model-method.js';
import { count, type Fields, toFields } from '../readers.js';
import { recordedAnswer, revivedAnswer } from './answers.js';

/** Any other reason cuts the answer short, or blocks the prompt. */
const WELL_ENDED = new Set(['STOP', 'FINISH_REASON_UNSPECIFIED', 'BLOCKED_REASON_UNSPECIFIED']);

const CONTENT: ModelReader = {
  prompt: messagesPrompt('google.contents'),
  answer: readFacts,
  verdict: (answer) => {
    const { finishReason } = readFacts(answer).facts ?? {};
    return typeof finishReason !== 'string' || WELL_ENDED.has(finishReason) ? undefined : { level: 'warn' };
  },
  recorded: recordedAnswer,
  revived: (recorded, first) => revivedAnswer('generateContent', recorded, first),
  gather: () => new ContentGatherer(),
};

/** By the method whose answers they read. */
export const READERS = {
  generateContent: CONTENT,
  embedContent: { ...CONTENT, revived: (recorded) => revivedAnswer('embedContent', recorded) },
  generateImages: {
    ...CONTENT,
    prompt: ({ prompt }) => formatPrompt([{ role: 'user', text: String(prompt) }]),
    revived: (recorded) => revivedAnswer('generateImages', recorded),
  },
} satisfies Record<string, ModelReader>;

function readFacts(answer: unknown): AnswerFacts {
  const { usageMetadata, modelVersion, responseId, candidates, promptFeedback } = toFields(answer);
  const [first] = Array.isArray(candidates) ? (candidates as unknown[]) : [];
  return {
    usage: readUsage(usageMetadata),
    facts: {
      finishReason: toFields(first)['finishReason'] ?? toFields(promptFeedback)['blockReason'],
      responseModel: modelVersion,
      responseId,
    },
  };
}

/** The vendor counts thoughts apart from the answer; here they are output. */
function readUsage(metadata: unknown): UsageRecord {
  const facts = toFields(metadata);
  const { candidatesTokenCount: answer, thoughtsTokenCount: thoughts } = facts;
  const output =
    typeof answer === 'number' ? answer + (typeof thoughts === 'number' ? thoughts : 0) : thoughts;
  return {
    ...count('input_tokens', facts['promptTokenCount']),
    ...count('output_tokens', output),
    ...count('total_tokens', facts['totalTokenCount']),
    ...count('cached_input_tokens', facts['cachedContentTokenCount']),
    ...count('reasoning_tokens', thoughts),
    ...count('input_audio_tokens', countAudioTokens(facts['promptTokensDetails'])),
    ...count('output_audio_tokens', countAudioTokens(facts['candidatesTokensDetails'])),
  };
}

function countAudioTokens(details: unknown): unknown {
  if (!Array.isArray(details)) return undefined;
  const audio: unknown = details.find((detail) => toFields(detail)['modality'] === 'AUDIO');
  return toFields(audio)['tokenCount'];
}

type Gathered = Record<string, unknown>;

/** Puts the parts of each candidate together; of what else the chunks say the last counts. */
class ContentGatherer implements AnswerGatherer {
  private answered: Gathered | undefined;
  private readonly candidates: Gathered[] = [];

  add(chunk: unknown): boolean {
    const { candidates, ...rest } = toFields(chunk);
    Object.assign((this.answered ??= {}), withoutUndefined(rest));
    const list = Array.isArray(candidates) ? (candidates as unknown[]) : [];
    return list.map((candidate) => this.addCandidate(toFields(candidate))).includes(true);
  }

  answer(): unknown {
    const candidates = this.candidates.filter(Boolean);
    return this.answered && { ...this.answered, ...(candidates.length > 0 && { candidates }) };
  }

  private addCandidate({ index, content, ...rest }: Fields): boolean {
    const at = typeof index === 'number' && index >= 0 && index < 128 ? index : 0;
    const candidate = (this.candidates[at] ??= { content: { parts: [], role: 'model' } });
    Object.assign(candidate, withoutUndefined(rest));
    const { parts, role } = toFields(content);
    const gathered = candidate['content'] as { parts: Gathered[]; role: unknown };
    if (role !== undefined) gathered.role = role;
    const added = Array.isArray(parts) ? (parts as unknown[]) : [];
    for (const part of added) addPart(gathered.parts, toFields(part));
    return contentsText(content) !== '';
  }
}

/** A text continues the text before it, unless one of them is a thought or signed. */
function addPart(parts: Gathered[], part: Fields): void {
  const { text, thought, ...rest } = part;
  const last = parts.at(-1);
  const continues =
    typeof text === 'string' && typeof last?.['text'] === 'string' && last['thought'] === thought;
  if (continues && !('thoughtSignature' in last))
    Object.assign(last, rest, { text: `${last['text'] as string}${text}` });
  else parts.push({ ...part });
}

function withoutUndefined(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
