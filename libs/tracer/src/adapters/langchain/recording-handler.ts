import { formatPrompt, contentText, type Members, toMembers, hasMembers } from '@dacapo/protocol';
import type { ActiveSpan } from '../../recording/active-span.js';
import type { Recorder } from '../../recording/recorder.js';
import { type PendingRequest, LangChainRuns, nameRun, type RunStart } from './langchain-runs.js';
import type { LangChainMessage, LangChainResult, LangChainSerialized } from './langchain-types.js';
import { readModelResult, roleAndText } from './model-facts.js';
import { parsed } from '../readers.js';

/** What LangChain passes after a model and its input. */
type ModelStart = [
  runId: string,
  parentRunId?: string,
  extra?: Members,
  tags?: readonly string[],
  metadata?: Members,
  runName?: string,
];

/** What it passes after a tool or a retriever and its input. */
type Start = [
  runId: string,
  parentRunId?: string | undefined,
  tags?: readonly string[] | undefined,
  metadata?: Members | undefined,
  runName?: string | undefined,
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
    metadata?: Members,
    _runType?: string,
    runName?: string,
  ): void {
    this.start('chain', 'custom', chain, inputs, [runId, parentRunId, tags, metadata, runName]);
  }

  handleChainEnd(outputs: unknown, runId: string): void {
    this.succeed(outputs, runId);
  }

  handleChainError(error: unknown, runId: string): void {
    this.fail(error, runId);
  }

  handleToolStart(tool: LangChainSerialized, input: string, ...start: Start): void {
    this.start('tool', 'function', tool, parsed(input), start);
  }

  handleToolEnd(output: unknown, runId: string): void {
    this.succeed(output, runId);
  }

  handleToolError(error: unknown, runId: string): void {
    this.fail(error, runId);
  }

  handleRetrieverStart(retriever: LangChainSerialized, query: string, ...start: Start): void {
    this.start('retriever', 'function', retriever, query, start);
  }

  handleRetrieverEnd(documents: unknown, runId: string): void {
    this.succeed(documents, runId);
  }

  handleRetrieverError(error: unknown, runId: string): void {
    this.fail(error, runId);
  }

  private start(
    kind: string,
    type: RunStart['type'],
    serialized: LangChainSerialized,
    input: unknown,
    [runId, parentRunId, tags, metadata, runName]: Start,
  ): void {
    this.guard(`starting a LangChain ${kind}`, () => {
      const name = nameRun(serialized, runName);
      const attributes = { input: [input] };
      this.runs.start({ runId, parentRunId, type, kind, name, tags, metadata, attributes });
    });
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

/** LangGraph throws values that it passes to the outer graph: `interrupt()`, and a `Command`. The run did not fail. */
function isBubbleUp(error: unknown): boolean {
  return hasMembers(error) && error['is_bubble_up'] === true;
}

/** Returns the value of an interrupt, or the command for the outer graph. */
function bubbledUp(error: unknown): unknown {
  const { interrupts, command } = toMembers(error);
  return interrupts === undefined ? command : { interrupts };
}
