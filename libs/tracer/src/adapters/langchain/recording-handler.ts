import { formatPrompt, contentText } from '@dacapo/protocol';
import type { ActiveSpan } from '../../recording/active-span.js';
import type { Recorder } from '../../recording/recorder.js';
import { type PendingRequest, LangChainRuns, nameRun, type RunStart } from './langchain-runs.js';
import type { LangChainMessage, LangChainResult, LangChainSerialized } from './langchain-types.js';
import { readModelResult, roleAndText } from './model-facts.js';
import { type Fields, toFields, isFields, parsed } from '../readers.js';

/** What LangChain passes after a model and its input. */
type ModelStart = [
  runId: string,
  parentRunId?: string,
  extra?: Fields,
  tags?: readonly string[],
  metadata?: Fields,
  runName?: string,
];

/** Records LangChain runs. Nothing it does throws into them. */
export class RecordingHandler {
  private readonly runs: LangChainRuns;

  constructor(private readonly recorder: Recorder) {
    this.runs = new LangChainRuns(recorder);
  }

  findModelRun(pending: PendingRequest): ActiveSpan | undefined {
    return this.runs.findModelRun(pending);
  }

  openRun(runId: string): ActiveSpan | undefined {
    return this.runs.openRun(runId);
  }

  handleLLMStart(llm: LangChainSerialized, prompts: readonly string[], ...start: ModelStart): void {
    this.startModel(llm, start, () => ({
      attributes: {
        input: [prompts],
        prompt: formatPrompt(prompts.map((text) => ({ role: 'user', text }))),
      },
      question: prompts.at(-1),
    }));
  }

  handleChatModelStart(
    llm: LangChainSerialized,
    messages: readonly (readonly LangChainMessage[])[],
    ...start: ModelStart
  ): void {
    this.startModel(llm, start, () => {
      const all = messages.flat();
      return {
        attributes: { input: [all], prompt: formatPrompt(all.map(roleAndText)) },
        question: contentText(all.at(-1)?.content),
      };
    });
  }

  handleLLMNewToken(_token: string, _index: unknown, runId: string): void {
    this.guard('counting a token', () => {
      this.runs.noteToken(runId);
    });
  }

  handleLLMEnd(result: LangChainResult, runId: string): void {
    this.guard('ending a LangChain model', () => {
      this.runs.end(runId, (run) => readModelResult(result, run));
    });
  }

  handleLLMError(error: unknown, runId: string): void {
    this.fail(error, runId);
  }

  handleChainStart(
    chain: LangChainSerialized,
    inputs: unknown,
    runId: string,
    parentRunId?: string,
    tags?: readonly string[],
    metadata?: Fields,
    _runType?: string,
    runName?: string,
  ): void {
    this.guard('starting a LangChain chain', () => {
      const name = nameRun(chain, runName);
      this.runs.start({
        runId,
        parentRunId,
        type: 'custom',
        kind: 'chain',
        name,
        tags,
        metadata,
        attributes: { input: [inputs] },
      });
    });
  }

  handleChainEnd(outputs: unknown, runId: string): void {
    this.succeed(outputs, runId);
  }

  handleChainError(error: unknown, runId: string): void {
    this.fail(error, runId);
  }

  handleToolStart(
    tool: LangChainSerialized,
    input: string,
    runId: string,
    parentRunId?: string,
    tags?: readonly string[],
    metadata?: Fields,
    runName?: string,
  ): void {
    this.guard('starting a LangChain tool', () => {
      const name = nameRun(tool, runName);
      const attributes = { input: [parsed(input)] };
      this.runs.start({
        runId,
        parentRunId,
        type: 'function',
        kind: 'tool',
        name,
        tags,
        metadata,
        attributes,
      });
    });
  }

  handleToolEnd(output: unknown, runId: string): void {
    this.succeed(output, runId);
  }

  handleToolError(error: unknown, runId: string): void {
    this.fail(error, runId);
  }

  handleRetrieverStart(
    retriever: LangChainSerialized,
    query: string,
    runId: string,
    parentRunId?: string,
    tags?: readonly string[],
    metadata?: Fields,
    runName?: string,
  ): void {
    this.guard('starting a LangChain retriever', () => {
      const name = nameRun(retriever, runName);
      const attributes = { input: [query] };
      this.runs.start({
        runId,
        parentRunId,
        type: 'function',
        kind: 'retriever',
        name,
        tags,
        metadata,
        attributes,
      });
    });
  }

  handleRetrieverEnd(documents: unknown, runId: string): void {
    this.succeed(documents, runId);
  }

  handleRetrieverError(error: unknown, runId: string): void {
    this.fail(error, runId);
  }

  private startModel(
    llm: LangChainSerialized,
    [runId, parentRunId, extra, tags, metadata, runName]: ModelStart,
    describe: () => Pick<RunStart, 'attributes' | 'question'>,
  ): void {
    this.guard('starting a LangChain model', () => {
      this.runs.start({
        ...describe(),
        name: nameRun(llm, runName),
        type: 'llm',
        kind: 'model',
        runId,
        parentRunId,
        tags,
        metadata,
        extra,
        settings: llm.kwargs,
      });
    });
  }

  private succeed(output: unknown, runId: string): void {
    this.guard('ending a LangChain run', () => {
      this.runs.end(runId, () => ({ output }));
    });
  }

  private fail(error: unknown, runId: string): void {
    this.guard('ending a LangChain run', () => {
      this.runs.end(runId, () => (isBubbleUp(error) ? { output: bubbledUp(error) } : { error }));
    });
  }

  private guard(doing: string, work: () => void): void {
    this.recorder.guard(doing, work);
  }
}

/** LangGraph throws what it hands upwards: `interrupt()`, and a `Command` to the graph around. The run has not failed. */
function isBubbleUp(error: unknown): boolean {
  return isFields(error) && error['is_bubble_up'] === true;
}

/** What waits for an answer, or what the graph around is to do. */
function bubbledUp(error: unknown): unknown {
  const { interrupts, command } = toFields(error);
  return interrupts === undefined ? command : { interrupts };
}
