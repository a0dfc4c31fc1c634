import { isJsonObject, type JsonObject, type JsonValue } from '@dacapo/protocol';

interface RequestTool {
  name: string;
  value: JsonValue;
}

export interface RequestSettings {
  tools: RequestTool[];
  /** Numbers, flags and short texts of the request, such as its temperature. */
  parameters: [name: string, value: string | number | boolean][];
}

const LONGEST_PARAMETER = 60;
/** Shown elsewhere. */
const NOT_A_PARAMETER = ['model', 'system', 'instructions', 'prompt', 'input'];

/** Tools and parameters of a request to a model, in any client's format: in the first argument that has some. */
export function readRequest(input: readonly JsonValue[] | undefined): RequestSettings {
  for (const argument of input ?? []) {
    if (!isJsonObject(argument)) continue;
    const config = isJsonObject(argument['config']) ? argument['config'] : {};
    const tools = readTools(argument['tools'] ?? config['tools']);
    const parameters = readParameters({ ...argument, ...config });
    if (tools.length > 0 || parameters.length > 0) return { tools, parameters };
  }
  return { tools: [], parameters: [] };
}

/** A list of tools, or an object of them by name. Gemini lists declarations in a tool. */
function readTools(tools: JsonValue | undefined): RequestTool[] {
  if (isJsonObject(tools)) {
    return Object.entries(tools).map(([name, value]) => ({ name, value }));
  }
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((value): RequestTool[] => {
    if (!isJsonObject(value)) return [];
    const { functionDeclarations } = value;
    if (Array.isArray(functionDeclarations)) return readTools(functionDeclarations);
    const tool = isJsonObject(value['function']) ? value['function'] : value;
    const name = tool['name'] ?? tool['type'];
    return typeof name === 'string' ? [{ name, value }] : [];
  });
}

function readParameters(request: JsonObject): RequestSettings['parameters'] {
  return Object.entries(request).flatMap(([name, value]): RequestSettings['parameters'] => {
    if (NOT_A_PARAMETER.includes(name)) return [];
    if (typeof value === 'number' || typeof value === 'boolean') return [[name, value]];
    return typeof value === 'string' && value.length <= LONGEST_PARAMETER ? [[name, value]] : [];
  });
}
