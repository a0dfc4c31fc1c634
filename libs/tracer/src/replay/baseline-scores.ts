import type { Evaluated, EvaluatorContext, NamedScore } from '@dacapo/evaluation';
import type { BaselineScore } from '@dacapo/protocol';
import type { ItemEvaluators } from './evaluate-item.js';
import type { RunSource } from './source/run-source.js';

export interface ScoredOrReused extends Evaluated {
  /** Hash of the evaluators' inputs, if an evaluator with a version ran. */
  readonly hash?: string;
}

/** Scores baselines, and reuses stored scores of earlier runs if an evaluator with the same version had the same inputs. */
export class BaselineScores {
  /** Why stored scores are unknown, if the source did not answer. */
  problem: string | undefined;

  constructor(
    private readonly evaluators: ItemEvaluators,
    private readonly source: Pick<RunSource, 'baselineScores'>,
  ) {}

  /**
   * Never rejects.
   *
   * @param hashSeen hash of all inputs of evaluators; `undefined`: nothing is reused
   */
  async evaluate(context: EvaluatorContext, hashSeen: () => string | undefined): Promise<ScoredOrReused> {
    const { versions } = this.evaluators;
    const hash = versions.size === 0 ? undefined : hashSeen();
    if (hash === undefined) return this.evaluators.evaluate(context);
    const reused = await this.reusable(hash);
    const { scores, errors, answered } = await this.evaluators.evaluate(context, (name) => !reused.has(name));
    const versioned = scores.map((score): NamedScore => {
      const version = answered.has(score.name) ? versions.get(score.name) : undefined;
      return version === undefined ? score : { ...score, version };
    });
    const isVersioned = versioned.some(({ version }) => version !== undefined);
    return { scores: [...reused.values(), ...versioned], errors, ...(isVersioned && { hash }) };
  }

  /** By evaluator. */
  private async reusable(hash: string): Promise<Map<string, NamedScore>> {
    const reused = new Map<string, NamedScore>();
    for (const { name, value, version, ...words } of await this.stored(hash)) {
      if (version === undefined || version !== this.evaluators.versions.get(name) || reused.has(name))
        continue;
      reused.set(name, { name, score: value, ...words, version, reused: true });
    }
    return reused;
  }

  private async stored(hash: string): Promise<readonly BaselineScore[]> {
    if (this.problem !== undefined) return [];
    try {
      return await this.source.baselineScores(hash);
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
      return [];
    }
  }
}
