import { type AnyFunction, MockPolicy, type SpanDefinition } from '@dacapo/tracer/engine';
import { types } from 'node:util';
import type { CassetteOptions } from './cassette-options.js';

/** Answers from the cassette, except for what `live` and `answers` name. */
export class TapePolicy extends MockPolicy {
  private readonly answers: ReadonlyMap<string, AnyFunction>;

  constructor({ live, answers = {} }: CassetteOptions) {
    super('all', 'fail', live);
    this.answers = new Map(Object.entries(answers));
  }

  /** A call that the cassette cannot answer runs if the test has an answer for its key. */
  override chooseOnMiss(definition: SpanDefinition): ReturnType<MockPolicy['chooseOnMiss']> {
    return this.answers.has(definition.key) ? 'run' : super.chooseOnMiss(definition);
  }

  hasAnswer(key: string): boolean {
    return this.answers.has(key);
  }

  /** What runs in place of a function: it stays asynchronous. */
  replaceByAnswer(key: string, fn: AnyFunction): AnyFunction {
    const answer = this.answers.get(key);
    if (answer === undefined || !types.isAsyncFunction(fn)) return answer ?? fn;
    return async (...args) => await answer(...args);
  }
}
