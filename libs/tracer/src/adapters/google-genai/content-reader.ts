import { contentsText, type UsageRecord, type Members, toMembers, toList } from '@dacapo/protocol';
import { type Gathered, toIndex } from '../clients/gathered.js';
import { messagesPrompt, textPrompt } from '../clients/messages-prompt.js';
import type { AnswerFacts, AnswerGatherer, ModelReader } from '../clients/model-method.js';
import { count, knownMembers, sum } from '../readers.js';
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
    prompt: ({ prompt }) => textPrompt(prompt),
    revived: (recorded) => revivedAnswer('generateImages', recorded),
  },
} satisfies Record<string, ModelReader>;

function readFacts(answer: unknown): AnswerFacts {
  const { usageMetadata, modelVersion, responseId, candidates, promptFeedback } = toMembers(answer);
  const [first] = toList(candidates);
  return {
    usage: readUsage(usageMetadata),
    facts: {
      finishReason: toMembers(first)['finishReason'] ?? toMembers(promptFeedback)['blockReason'],
      responseModel: modelVersion,
      responseId,
    },
  };
}

/** The vendor counts thoughts separately; our output tokens include them. */
function readUsage(metadata: unknown): UsageRecord {
  const facts = toMembers(metadata);
  const { candidatesTokenCount: answer, thoughtsTokenCount: thoughts } = facts;
  const output = typeof answer === 'number' ? sum(answer, thoughts) : thoughts;
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
  const audio = toList(details).find((detail) => toMembers(detail)['modality'] === 'AUDIO');
  return toMembers(audio)['tokenCount'];
}

/** Merges the parts of each candidate. For other fields, the last chunk counts. */
class ContentGatherer implements AnswerGatherer {
  private answered: Gathered | undefined;
  private readonly candidates: Gathered[] = [];

  add(chunk: unknown): boolean {
    const { candidates, ...rest } = toMembers(chunk);
    Object.assign((this.answered ??= {}), knownMembers(rest));
    return toList(candidates)
      .map((candidate) => this.addCandidate(toMembers(candidate)))
      .includes(true);
  }

  answer(): unknown {
    const candidates = this.candidates.filter(Boolean);
    return this.answered && { ...this.answered, ...(candidates.length > 0 && { candidates }) };
  }

  private addCandidate({ index, content, ...rest }: Members): boolean {
    const candidate = (this.candidates[toIndex(index)] ??= { content: { parts: [], role: 'model' } });
    Object.assign(candidate, knownMembers(rest));
    const { parts, role } = toMembers(content);
    const gathered = candidate['content'] as { parts: Gathered[]; role: unknown };
    if (role !== undefined) gathered.role = role;
    for (const part of toList(parts)) addPart(gathered.parts, toMembers(part));
    return contentsText(content) !== '';
  }
}

/** A text continues the text before it, unless one of them is a thought or signed. */
function addPart(parts: Gathered[], part: Members): void {
  const { text, thought, ...rest } = part;
  const last = parts.at(-1);
  const continues =
    typeof text === 'string' && typeof last?.['text'] === 'string' && last['thought'] === thought;
  if (continues && !('thoughtSignature' in last))
    Object.assign(last, rest, { text: `${last['text'] as string}${text}` });
  else parts.push({ ...part });
}
