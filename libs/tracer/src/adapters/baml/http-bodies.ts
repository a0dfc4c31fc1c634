import { toMembers, toList } from '@dacapo/protocol';

/** The model that was asked for: in the body, or for some providers in the address alone. */
export function findRequestModel(url: string | undefined, body: unknown): string | undefined {
  const model = textIn(body, 'model');
  if (model !== undefined) return model;
  const inUrl = /\/models?\/([^/:?]+(?::\d+)?)/.exec(url ?? '')?.[1];
  return inUrl === undefined ? undefined : decodeURIComponent(inUrl);
}

/** The model that answered, which may be a dated version of the one asked for. */
export function findResponseModel(body: unknown): string | undefined {
  return textIn(body, 'model') ?? textIn(body, 'modelVersion');
}

/** Why the model stopped, in the provider's own word. */
export function findFinishReason(body: unknown): string | undefined {
  return (
    textIn(toList(toMembers(body)['choices'])[0], 'finish_reason') ??
    textIn(body, 'stop_reason') ??
    textIn(toList(toMembers(body)['candidates'])[0], 'finishReason') ??
    textIn(body, 'stopReason') ??
    textIn(toMembers(body)['incomplete_details'], 'reason') ??
    textIn(body, 'status')
  );
}

function textIn(value: unknown, name: string): string | undefined {
  const text = toMembers(value)[name];
  return typeof text === 'string' ? text : undefined;
}
