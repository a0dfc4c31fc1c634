import * as v from 'valibot';
import { LIMITS } from '../../limits.js';
import * as kinds from '../schema/kinds.js';
import { TRACE_AMOUNTS } from './amounts.js';
import type { Condition } from './condition.js';
import {
  type CallConditions,
  type ConditionName,
  conditionsIn,
  documentCondition,
  type ListConditions,
} from './conditions.js';
import { isMetricsGroup, type MetricsGroup } from './metrics-groups.js';

type Place = 'lists' | 'selections';
/** Of the conditions of a place. */
type Entries<Fields extends object> = {
  readonly [Name in keyof Fields]-?: v.ExactOptionalSchema<
    kinds.Schema<Exclude<Fields[Name], undefined>>,
    undefined
  >;
};

const TOO_MANY = `exceeds the limit: at most ${LIMITS.metadataFilters} are accepted`;

const TAGS = v.pipe(
  kinds.list(kinds.label(LIMITS.tagLength), LIMITS.tags),
  v.transform((tags) => [...new Set(tags)]),
);

/** Lists whose items are more than a text. */
const LISTS: Partial<Record<ConditionName, kinds.Schema>> = {
  tags: TAGS,
  except_tags: TAGS,
  trace_ids: kinds.list(kinds.uuid(), LIMITS.selectedCalls),
};

/** Query parameters of a list of traces. Metadata comes as `metadata.<path>=<value>`, and values of scores and metadata as texts. */
export const LIST_CONDITIONS = entries<ListConditions>('lists', {
  metadata: v.pipe(
    v.record(v.string(), kinds.string(), 'must name a path, such as metadata.tier=gold'),
    v.rawCheck(({ dataset: { typed, value }, addIssue }) => {
      if (!typed) return;
      for (const [index, path] of Object.keys(value).entries()) {
        const message = index < LIMITS.metadataFilters ? checkMetadataPath(path) : TOO_MANY;
        if (message !== undefined) {
          addIssue({ message, path: [pathItem(value, path, value[path])] });
          return;
        }
      }
    }),
  ),
  score_is: kinds.string(),
});

/** Query parameters of metrics: what they group by, they filter by. */
export const METRICS_CONDITIONS = entries<Pick<ListConditions, MetricsGroup>>('lists', {}, isMetricsGroup);

/** Fields of a body that selects calls. */
export const CALL_CONDITIONS = entries<CallConditions>('selections', {
  metadata: kinds.jsonObject(LIMITS.metadataConditions),
  score_is: v.union(
    [kinds.string(), kinds.number(), kinds.flag()],
    'must be a text, a number, true or false',
  ),
});

/** Adds what conditions require of each other to an object of them. */
export function consistent<S extends kinds.Schema<object>>(schema: S): S {
  return v.pipe(
    schema,
    v.rawCheck(({ dataset: { typed, value }, addIssue }) => {
      if (!typed) return;
      const values = value as Partial<Record<ConditionName, unknown>>;
      const refuse = (name: ConditionName, message: string): void => {
        addIssue({ message, path: [pathItem(value, name, values[name])] });
      };
      for (const amount of TRACE_AMOUNTS) {
        const [least, most] = [values[`min_${amount}`], values[`max_${amount}`]];
        if (Number(least) > Number(most))
          refuse(`min_${amount}`, `must not be greater than max_${amount}, which is ${Number(most)}`);
      }
      if (
        values.score === undefined &&
        (values.score_is ?? values.score_below ?? values.score_above) !== undefined
      )
        refuse('score', 'must name the score: add score=<its name>');
    }),
  ) as unknown as S;
}

/** What is wrong with a path in the metadata. */
export function checkMetadataPath(path: string): string | undefined {
  const { metadataPath: deepest } = LIMITS;
  const names = path.split('.');
  if (names.includes(''))
    return 'must name a member of the metadata, such as metadata.tier or metadata.user.plan';
  if (names.length > deepest) return `must name at most ${deepest} members, not ${names.length}`;
  return path.includes('"') ? 'must not contain a quotation mark' : undefined;
}

function entries<Fields extends object>(
  place: Place,
  own: Partial<Record<ConditionName, kinds.Schema>>,
  isIncluded: (name: string) => boolean = () => true,
): Entries<Fields> {
  return Object.fromEntries(
    conditionsIn(place)
      .filter(([name]) => isIncluded(name))
      .map(([name, row]) => [
        name,
        kinds.maybe(kinds.about(documentCondition(row, place), own[name] ?? toSchema(name, row))),
      ]),
  ) as Entries<Fields>;
}

function toSchema(name: ConditionName, { kind, choices = [] }: Condition): kinds.Schema {
  switch (kind) {
    case 'choice':
      return kinds.choice(choices);
    case 'amount':
      return kinds.amount();
    case 'number':
      return kinds.number();
    case 'flag':
      return kinds.flag();
    case 'time':
      return kinds.time();
    case 'list':
      return LISTS[name] ?? kinds.list(kinds.label());
    default:
      return kinds.label();
  }
}

function pathItem(input: object, key: string, value: unknown): v.ObjectPathItem {
  return { type: 'object', origin: 'value', input: input as Record<string, unknown>, key, value };
}
